#include "ui/theme/theme.hpp"

#include <QApplication>
#include <QFontDatabase>
#include <QGuiApplication>
#include <QPainter>
#include <QPalette>
#include <QPolygonF>
#include <QProxyStyle>
#include <QStyle>
#include <QStyleFactory>
#include <QStyleHints>
#include <QStyleOption>
#include <QWidget>

namespace orthros::ui {
namespace {

const char* roleName(Role role) {
  switch (role) {
    case Role::title:
      return "title";
    case Role::heading:
      return "heading";
    case Role::strong:
      return "strong";
    case Role::secondary:
      return "secondary";
    case Role::caption:
      return "caption";
    case Role::figure:
      return "figure";
    case Role::tag:
      return "tag";
    case Role::error:
      return "error";
    case Role::captionError:
      return "captionError";
    case Role::primary:
      return "primary";
    case Role::link:
      return "link";
    case Role::segment:
      return "segment";
    case Role::card:
      return "card";
    case Role::plain:
      return "plain";
  }
  return "plain";
}

QPalette paletteOf(const Tokens& t) {
  QPalette palette(t.text, t.surface, t.line, t.line, t.line, t.text, t.text, t.surface, t.window);
  palette.setColor(QPalette::AlternateBase, t.window);
  palette.setColor(QPalette::Button, t.surface);
  palette.setColor(QPalette::ButtonText, t.text);
  palette.setColor(QPalette::ToolTipBase, t.surface);
  palette.setColor(QPalette::ToolTipText, t.text);
  palette.setColor(QPalette::PlaceholderText, t.secondary);
  palette.setColor(QPalette::Highlight, t.accent);
  palette.setColor(QPalette::HighlightedText, t.onAccent);
  palette.setColor(QPalette::Link, t.text);
  palette.setColor(QPalette::LinkVisited, t.text);
  for (const auto role : {QPalette::Text, QPalette::WindowText, QPalette::ButtonText})
    palette.setColor(QPalette::Disabled, role, t.secondary);
  palette.setColor(QPalette::Disabled, QPalette::Highlight, t.selection);
  palette.setColor(QPalette::Disabled, QPalette::HighlightedText, t.text);
  return palette;
}

// @name stands for the token of that name.
constexpr const char* styleTemplate = R"(
QWidget { color: @text; }
QMainWindow, QDialog, QMessageBox { background: @window; }
QToolTip { color: @text; background: @surface; border: 1px solid @line; padding: 4px; }

QMenuBar { background: @rail; border-bottom: 1px solid @line; padding: 0 8px; }
QMenuBar::item { padding: 6px 8px; background: transparent; border-radius: 4px; }
QMenuBar::item:selected { background: @selection; }
QMenu { background: @surface; border: 1px solid @line; padding: 4px; }
QMenu::item { padding: 6px 24px 6px 24px; border-radius: 4px; }
QMenu::item:selected { background: @selection; color: @text; }
QMenu::item:disabled { color: @secondary; }
QMenu::separator { height: 1px; background: @line; margin: 4px 8px; }

QLabel[role="title"] { font-size: 18px; font-weight: 600; }
QLabel[role="heading"] { font-weight: 600; }
QLabel[role="strong"] { font-weight: 500; }
QLabel[role="secondary"] { color: @secondary; }
QLabel[role="caption"] { color: @secondary; font-size: 12px; }
QLabel[role="figure"] { font-size: 26px; font-weight: 600; }
QLabel[role="tag"] { color: @secondary; font-size: 12px; border: 1px solid @line; border-radius: 9px;
                     padding: 1px 8px; min-height: 16px; background: transparent; }
QLabel[role="error"] { color: @error; }
QLabel[role="captionError"] { color: @error; font-size: 12px; }

QFrame[role="card"] { background: @surface; border: 1px solid @line; border-radius: 8px; }
QFrame#bubble { background: @accentGround; border: none; border-radius: 12px; }
QFrame#chip { background: @surface; border: 1px solid @line; border-radius: 8px; }
QFrame#bubble QFrame#chip { background: transparent; }
QFrame#header { background: transparent; border: none; border-bottom: 1px solid @line; }
QFrame#documentPane { background: @surface; border: none; border-left: 1px solid @line; }
QFrame#statusLine { background: @rail; border: none; border-top: 1px solid @line; }
QFrame#statusLine QLabel { font-size: 12px; }
QFrame#findBar { background: @window; border: none; border-bottom: 1px solid @line; }
QFrame#rail { background: @rail; border: none; border-right: 1px solid @line; }
QFrame#inlineError { background: @surface; border: 1px solid @error; border-radius: 8px; }

QPushButton { background: @surface; border: 1px solid @line; border-radius: 6px; padding: 6px 12px; min-height: 18px; }
QPushButton:hover { background: @window; }
QPushButton:pressed, QPushButton:checked { background: @selection; }
QPushButton:focus { border-color: @accent; }
QPushButton:disabled { color: @secondary; background: transparent; }
QPushButton[role="primary"] { background: @accent; color: @onAccent; border-color: @accent; }
QPushButton[role="primary"]:focus { border-color: @text; }
QPushButton[role="primary"]:disabled { background: @selection; color: @text; border-color: @selection; }
QPushButton[role="link"] { background: transparent; border: none; border-bottom: 1px solid @line; border-radius: 0;
                           padding: 2px 0 1px 0; font-size: 12px; color: @text; min-height: 16px; }
QPushButton[role="link"]:hover, QPushButton[role="link"]:focus { border-bottom-color: @accent; }
QPushButton[role="link"]:disabled { color: @secondary; background: transparent; border-color: transparent; }
QPushButton[role="segment"] { border-radius: 0; padding: 5px 12px; border-right-width: 0; }
QPushButton[role="segment"][edge="first"] { border-top-left-radius: 6px; border-bottom-left-radius: 6px; }
QPushButton[role="segment"][edge="last"] { border-top-right-radius: 6px; border-bottom-right-radius: 6px;
                                           border-right-width: 1px; }
QPushButton[role="segment"]:checked { background: @selection; font-weight: 500; }
QPushButton::menu-indicator { width: 0; image: none; }
QToolButton { background: transparent; border: 1px solid transparent; border-radius: 4px; padding: 2px 6px; }
QToolButton:hover { background: @selection; }
QToolButton:focus { border-color: @accent; }

QLineEdit { background: @surface; border: 1px solid @line; border-radius: 6px; padding: 6px 8px; }
QLineEdit:focus { border-color: @accent; }
QLineEdit, QTextEdit, QPlainTextEdit, QTextBrowser { selection-background-color: @accent;
                                                      selection-color: @onAccent; }
QTextEdit, QPlainTextEdit, QTextBrowser { background: transparent; border: none; }
QScrollArea, QScrollArea > QWidget > QWidget#column { background: transparent; border: none; }
QCheckBox { spacing: 8px; }

QSplitter::handle { background: transparent; width: 1px; }
QScrollBar:vertical { background: transparent; width: 12px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 12px; margin: 0; }
QScrollBar::handle { background: @other; border-radius: 3px; margin: 3px; }
QScrollBar::handle:vertical { min-height: 32px; }
QScrollBar::handle:horizontal { min-width: 32px; }
QScrollBar::handle:hover { background: @vanilla; }
QAbstractScrollArea::corner { background: transparent; border: none; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }

QTableView { background: @surface; border: none; gridline-color: @grid; selection-background-color: @selection;
             selection-color: @text; }
QTableView::item { border-bottom: 1px solid @grid; padding: 0 8px; }
QHeaderView, QHeaderView::section { background: @surface; border: none; color: @secondary; font-size: 12px; }
QHeaderView::section { border-bottom: 1px solid @line; padding: 6px 8px; }
QTableCornerButton::section { background: @surface; border: none; }
QGraphicsView { background: transparent; border: none; }
QFrame#chip QToolButton { padding: 0; min-width: 16px; min-height: 16px; }
QListView { background: @surface; border: none; outline: none; }
)";

QString styleSheetOf(const Tokens& t) {
  const std::pair<const char*, QColor> values[] = {
      {"@accentGround", t.accentGround},
      {"@selection", t.selection},
      {"@secondary", t.secondary},
      {"@onAccent", t.onAccent},
      {"@surface", t.surface},
      {"@vanilla", t.vanilla},
      {"@window", t.window},
      {"@accent", t.accent},
      {"@error", t.error},
      {"@other", t.other},
      {"@text", t.text},
      {"@line", t.line},
      {"@grid", t.grid},
      {"@rail", t.rail}};  // a name before any name that it begins with
  QString sheet = QString::fromLatin1(styleTemplate);
  for (const auto& [name, colour] : values) sheet.replace(QLatin1String(name), colour.name());
  return sheet;
}

QString firstInstalled(std::initializer_list<const char*> families) {
  const QStringList installed = QFontDatabase::families();
  for (const char* family : families)
    if (installed.contains(QLatin1String(family))) return QString::fromLatin1(family);
  return {};
}

// Fusion without the underlined letters that only matter while Alt is held.
class PlainFusion : public QProxyStyle {
 public:
  PlainFusion() : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion"))) {}
  int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                QStyleHintReturn* result) const override {
    return hint == SH_UnderlineShortcut ? 0 : QProxyStyle::styleHint(hint, option, widget, result);
  }

  // Fusion takes the box's outline from the window's colour, which nobody sees on a dark ground.
  void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override {
    if (element == PE_IndicatorCheckBox)
      drawCheckBox(*option, *painter);
    else
      QProxyStyle::drawPrimitive(element, option, painter, widget);
  }

 private:
  static void drawCheckBox(const QStyleOption& option, QPainter& painter) {
    const Tokens& t = Theme::instance().tokens();
    const bool checked = option.state & State_On;
    const bool focused = option.state & State_HasFocus;
    const QRectF box = QRectF(option.rect).adjusted(0.5, 0.5, -0.5, -0.5);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(focused ? t.text : checked ? t.accent : t.secondary);
    painter.setBrush(checked ? t.accent : t.surface);
    painter.drawRoundedRect(box, 3, 3);
    if (checked) {
      const auto at = [&](double x, double y) {
        return QPointF(box.left() + x * box.width(), box.top() + y * box.height());
      };
      painter.setPen(QPen(t.onAccent, 1.75, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
      painter.drawPolyline(QPolygonF({at(0.24, 0.52), at(0.43, 0.71), at(0.77, 0.3)}));
    }
    painter.restore();
  }
};

bool looksDark(const QPalette& palette) {
  return palette.color(QPalette::Window).lightness() < 128;
}

}  // namespace

const Tokens& lightTokens() {
  static const Tokens tokens = {"#F6F6F3", "#FFFFFF", "#ECECE8",             // window, surface, rail
                                "#1C1C1E", "#6A6A70", "#DFDFDA", "#EAEAE6",  // text, secondary, line, grid
                                "#2F6FED", "#E8F0FE", "#E3E3DE",  // accent, accent ground, selection
                                "#2F6FED", "#009E8E", "#D97706",  // prefill, tail, decode
                                "#8B8B94", "#C4C4BE", "#C5362B",  // vanilla, other, error
                                "#FFFFFF"};
  return tokens;
}

const Tokens& darkTokens() {
  static const Tokens tokens = {"#17181A", "#1F2023", "#131416",             // window, surface, rail
                                "#ECECEE", "#9B9BA3", "#313238", "#2A2B30",  // text, secondary, line, grid
                                "#7AA7FF", "#22304D", "#2A2B30",  // accent, accent ground, selection
                                "#6A9BFF", "#2CC5B3", "#F0A03C",  // prefill, tail, decode
                                "#8E8E98", "#55565C", "#FF7A6E",  // vanilla, other, error
                                "#17181A"};
  return tokens;
}

std::vector<TextPair> textPairs(const Tokens& t) {
  return {{"text on window", t.text, t.window},
          {"text on surface", t.text, t.surface},
          {"text on rail", t.text, t.rail},
          {"text on selection", t.text, t.selection},
          {"text on accent ground", t.text, t.accentGround},
          {"secondary on window", t.secondary, t.window},
          {"secondary on surface", t.secondary, t.surface},
          {"secondary on rail", t.secondary, t.rail},
          {"secondary on accent ground", t.secondary, t.accentGround},
          {"error on window", t.error, t.window},
          {"error on surface", t.error, t.surface},
          {"error on rail", t.error, t.rail},
          {"button text on accent", t.onAccent, t.accent}};
}

void setRole(QWidget* widget, Role role) {
  if (widget->property("role").toString() == QLatin1String(roleName(role))) return;
  widget->setProperty("role", roleName(role));
  if (!widget->testAttribute(Qt::WA_WState_Polished)) return;
  widget->style()->unpolish(widget);  // the style sheet looks at properties only here
  widget->style()->polish(widget);
}

Theme& Theme::instance() {
  static Theme theme;
  return theme;
}

void Theme::install(QApplication& application, ThemeChoice choice) {
  systemIsDark_ = looksDark(QApplication::palette());
  application.setStyle(new PlainFusion);
  application.setFont(bodyFont());
#if QT_VERSION >= QT_VERSION_CHECK(6, 5, 0)
  const auto follow = [this](Qt::ColorScheme scheme) {
    systemIsDark_ = scheme == Qt::ColorScheme::Dark;
    if (choice_ == ThemeChoice::system) apply();
  };
  connect(QGuiApplication::styleHints(), &QStyleHints::colorSchemeChanged, this, follow);
#endif
  choose(choice);
}

void Theme::choose(ThemeChoice choice) {
  choice_ = choice;
  apply();
}

void Theme::apply() {
  dark_ = choice_ == ThemeChoice::dark || (choice_ == ThemeChoice::system && systemIsDark_);
  QApplication::setPalette(paletteOf(tokens()));
  qApp->setStyleSheet(styleSheetOf(tokens()));
  emit changed();
}

QFont Theme::bodyFont() {
  return font(metric::bodyText);
}

QFont Theme::font(int pixels, QFont::Weight weight) {
  static const QString inter = firstInstalled({"Inter", "Inter Variable"});
  QFont font = QFontDatabase::systemFont(QFontDatabase::GeneralFont);
  if (!inter.isEmpty()) font.setFamily(inter);
  font.setPixelSize(pixels);
  font.setWeight(weight);
  return font;
}

QFont Theme::documentFont(int pixels) {
  static const QString serif =
      firstInstalled({"Source Serif 4", "Source Serif Pro", "Noto Serif", "Charis SIL", "DejaVu Serif"});
  QFont font(serif.isEmpty() ? QStringLiteral("serif") : serif);
  font.setStyleHint(QFont::Serif);
  font.setPixelSize(pixels);
  return font;
}

QFont Theme::codeFont(int pixels) {
  QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
  font.setPixelSize(pixels);
  return font;
}

}  // namespace orthros::ui
