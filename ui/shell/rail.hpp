// The pages of the program, one button each, at the left edge of the window.
#pragma once

#include <QFrame>

class QAction;
class QVBoxLayout;

namespace orthros::ui {

class Rail : public QFrame {
  Q_OBJECT

 public:
  enum class Icon { chat, phases };

  explicit Rail(QWidget* parent = nullptr);
  // A button that follows the checkable action: its text, its check mark, its triggering.
  void addPage(QAction* action, const QString& shortName, Icon icon);

 private:
  QVBoxLayout* column_;
};

}  // namespace orthros::ui
