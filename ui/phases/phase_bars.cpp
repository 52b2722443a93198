#include "ui/phases/phase_bars.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <QBarCategoryAxis>
#include <QBarSet>
#include <QChart>
#include <QPainter>
#include <QStackedBarSeries>
#include <QValueAxis>

#include "ui/format/numbers.hpp"
#include "ui/phases/timeline.hpp"
#include "ui/theme/theme.hpp"

namespace orthros::ui {
namespace {

using session::RunPhase;

constexpr std::array phases = {RunPhase::prefill, RunPhase::tail, RunPhase::decode};
constexpr int slotsPerGroup = 3;  // the run, full attention, a gap
constexpr int slotCount = slotsPerGroup * static_cast<int>(phases.size()) - 1;
constexpr double barWidth = 0.84;  // of a slot
constexpr int notesHeight = 40;    // below the bars

int slotOf(size_t bar) { return static_cast<int>(bar / 2) * slotsPerGroup + static_cast<int>(bar % 2); }

QString phaseName(RunPhase phase) {
  switch (phase) {
    case RunPhase::prefill: return PhaseBars::tr("prefill");
    case RunPhase::tail: return PhaseBars::tr("tail");
    case RunPhase::decode: return PhaseBars::tr("decode");
  }
  return {};
}

}  // namespace

PhaseBars::PhaseBars(BarQuantity quantity, QWidget* parent) : QChartView(new QChart, parent), quantity_(quantity) {
  setFrameShape(QFrame::NoFrame);
  setRenderHint(QPainter::Antialiasing);
  setBackgroundBrush(Qt::NoBrush);
  setMinimumSize(240, 176);
  setFocusPolicy(Qt::NoFocus);
  setAccessibleName(quantity == BarQuantity::time ? tr("Time per phase") : tr("Tokens per second per phase"));
  chart()->setBackgroundVisible(false);
  chart()->setMargins(QMargins(0, 0, 0, notesHeight));
  chart()->layout()->setContentsMargins(0, 0, 0, 0);
  chart()->legend()->hide();
  chart()->setLocalizeNumbers(true);
}

void PhaseBars::setRuns(const RunPair& runs) {
  collect(runs);
  rebuildChart();
}

void PhaseBars::collect(const RunPair& runs) {
  bars_.clear();
  for (const RunPhase phase : phases) {
    addBar(phase, runs.main);
    addBar(phase, runs.baseline);
  }
}

void PhaseBars::addBar(RunPhase phase, const RunRecordPtr& record) {
  BarValue bar;
  if (record) {
    const session::PhaseTotals& totals = record->totals(phase);
    const bool time = quantity_ == BarQuantity::time;
    bar.colour = phaseColour(phase, *record);
    bar.plan = QString::fromStdString(record->plan.name);
    bar.measured = time ? static_cast<double>(totals.wallNs) * 1e-9 : totals.tokensPerSecond();
    bar.predicted = time ? static_cast<double>(predictedNs(*record, phase)) * 1e-9 : predictedRate(*record, phase);
    if (totals.rows > 0) bar.text = time ? durationText(totals.wallNs) : rateNumberText(bar.measured);
  }
  bars_.push_back(std::move(bar));
}

// A bar set has one colour, so there is one set per bar; each is zero outside its own slot.
void PhaseBars::rebuildChart() {
  chart()->removeAllSeries();
  for (QAbstractAxis* axis : chart()->axes()) {
    chart()->removeAxis(axis);
    delete axis;
  }
  series_ = new QStackedBarSeries;
  series_->setBarWidth(barWidth);
  double highest = 0;
  for (size_t index = 0; index < bars_.size(); ++index) {
    auto* set = new QBarSet(QString());
    for (int slot = 0; slot < slotCount; ++slot) set->append(slot == slotOf(index) ? bars_[index].measured : 0.0);
    set->setBrush(bars_[index].colour);
    set->setPen(Qt::NoPen);
    series_->append(set);
    highest = std::max({highest, bars_[index].measured, bars_[index].predicted});
  }
  chart()->addSeries(series_);
  const Tokens& tokens = Theme::instance().tokens();
  auto* across = new QBarCategoryAxis;
  for (int slot = 0; slot < slotCount; ++slot) across->append(QString::number(slot));
  across->setLabelsVisible(false);
  across->setGridLineVisible(false);
  across->setLinePen(tokens.line);
  auto* up = new QValueAxis;
  up->setRange(0, highest > 0 ? highest * 1.15 : 1);
  up->setTickCount(4);
  up->applyNiceNumbers();
  up->setLabelFormat(quantity_ == BarQuantity::time ? QStringLiteral("%g s") : QStringLiteral("%g"));
  up->setLabelsColor(tokens.secondary);
  up->setLabelsFont(Theme::font(metric::captionText));
  up->setGridLinePen(tokens.grid);
  up->setLinePen(Qt::NoPen);
  chart()->addAxis(across, Qt::AlignBottom);
  chart()->addAxis(up, Qt::AlignLeft);
  series_->attachAxis(across);
  series_->attachAxis(up);
  viewport()->update();
}

double PhaseBars::groupWidth() const {
  return chart()->mapToPosition(QPointF(1, 0), series_).x() - chart()->mapToPosition(QPointF(0, 0), series_).x();
}

QRectF PhaseBars::barRect(size_t index, double value) const {
  const QPointF top = chart()->mapToScene(chart()->mapToPosition(QPointF(slotOf(index), value), series_));
  const QPointF foot = chart()->mapToScene(chart()->mapToPosition(QPointF(slotOf(index), 0), series_));
  const double width = groupWidth() * barWidth;
  return QRectF(top.x() - width / 2, top.y(), width, foot.y() - top.y());
}

void PhaseBars::drawForeground(QPainter* painter, const QRectF&) {
  if (!series_ || bars_.empty()) return;
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  painter->setFont(Theme::font(metric::captionText));
  for (size_t index = 0; index < bars_.size(); ++index) drawBarNotes(*painter, index);
  for (size_t group = 0; group < phases.size(); ++group) drawGroupName(*painter, group);
  painter->restore();
}

void PhaseBars::drawBarNotes(QPainter& painter, size_t index) const {
  const Tokens& tokens = Theme::instance().tokens();
  const BarValue& bar = bars_[index];
  if (bar.predicted > 0) {
    painter.setPen(QPen(tokens.text, 1.5, Qt::DashLine));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(barRect(index, bar.predicted).adjusted(-2, 0, 2, 0));
  }
  const QRectF rect = barRect(index, std::max(bar.measured, bar.predicted));
  painter.setPen(tokens.text);
  painter.drawText(QRectF(rect.center().x() - 48, rect.top() - 18, 96, 16), Qt::AlignCenter, bar.text);
  painter.setPen(tokens.secondary);
  painter.drawText(QRectF(rect.center().x() - 48, rect.bottom() + 4, 96, 16), Qt::AlignCenter,
                   painter.fontMetrics().elidedText(bar.plan, Qt::ElideRight, static_cast<int>(groupWidth()) + 4));
}

void PhaseBars::drawGroupName(QPainter& painter, size_t group) const {
  const QRectF first = barRect(2 * group, 0), second = barRect(2 * group + 1, 0);
  const double centre = (first.center().x() + second.center().x()) / 2;
  painter.setPen(Theme::instance().tokens().text);
  painter.setFont(Theme::font(metric::captionText, QFont::Medium));
  painter.drawText(QRectF(centre - 60, first.bottom() + 20, 120, 16), Qt::AlignCenter, phaseName(phases[group]));
  painter.setFont(Theme::font(metric::captionText));
}

void PhaseBars::resizeEvent(QResizeEvent* event) {
  QChartView::resizeEvent(event);
  viewport()->update();
}

}  // namespace orthros::ui
