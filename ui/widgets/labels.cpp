#include "ui/widgets/labels.hpp"

#include <QLabel>
#include <QPushButton>

namespace orthros::ui {

QLabel* makeLabel(const QString& text, Role role, QWidget* parent) {
  auto* label = new QLabel(text, parent);
  setRole(label, role);
  return label;
}

QPushButton* makeButton(const QString& text, Role role, QWidget* parent) {
  auto* button = new QPushButton(text, parent);
  setRole(button, role);
  button->setAutoDefault(false);
  button->setCursor(role == Role::link ? Qt::PointingHandCursor : Qt::ArrowCursor);
  return button;
}

QString dot(const QColor& colour) {
  return QStringLiteral("<span style=\"color:%1\">●</span>").arg(colour.name());
}

QString strong(const QString& text) {
  return QStringLiteral("<span style=\"font-weight:500;color:%1\">%2</span>")
      .arg(Theme::instance().tokens().text.name(), text.toHtmlEscaped());
}

QLabel* makeTag(const QString& text, QWidget* parent) {
  auto* tag = makeLabel(text, Role::tag, parent);
  tag->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
  return tag;
}

}  // namespace orthros::ui
