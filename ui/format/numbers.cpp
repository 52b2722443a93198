#include "ui/format/numbers.hpp"

#include <QCoreApplication>
#include <QLocale>
#include <algorithm>
#include <cmath>

namespace orthros::ui {
namespace {

QString text(const char* source) {
  return QCoreApplication::translate("numbers", source);
}

// The number of decimals that leaves three significant digits, at most two.
int decimalsOf(double value) {
  return value < 10 ? 2 : value < 100 ? 1 : 0;
}

QString threeDigits(double value) {
  return QLocale().toString(value, 'f', decimalsOf(value));
}

}  // namespace

QString countText(uint64_t count) {
  return QLocale().toString(static_cast<qulonglong>(count));
}

QString tokensText(uint64_t tokens) {
  return (tokens == 1 ? text("%1 token") : text("%1 tokens")).arg(countText(tokens));
}

QString durationText(uint64_t ns) {
  const double seconds = static_cast<double>(ns) * 1e-9;
  if (ns == 0) return text("%1 s").arg(0);
  if (seconds < 0.9995) return text("%1 ms").arg(threeDigits(seconds * 1e3));
  if (seconds < 99.95) return text("%1 s").arg(threeDigits(seconds));
  const auto whole = static_cast<qulonglong>(std::llround(seconds));
  return text("%1 min %2 s").arg(QLocale().toString(whole / 60)).arg(whole % 60, 2, 10, QLatin1Char('0'));
}

QString rateNumberText(double perSecond) {
  if (!(perSecond > 0)) return QStringLiteral("–");
  return QLocale().toString(perSecond, 'f', perSecond < 100 ? 1 : 0);
}

QString rateText(double tokensPerSecond) {
  if (!(tokensPerSecond > 0)) return QStringLiteral("–");
  return text("%1 tokens/s").arg(rateNumberText(tokensPerSecond));
}

QString bytesText(uint64_t bytes) {
  return scaledText(static_cast<double>(bytes), QStringLiteral("B"));
}

QString factorText(double factor) {
  return text("%1x").arg(threeDigits(factor));
}

QString percentText(double fraction) {
  return text("%1 %").arg(QLocale().toString(fraction * 100, 'f', 0));
}

QString scaledText(double value, const QString& unit) {
  static constexpr const char* prefixes[] = {"", "k", "M", "G", "T", "P"};
  size_t prefix = 0;
  while (value >= 999.5 && prefix + 1 < std::size(prefixes)) {
    value /= 1000;
    ++prefix;
  }
  const int decimals = prefix == 0 || value >= 99.95 ? 0 : value < 9.95 ? 2 : 1;
  return QLocale().toString(value, 'f', decimals) + QLatin1Char(' ') + QLatin1String(prefixes[prefix]) + unit;
}

}  // namespace orthros::ui
