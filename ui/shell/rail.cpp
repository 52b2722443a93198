#include "ui/shell/rail.hpp"

#include <QAbstractButton>
#include <QAction>
#include <QPainter>
#include <QPainterPath>
#include <QVBoxLayout>

#include "ui/theme/theme.hpp"

namespace orthros::ui {
namespace {

void drawChat(QPainter& painter, const QRectF& box) {
  QPainterPath bubble;
  bubble.moveTo(box.left(), box.top() + 1);
  bubble.lineTo(box.right(), box.top() + 1);
  bubble.lineTo(box.right(), box.bottom() - 4);
  bubble.lineTo(box.left() + 7, box.bottom() - 4);
  bubble.lineTo(box.left() + 3, box.bottom());
  bubble.lineTo(box.left() + 3, box.bottom() - 4);
  bubble.lineTo(box.left(), box.bottom() - 4);
  bubble.closeSubpath();
  painter.drawPath(bubble);
}

void drawPhases(QPainter& painter, const QRectF& box) {
  const double middle = box.center().y();
  painter.drawLine(QPointF(box.left(), middle - 5), QPointF(box.left() + 7, middle - 5));
  painter.drawLine(QPointF(box.left() + 4, middle), QPointF(box.left() + 13, middle));
  painter.drawLine(QPointF(box.left() + 9, middle + 5), QPointF(box.right(), middle + 5));
}

class RailButton : public QAbstractButton {
 public:
  RailButton(const QString& name, Rail::Icon icon, QWidget* parent) : QAbstractButton(parent), icon_(icon) {
    setText(name);
    setCheckable(true);
    setFixedSize(58, 52);
    setFocusPolicy(Qt::TabFocus);
    setAttribute(Qt::WA_Hover);
  }

 protected:
  void paintEvent(QPaintEvent*) override {
    const Tokens& tokens = Theme::instance().tokens();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF ground = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
    if (isChecked() || hasFocus()) {
      painter.setPen(hasFocus() ? tokens.accent : tokens.line);
      painter.setBrush(isChecked() ? tokens.surface : tokens.rail);
      painter.drawRoundedRect(ground, metric::radius, metric::radius);
    }
    const QColor ink = isChecked() || underMouse() ? tokens.text : tokens.secondary;
    painter.setPen(QPen(ink, 1.5, Qt::SolidLine, Qt::RoundCap, Qt::MiterJoin));
    painter.setBrush(Qt::NoBrush);
    const QRectF box((width() - 16) / 2.0, 9, 16, 16);
    icon_ == Rail::Icon::chat ? drawChat(painter, box) : drawPhases(painter, box);
    painter.setFont(Theme::font(11));
    painter.setPen(ink);
    painter.drawText(QRectF(0, 30, width(), 16), Qt::AlignCenter, text());
  }

 private:
  Rail::Icon icon_;
};

}  // namespace

Rail::Rail(QWidget* parent) : QFrame(parent) {
  setObjectName(QStringLiteral("rail"));
  setAccessibleName(tr("Pages"));
  setFixedWidth(metric::rail);
  column_ = new QVBoxLayout(this);
  column_->setContentsMargins(2, 8, 3, 8);
  column_->setSpacing(4);
  column_->addStretch(1);
}

void Rail::addPage(QAction* action, const QString& shortName, Icon icon) {
  auto* button = new RailButton(shortName, icon, this);
  button->setChecked(action->isChecked());
  button->setToolTip(
      QStringLiteral("%1 (%2)").arg(shortName, action->shortcut().toString(QKeySequence::NativeText)));
  button->setAccessibleName(action->text().remove(QLatin1Char('&')));
  connect(action, &QAction::toggled, button, &QAbstractButton::setChecked);
  connect(button, &QAbstractButton::clicked, action, [action, button] {
    action->trigger();
    button->setChecked(action->isChecked());
  });
  column_->insertWidget(column_->count() - 1, button);
}

}  // namespace orthros::ui
