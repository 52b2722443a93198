// A thin bar that is filled up to a fraction: reading progress, the context meter.
#pragma once

#include <QColor>
#include <QWidget>

namespace orthros::ui {

class Bar : public QWidget {
  Q_OBJECT

 public:
  explicit Bar(QWidget* parent = nullptr);

  void setFraction(double fraction);
  // A negative fraction: how much is done is not known.
  double fraction() const { return fraction_; }
  // Asked at each painting, so that it follows the theme.
  using PickColour = QColor (*)();
  void setColour(PickColour pick);
  QSize sizeHint() const override { return {120, 6}; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  double fraction_ = 0;
  PickColour pick_ = nullptr;
};

}  // namespace orthros::ui
