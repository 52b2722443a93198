// The look of the program: colours, spacing and type as tokens, and the one palette and style sheet made from
// them.
#pragma once

#include <QColor>
#include <QFont>
#include <QObject>
#include <vector>

class QApplication;
class QWidget;

namespace orthros::ui {

enum class ThemeChoice { system, light, dark };

struct Tokens {
  QColor window, surface, rail;
  QColor text, secondary, line, grid;
  QColor accent, accentGround, selection;
  QColor prefill, tail, decode;  // the same colour for a phase on every page
  QColor vanilla, other, error;
  QColor onAccent;  // text on the accent colour
};

const Tokens& lightTokens();
const Tokens& darkTokens();

// A text colour and a ground that the program draws it on. Every pair has a contrast of at least 4.5:1.
struct TextPair {
  const char* name;
  QColor text, ground;
};
std::vector<TextPair> textPairs(const Tokens& tokens);

// Pixels. Spacing goes in steps of 4.
namespace metric {
inline constexpr int step = 4;
inline constexpr int gap = 16;
inline constexpr int cardPadding = 16;
inline constexpr int pageMargin = 24;
inline constexpr int radius = 8;
inline constexpr int header = 48;
inline constexpr int statusLine = 28;
inline constexpr int rail = 64;
inline constexpr int bodyText = 14;
inline constexpr int captionText = 12;
inline constexpr int titleText = 18;
inline constexpr int figureText = 26;
inline constexpr int readingWidth = 832;  // widest column of a conversation
}  // namespace metric

// What a label or button is, for the style sheet.
enum class Role {
  title,
  heading,
  strong,
  secondary,
  caption,
  figure,
  tag,
  error,
  captionError,
  primary,
  link,
  segment,
  card,
  plain
};
void setRole(QWidget* widget, Role role);

// The theme in use. One per program; `changed` tells widgets that keep colours in documents or pictures.
class Theme : public QObject {
  Q_OBJECT

 public:
  static Theme& instance();

  // Fusion style, fonts and the first palette. Once, before the first widget.
  void install(QApplication& application, ThemeChoice choice);
  void choose(ThemeChoice choice);
  ThemeChoice choice() const { return choice_; }
  bool isDark() const { return dark_; }
  const Tokens& tokens() const { return dark_ ? darkTokens() : lightTokens(); }

  static QFont bodyFont();
  static QFont font(int pixels, QFont::Weight weight = QFont::Normal);
  static QFont documentFont(int pixels);  // a serif
  static QFont codeFont(int pixels);

 signals:
  void changed();

 private:
  Theme() = default;
  void apply();

  ThemeChoice choice_ = ThemeChoice::system;
  bool systemIsDark_ = false;
  bool dark_ = false;
};

}  // namespace orthros::ui
