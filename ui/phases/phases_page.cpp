#include "ui/phases/phases_page.hpp"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QScrollArea>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>

#include "ui/format/numbers.hpp"
#include "ui/phases/key_figures.hpp"
#include "ui/phases/phase_bars.hpp"
#include "ui/phases/tables.hpp"
#include "ui/phases/timeline.hpp"
#include "ui/widgets/elided_label.hpp"
#include "ui/widgets/labels.hpp"

namespace orthros::ui {
namespace {

constexpr int roomyWidth = 1000;  // from which bars and key figures stand beside each other

QFrame* makeCard(QWidget* parent) {
  auto* card = new QFrame(parent);
  setRole(card, Role::card);
  auto* column = new QVBoxLayout(card);
  column->setContentsMargins(metric::cardPadding, metric::cardPadding, metric::cardPadding,
                             metric::cardPadding);
  column->setSpacing(8);
  return card;
}

QPushButton* makeSegment(const QString& text, const char* edge, QWidget* parent) {
  auto* button = makeButton(text, Role::segment, parent);
  button->setProperty("edge", edge);
  button->setCheckable(true);
  return button;
}

QScrollArea* makeScrolling(QWidget* content, QWidget* parent) {
  auto* area = new QScrollArea(parent);
  area->setFrameShape(QFrame::NoFrame);
  area->setWidgetResizable(true);
  area->setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);
  area->viewport()->setAutoFillBackground(false);
  content->setAutoFillBackground(false);
  area->setWidget(content);
  return area;
}

}  // namespace

PhasesPage::PhasesPage(QWidget* parent) : QWidget(parent) {
  setFocusPolicy(Qt::ClickFocus);
  setAccessibleName(tr("Phases"));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(metric::pageMargin, 16, metric::pageMargin, metric::pageMargin);
  column->setSpacing(12);
  column->addWidget(makeHeader());
  stack_ = new QStackedWidget(this);
  column->addWidget(stack_, 1);
  empty_ = makeEmptyState();
  stack_->addWidget(empty_);
  chart_ = makeChart();
  stack_->addWidget(makeScrolling(chart_, stack_));
  operations_ = makeOperations();
  stack_->addWidget(operations_);
  figuresModel_ = new TextTableModel(this);
  auto* card = makeCard(stack_);
  figuresTable_ = makeTable(figuresModel_, tr("All figures of both runs"), card);
  card->layout()->addWidget(figuresTable_);
  stack_->addWidget(card);
  connect(&Theme::instance(), &Theme::changed, this, &PhasesPage::showRuns);
  showRuns();
}

QWidget* PhasesPage::makeHeader() {
  auto* header = new QWidget(this);
  auto* row = new QHBoxLayout(header);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(12);
  row->addWidget(makeLabel(tr("Phases"), Role::title, header));
  subtitle_ = new ElidedLabel(header);
  setRole(subtitle_, Role::secondary);
  row->addWidget(subtitle_, 1);
  tools_ = new QWidget(header);
  auto* tools = new QHBoxLayout(tools_);
  tools->setContentsMargins(0, 0, 0, 0);
  tools->setSpacing(0);
  phasesPart_ = makeSegment(tr("Phases"), "first", tools_);
  operationsPart_ = makeSegment(tr("Operations"), "middle", tools_);
  tablePart_ = makeSegment(tr("Table"), "last", tools_);
  tablePart_->setToolTip(tr("Show every figure as a table"));
  phasesPart_->setChecked(true);
  auto* parts = new QButtonGroup(this);
  export_ = makeButton(tr("Export"), Role::plain, tools_);
  for (QPushButton* part : {phasesPart_, operationsPart_, tablePart_}) {
    parts->addButton(part);
    tools->addWidget(part);
  }
  tools->addSpacing(12);
  tools->addWidget(export_);
  row->addWidget(tools_);
  connect(parts, &QButtonGroup::buttonClicked, this, &PhasesPage::showPart);
  return header;
}

QWidget* PhasesPage::makeEmptyState() {
  auto* page = new QWidget(this);
  auto* column = new QVBoxLayout(page);
  auto* title = makeLabel(tr("Nothing was measured yet"), Role::title, page);
  auto* text =
      makeLabel(tr("Ask a question in the chat. Its prefill and decode appear here, beside the same prompt "
                   "under full attention."),
                Role::secondary, page);
  text->setWordWrap(true);
  text->setMaximumWidth(440);
  text->setMinimumWidth(360);
  text->setAlignment(Qt::AlignHCenter);
  auto* chat = makeButton(tr("Go to the chat"), Role::primary, page);
  column->setSpacing(12);
  column->addStretch(2);
  column->addWidget(title, 0, Qt::AlignHCenter);
  column->addWidget(text, 0, Qt::AlignHCenter);
  column->addWidget(chat, 0, Qt::AlignHCenter);
  column->addStretch(3);
  connect(chat, &QPushButton::clicked, this, &PhasesPage::chatRequested);
  return page;
}

QWidget* PhasesPage::makeChart() {
  auto* chart = new QWidget(this);
  chart->setObjectName(QStringLiteral("column"));
  auto* column = new QVBoxLayout(chart);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(metric::gap);
  auto* card = makeCard(chart);
  timeline_ = new Timeline(card);
  card->layout()->addWidget(timeline_);
  column->addWidget(card);
  lowerCards_ = new QBoxLayout(QBoxLayout::LeftToRight);
  lowerCards_->setSpacing(metric::gap);
  lowerCards_->addWidget(makeBars(chart), 3);
  keyFigures_ = new KeyFigures(chart);
  connect(keyFigures_, &KeyFigures::compareRequested, this, &PhasesPage::compareRequested);
  lowerCards_->addWidget(keyFigures_, 2);
  column->addLayout(lowerCards_, 1);
  return chart;
}

QWidget* PhasesPage::makeBars(QWidget* parent) {
  auto* card = makeCard(parent);
  auto* row = new QHBoxLayout;
  row->setSpacing(metric::gap);
  const auto addChart = [&](const QString& title, BarQuantity quantity) {
    auto* column = new QVBoxLayout;
    column->setSpacing(8);
    column->addWidget(makeLabel(title, Role::heading, card));
    auto* bars = new PhaseBars(quantity, card);
    column->addWidget(bars, 1);
    row->addLayout(column, 1);
    return bars;
  };
  timeBars_ = addChart(tr("Time"), BarQuantity::time);
  rateBars_ = addChart(tr("Tokens per second"), BarQuantity::rate);
  auto* column = static_cast<QVBoxLayout*>(card->layout());
  column->addLayout(row, 1);
  column->addWidget(
      makeLabel(tr("Filled bars are measured, dashed outlines are what the cost model predicted."),
                Role::caption, card));
  return card;
}

QWidget* PhasesPage::makeOperations() {
  auto* card = makeCard(this);
  operationsModel_ = new TextTableModel(this);
  operationsNote_ = makeLabel({}, Role::secondary, card);
  operationsNote_->setWordWrap(true);
  card->layout()->addWidget(makeLabel(tr("Where prefill goes"), Role::heading, card));
  card->layout()->addWidget(operationsNote_);
  card->layout()->addWidget(makeTable(operationsModel_, tr("Operations of the prompt"), card));
  return card;
}

void PhasesPage::resizeEvent(QResizeEvent* event) {
  lowerCards_->setDirection(width() >= roomyWidth ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
  QWidget::resizeEvent(event);
}

void PhasesPage::setRuns(const RunPair& runs) {
  runs_ = runs;
  showRuns();
}

void PhasesPage::setCanCompare(bool can) {
  keyFigures_->setCanCompare(can && !runs_.baseline);
}

void PhasesPage::showRuns() {
  const bool any = runs_.main != nullptr;
  tools_->setVisible(any);
  subtitle_->setVisible(any);
  if (any) {
    const QString length =
        tr("%1, answer of %2")
            .arg(tokensText(runs_.main->lengths.prompt), tokensText(runs_.main->lengths.generated));
    subtitle_->setText(runs_.documents.isEmpty() ? length : runs_.documents + QStringLiteral(", ") + length);
    timeline_->setRuns(runs_);
    timeBars_->setRuns(runs_);
    rateBars_->setRuns(runs_);
    keyFigures_->setRuns(runs_);
    fillFigures(*figuresModel_, runs_);
    fillOperations(*operationsModel_, *runs_.main);
    operationsNote_->setText(
        operationsModel_->rowCount() > 0
            ? tr("Device time by the driver's own timestamps, prefill and tail together.")
            : tr("This run was not traced: the device gave no timestamps."));
  }
  showPart();
}

void PhasesPage::showPart() {
  enum Part { emptyPart, chartPart, operationsPart, tablePart };
  int part = chartPart;
  if (!runs_.main)
    part = emptyPart;
  else if (tablePart_->isChecked())
    part = tablePart;
  else if (operationsPart_->isChecked())
    part = operationsPart;
  stack_->setCurrentIndex(part);
  emit tableVisibilityChanged(tableVisible());
}

void PhasesPage::setTableVisible(bool visible) {
  (visible ? tablePart_ : phasesPart_)->setChecked(true);
  showPart();
}

void PhasesPage::setOperationsVisible() {
  operationsPart_->setChecked(true);
  showPart();
}

bool PhasesPage::tableVisible() const {
  return tablePart_->isChecked();
}

void PhasesPage::setExportActions(const QList<QAction*>& actions) {
  auto* menu = new QMenu(export_);
  menu->addActions(actions);
  export_->setMenu(menu);
}

}  // namespace orthros::ui
