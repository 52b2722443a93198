// Small widgets in the program's roles, so that screens read as what they show.
#pragma once

#include <QString>

#include "ui/theme/theme.hpp"

class QLabel;
class QPushButton;
class QWidget;

namespace orthros::ui {

QLabel* makeLabel(const QString& text, Role role, QWidget* parent = nullptr);
QPushButton* makeButton(const QString& text, Role role = Role::plain, QWidget* parent = nullptr);
// "●" in a colour, as rich text.
QString dot(const QColor& colour);
// Text in the strong weight, as rich text; escapes it.
QString strong(const QString& text);
// Says where a number comes from: "measured", "modelled", "extrapolated".
QLabel* makeTag(const QString& text, QWidget* parent = nullptr);

}  // namespace orthros::ui
