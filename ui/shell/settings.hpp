// What the program remembers between two starts.
#pragma once

#include "ui/theme/theme.hpp"

namespace orthros::ui::settings {

ThemeChoice theme();
void setTheme(ThemeChoice choice);
bool compare();  // run vanilla after each answer; on at first
void setCompare(bool compare);

}  // namespace orthros::ui::settings
