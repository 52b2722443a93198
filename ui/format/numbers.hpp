// Numbers as the program shows them: in the person's locale, three significant digits, units that fit.
#pragma once

#include <QString>
#include <cstdint>

namespace orthros::ui {

QString countText(uint64_t count);         // "49,812"
QString tokensText(uint64_t tokens);       // "49,812 tokens"
QString durationText(uint64_t ns);         // "0.42 ms", "412 ms", "1.29 s", "14.1 s", "2 min 05 s"
QString rateText(double tokensPerSecond);  // "212 tokens/s"; a dash where there is none
QString rateNumberText(double perSecond);  // "212", "9.4"
QString bytesText(uint64_t bytes);         // "6.4 GB"
QString factorText(double factor);         // "10.9x"
QString percentText(double fraction);      // "38 %"
QString scaledText(double value, const QString& unit);  // "29.8 GFLOP": SI prefixes

}  // namespace orthros::ui
