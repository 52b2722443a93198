#include "ui/shell/settings.hpp"

#include <QSettings>

namespace orthros::ui::settings {
namespace {

const QString themeKey = QStringLiteral("theme");
const QString compareKey = QStringLiteral("compare");

}  // namespace

ThemeChoice theme() {
  const QString name = QSettings().value(themeKey).toString();
  if (name == QLatin1String("light")) return ThemeChoice::light;
  if (name == QLatin1String("dark")) return ThemeChoice::dark;
  return ThemeChoice::system;
}

void setTheme(ThemeChoice choice) {
  const char* name = choice == ThemeChoice::light ? "light" : choice == ThemeChoice::dark ? "dark" : "system";
  QSettings().setValue(themeKey, QString::fromLatin1(name));
}

bool compare() {
  return QSettings().value(compareKey, true).toBool();
}

void setCompare(bool compare) {
  QSettings().setValue(compareKey, compare);
}

}  // namespace orthros::ui::settings
