#include "ui/phases/key_figures.hpp"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/format/numbers.hpp"
#include "ui/widgets/labels.hpp"

namespace orthros::ui {
namespace {

// Why decode is as fast as it is. Every token reads all weights once, so other weights give another speed.
QString decodeNote(const RunPair& runs) {
  const auto main = static_cast<double>(runs.main->bytes.weights);
  const auto baseline = static_cast<double>(runs.baseline->bytes.weights);
  const bool sameWeights =
      main == 0 || baseline == 0 || std::max(main, baseline) <= 1.1 * std::min(main, baseline);
  if (sameWeights)
    return KeyFigures::tr(
        "Decode reads every key under both plans. What the window saves is the reading of the document.");
  return KeyFigures::
      tr("Decode reads every key and all weights for each token: %1 of weights here, %2 under vanilla. What "
         "the window saves is the reading of the document.")
          .arg(bytesText(runs.main->bytes.weights), bytesText(runs.baseline->bytes.weights));
}

}  // namespace

KeyFigures::KeyFigures(QWidget* parent) : QFrame(parent) {
  setRole(this, Role::card);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(metric::cardPadding, metric::cardPadding, metric::cardPadding,
                             metric::cardPadding);
  column->setSpacing(12);
  auto* head = new QHBoxLayout;
  head->addWidget(makeLabel(tr("First token and decode"), Role::heading, this));
  head->addStretch(1);
  head->addWidget(makeTag(tr("measured"), this));
  column->addLayout(head);
  auto* grid = new QGridLayout;
  grid->setHorizontalSpacing(24);
  grid->setVerticalSpacing(12);
  firstToken_ = addEntry(grid, 0, 0);
  sooner_ = addEntry(grid, 0, 1);
  decode_ = addEntry(grid, 1, 0);
  against_ = addEntry(grid, 1, 1);
  column->addLayout(grid);
  note_ = makeLabel({}, Role::secondary, this);
  note_->setWordWrap(true);
  column->addWidget(note_);
  compare_ = makeButton(tr("Compare with vanilla"), Role::plain, this);
  column->addWidget(compare_, 0, Qt::AlignLeft);
  column->addStretch(1);
  connect(compare_, &QPushButton::clicked, this, &KeyFigures::compareRequested);
}

KeyFigures::Entry KeyFigures::addEntry(QGridLayout* grid, int row, int column) {
  auto* cell = new QVBoxLayout;
  cell->setSpacing(0);
  Entry entry{makeLabel({}, Role::figure, this), makeLabel({}, Role::caption, this)};
  cell->addWidget(entry.number);
  cell->addWidget(entry.caption);
  grid->addLayout(cell, row, column);
  grid->setColumnStretch(column, 1);
  return entry;
}

void KeyFigures::setRuns(const RunPair& runs) {
  if (!runs.main) return;
  firstToken_.number->setText(durationText(runs.main->ns.firstToken));
  firstToken_.caption->setText(
      runs.baseline ? tr("first token, against %1").arg(durationText(runs.baseline->ns.firstToken))
                    : tr("first token"));
  const auto sooner = runs.sooner();
  sooner_.number->setText(!sooner ? QStringLiteral("–") : factorText(*sooner >= 1 ? *sooner : 1 / *sooner));
  sooner_.caption->setText(!sooner || *sooner >= 1 ? tr("sooner than vanilla") : tr("later than vanilla"));
  showDecode(runs);
  if (!runs.baseline)
    note_->setText(tr("Vanilla was not measured for this question yet."));
  else if (!sooner)
    note_->setText(
        tr("%1 read %2 and vanilla %3, because their caches held different parts of the prompt: the times "
           "cannot be set against each other.")
            .arg(planTitle(*runs.main), tokensText(rowsRead(*runs.main)),
                 tokensText(rowsRead(*runs.baseline))));
  else
    note_->setText(decodeNote(runs));
}

void KeyFigures::showDecode(const RunPair& runs) {
  const double rate = runs.main->decode.tokensPerSecond();
  const double baseline = runs.baseline ? runs.baseline->decode.tokensPerSecond() : 0;
  decode_.number->setText(rateNumberText(rate));
  decode_.caption->setText(tr("decode tokens/s after %1").arg(tokensText(runs.main->lengths.prompt)));
  against_.number->setText(rate > 0 && baseline > 0 ? factorText(rate / baseline) : QStringLiteral("–"));
  against_.caption->setText(tr("decode against vanilla"));
}

void KeyFigures::setCanCompare(bool can) {
  compare_->setVisible(can);
}

QString KeyFigures::firstTokenText() const {
  return firstToken_.number->text() + QLatin1Char('|') + firstToken_.caption->text();
}
QString KeyFigures::soonerText() const {
  return sooner_.number->text();
}

}  // namespace orthros::ui
