// A label on one line that ends in "…" where there is no room, and shows all of it in its tool tip.
#pragma once

#include <QLabel>

namespace orthros::ui {

class ElidedLabel : public QLabel {
  Q_OBJECT

 public:
  explicit ElidedLabel(QWidget* parent = nullptr);
  QSize minimumSizeHint() const override { return {0, QLabel::minimumSizeHint().height()}; }

 protected:
  void paintEvent(QPaintEvent* event) override;
};

}  // namespace orthros::ui
