#include "ui/widgets/tabular_delegate.hpp"

#include <QApplication>
#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>

#include "ui/theme/theme.hpp"

namespace orthros::ui {
namespace {

constexpr int padding = 8;

double digitWidth(const QFontMetricsF& metrics) {
  double widest = 0;
  for (char digit = '0'; digit <= '9'; ++digit)
    widest = std::max(widest, metrics.horizontalAdvance(QLatin1Char(digit)));
  return widest;
}

// Draws right-aligned; each digit is centred in a cell of the widest digit's width.
void drawTabular(QPainter& painter, const QRectF& rect, const QString& text) {
  const QFontMetricsF metrics(painter.font());
  const double cell = digitWidth(metrics);
  const double baseline = rect.center().y() + (metrics.ascent() - metrics.descent()) / 2;
  double right = rect.right();
  for (auto character = text.crbegin(); character != text.crend(); ++character) {
    const double advance = metrics.horizontalAdvance(*character);
    const double width = character->isDigit() ? cell : advance;
    painter.drawText(QPointF(right - (width + advance) / 2, baseline), QString(*character));
    right -= width;
  }
}

}  // namespace

void TabularDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                            const QModelIndex& index) const {
  QStyleOptionViewItem cell = option;
  initStyleOption(&cell, index);
  const QString text = cell.text;
  cell.text.clear();
  cell.state &= ~QStyle::State_HasFocus;
  const QStyle* style = cell.widget ? cell.widget->style() : QApplication::style();
  style->drawControl(QStyle::CE_ItemViewItem, &cell, painter, cell.widget);
  painter->save();
  painter->setPen(Theme::instance().tokens().text);
  painter->setFont(cell.font);
  const QRectF inner = QRectF(cell.rect).adjusted(padding, 0, -padding, 0);
  if (cell.displayAlignment & Qt::AlignRight)
    drawTabular(*painter, inner, text);
  else
    painter->drawText(inner, cell.displayAlignment, text);
  painter->restore();
}

}  // namespace orthros::ui
