#include "ui/phases/timeline.hpp"

#include <QFontMetrics>
#include <QHelpEvent>
#include <QLocale>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "ui/format/numbers.hpp"
#include "ui/theme/theme.hpp"

namespace orthros::ui {
namespace {

constexpr int labelWidth = 168;
constexpr int rightSpace = 16;
constexpr int legendHeight = 32;
constexpr int axisHeight = 24;
constexpr int rowPitch = 76;
constexpr int barHeight = 40;
constexpr int bracketHeight = 24;
constexpr int besideGap = 8;  // between a bar and the text right of it

// The step of 1, 2 or 5 times a power of ten that gives at most `most` intervals.
double niceStep(double range, int most) {
  const double raw = std::max(range, 1.0) / most;
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0, 10.0})
    if (power * factor >= raw) return power * factor;
  return power * 10;
}

// A time on the axis: as many decimals as its step needs.
QString axisText(double ns, double stepNs, double endNs) {
  const bool seconds = endNs >= 1e9;
  const double unit = seconds ? 1e9 : 1e6;
  const int decimals = std::max(0, -static_cast<int>(std::floor(std::log10(stepNs / unit) + 1e-9)));
  const QString number = QLocale().toString(ns / unit, 'f', decimals);
  return (seconds ? Timeline::tr("%1 s") : Timeline::tr("%1 ms")).arg(number);
}

QString resultText(const session::RunRecord& record) {
  return Timeline::tr("first token %1 · done %2")
      .arg(durationText(record.ns.firstToken), durationText(record.ns.total));
}

bool isFull(const session::RunRecord& record) {
  return record.plan.name == "vanilla";
}

QString planDetail(const session::RunRecord& record) {
  return isFull(record) ? Timeline::tr("full attention")
                        : QString::fromStdString(record.model.adapter.empty() ? record.model.name
                                                                              : record.model.adapter);
}

QString phaseText(session::RunPhase phase, const session::RunRecord& record) {
  switch (phase) {
    case session::RunPhase::prefill:
      return isFull(record) ? Timeline::tr("prefill, full rows") : Timeline::tr("prefill, window rows");
    case session::RunPhase::tail:
      return Timeline::tr("tail, full rows");
    case session::RunPhase::decode:
      return Timeline::tr("decode");
  }
  return {};
}

}  // namespace

QColor phaseColour(session::RunPhase phase, const session::RunRecord& record) {
  const Tokens& tokens = Theme::instance().tokens();
  switch (phase) {
    case session::RunPhase::prefill:
      return isFull(record) ? tokens.vanilla : tokens.prefill;
    case session::RunPhase::tail:
      return isFull(record) ? tokens.vanilla : tokens.tail;
    case session::RunPhase::decode:
      return tokens.decode;
  }
  return tokens.other;
}

Timeline::Timeline(QWidget* parent) : QWidget(parent) {
  setAccessibleName(tr("Timeline of the run, one block per batch"));
  setMouseTracking(true);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void Timeline::setRuns(const RunPair& runs) {
  runs_ = runs;
  fitAxis();
  updateGeometry();
  update();
}

// The axis ends at a whole step; a few steps later where that makes room for the text beside the longest bar.
void Timeline::fitAxis() {
  constexpr double widestSpare = 1.35;
  double longest = 1;
  int textWidth = 0;
  const QFontMetrics metrics(Theme::font(metric::captionText));
  for (const RunRecordPtr& record : {runs_.main, runs_.baseline}) {
    if (!record) continue;
    longest = std::max(longest, static_cast<double>(record->ns.total));
    textWidth = std::max(textWidth, metrics.horizontalAdvance(resultText(*record)));
  }
  stepNs_ = niceStep(longest, 8);
  const double least = stepNs_ * std::ceil(longest / stepNs_);
  for (endNs_ = least; endNs_ <= widestSpare * least; endNs_ += stepNs_)
    if (hasRoomBeside(xOf(longest), textWidth)) return;
  endNs_ = least;
}

// Whether a text of this width fits right of a bar that ends at x.
bool Timeline::hasRoomBeside(double x, int textWidth) const {
  return x + besideGap + textWidth + 4 <= width();
}

void Timeline::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fitAxis();
}

QSize Timeline::sizeHint() const {
  return {800, legendHeight + axisHeight + 2 * rowPitch + bracketHeight};
}
QSize Timeline::minimumSizeHint() const {
  return {480, sizeHint().height()};
}

QRectF Timeline::plot() const {
  return QRectF(labelWidth, legendHeight + axisHeight, std::max(1, width() - labelWidth - rightSpace),
                height() - legendHeight - axisHeight);
}

double Timeline::xOf(double ns) const {
  return plot().left() + plot().width() * ns / endNs_;
}

QRectF Timeline::rowRect(int row) const {
  const QRectF area = plot();
  return QRectF(area.left(), area.top() + 12 + row * rowPitch, area.width(), barHeight);
}

void Timeline::paintEvent(QPaintEvent*) {
  if (!runs_.main) return;
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setFont(Theme::font(metric::captionText));
  paintLegend(painter);
  paintAxis(painter);
  paintRow(painter, 0, *runs_.main);
  if (runs_.baseline)
    paintRow(painter, 1, *runs_.baseline);
  else
    paintUnmeasured(painter);
  paintBracket(painter);
  painter.setFont(Theme::font(metric::captionText));
  paintRowResult(painter, 0, *runs_.main);
  if (runs_.baseline) paintRowResult(painter, 1, *runs_.baseline);
}

void Timeline::paintLegend(QPainter& painter) const {
  const Tokens& tokens = Theme::instance().tokens();
  const std::pair<QColor, QString> entries[] = {{tokens.other, tr("tokenise, sample")},
                                                {tokens.prefill, tr("prefill, window rows")},
                                                {tokens.tail, tr("tail, full rows")},
                                                {tokens.vanilla, tr("prefill, full rows")},
                                                {tokens.decode, tr("decode")}};
  double x = 0;
  for (const auto& [colour, name] : entries) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    painter.drawEllipse(QPointF(x + 4, 8), 4, 4);
    painter.setPen(tokens.secondary);
    painter.drawText(QPointF(x + 14, 12), name);
    x += 14 + painter.fontMetrics().horizontalAdvance(name) + 16;
  }
}

void Timeline::paintAxis(QPainter& painter) const {
  const Tokens& tokens = Theme::instance().tokens();
  const QRectF area = plot();
  for (int tick = 0; tick * stepNs_ <= endNs_ * 1.0001; ++tick) {
    const double x = std::round(xOf(tick * stepNs_)) + 0.5;
    painter.setPen(tokens.grid);
    painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom() - bracketHeight));
    painter.setPen(tokens.secondary);
    const QString label = axisText(tick * stepNs_, stepNs_, endNs_);
    painter.drawText(QRectF(x - 40, area.top() - axisHeight, 80, 16), Qt::AlignHCenter | Qt::AlignVCenter,
                     label);
  }
}

void Timeline::paintRow(QPainter& painter, int row, const session::RunRecord& record) const {
  const QRectF bar = rowRect(row);
  const double totalRight = xOf(static_cast<double>(record.ns.total));
  painter.fillRect(QRectF(bar.left(), bar.top(), totalRight - bar.left(), bar.height()),
                   Theme::instance().tokens().other);
  for (const session::BatchEvent& batch : record.batches) {
    const double left = xOf(static_cast<double>(batch.beginNs));
    const double right = xOf(static_cast<double>(batch.endNs));
    const double gap = right - left >= 4 ? 1 : 0;  // blocks that are wide enough stand apart
    painter.fillRect(QRectF(left, bar.top(), std::max(right - left - gap, 0.5), bar.height()),
                     phaseColour(batch.phase, record));
  }
  paintRowLabel(painter, row, planTitle(record), planDetail(record));
}

void Timeline::paintRowLabel(QPainter& painter, int row, const QString& title, const QString& detail) const {
  const Tokens& tokens = Theme::instance().tokens();
  const double top = rowRect(row).top();
  painter.setFont(Theme::font(metric::bodyText, QFont::Medium));
  painter.setPen(tokens.text);
  painter.drawText(QRectF(0, top + 1, labelWidth - 16, 20), Qt::AlignLeft | Qt::AlignVCenter, title);
  painter.setFont(Theme::font(metric::captionText));
  painter.setPen(tokens.secondary);
  const QString fitting = painter.fontMetrics().elidedText(detail, Qt::ElideMiddle, labelWidth - 16);
  painter.drawText(QRectF(0, top + 21, labelWidth - 16, 18), Qt::AlignLeft | Qt::AlignVCenter, fitting);
}

// Right of the bar where there is room, else above its right end.
void Timeline::paintRowResult(QPainter& painter, int row, const session::RunRecord& record) const {
  const QRectF bar = rowRect(row);
  const QString text = resultText(record);
  const int width = painter.fontMetrics().horizontalAdvance(text);
  const double right = xOf(static_cast<double>(record.ns.total));
  const Tokens& tokens = Theme::instance().tokens();
  const bool beside = hasRoomBeside(right, width);
  const QRectF box = beside ? QRectF(right + besideGap, bar.center().y() - 9, width + 4, 18)
                            : QRectF(right - width - 4, bar.top() - 21, width + 4, 18);
  painter.fillRect(box, tokens.surface);  // the dashed lines pass behind
  painter.setPen(tokens.text);
  painter.drawText(box, Qt::AlignVCenter | (beside ? Qt::AlignLeft : Qt::AlignRight), text);
}

void Timeline::paintUnmeasured(QPainter& painter) const {
  paintRowLabel(painter, 1, tr("Vanilla"), tr("full attention"));
  painter.setPen(Theme::instance().tokens().secondary);
  const QString text = tr("not measured yet for this question");
  const QRectF box(rowRect(1).left() + 8, rowRect(1).center().y() - 9,
                   painter.fontMetrics().horizontalAdvance(text) + 8, 18);
  painter.fillRect(box, Theme::instance().tokens().surface);
  painter.drawText(box, Qt::AlignVCenter | Qt::AlignLeft, text);
}

void Timeline::paintBracket(QPainter& painter) const {
  if (!runs_.baseline || !runs_.sooner()) return;
  const Tokens& tokens = Theme::instance().tokens();
  const double first = xOf(static_cast<double>(runs_.main->ns.firstToken));
  const double second = xOf(static_cast<double>(runs_.baseline->ns.firstToken));
  const double y = rowRect(1).bottom() + 16;
  painter.setPen(QPen(tokens.text, 1, Qt::DashLine));
  painter.drawLine(QPointF(first, rowRect(0).bottom()), QPointF(first, y));
  painter.drawLine(QPointF(second, rowRect(1).top()), QPointF(second, y));
  painter.setPen(QPen(tokens.vanilla, 2));
  painter.drawLine(QPointF(first, y), QPointF(second, y));
  const double factor = *runs_.sooner();
  const QString text =
      factor >= 1 ? tr("%1 sooner").arg(factorText(factor)) : tr("%1 later").arg(factorText(1 / factor));
  painter.setFont(Theme::font(13, QFont::DemiBold));
  painter.setPen(tokens.text);
  const double width = painter.fontMetrics().horizontalAdvance(text) + 8;
  const double left = std::clamp((first + second - width) / 2, 0.0, this->width() - width);
  painter.drawText(QRectF(left, y + 4, width, 20), Qt::AlignCenter, text);
}

QString Timeline::tipAt(const QPointF& position) const {
  const RunRecordPtr records[] = {runs_.main, runs_.baseline};
  for (int row = 0; row < 2; ++row) {
    if (!records[row] || !rowRect(row).contains(position)) continue;
    const double ns = (position.x() - plot().left()) / plot().width() * endNs_;
    for (const session::BatchEvent& batch : records[row]->batches) {
      if (ns < static_cast<double>(batch.beginNs) || ns >= static_cast<double>(batch.endNs)) continue;
      const uint64_t took = batch.endNs - batch.beginNs;
      return tr("%1\n%2 from row %3, %4, %5")
          .arg(phaseText(batch.phase, *records[row]), tokensText(batch.rows), countText(batch.firstRow),
               durationText(took), rateText(took == 0 ? 0 : 1e9 * batch.rows / static_cast<double>(took)));
    }
  }
  return {};
}

bool Timeline::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const QString tip = tipAt(help->pos());
  if (tip.isEmpty())
    QToolTip::hideText();
  else
    QToolTip::showText(help->globalPos(), tip, this);
  return true;
}

}  // namespace orthros::ui
