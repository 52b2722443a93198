#include "ui/chat/answer_panel.hpp"

#include <QClipboard>
#include <QGuiApplication>
#include <QLabel>
#include <QPushButton>
#include <QTextDocumentFragment>
#include <QVBoxLayout>

#include "ui/chat/answer_view.hpp"
#include "ui/chat/chat_session.hpp"
#include "ui/format/numbers.hpp"
#include "ui/widgets/bar.hpp"
#include "ui/widgets/flow_layout.hpp"
#include "ui/widgets/labels.hpp"

namespace orthros::ui {
namespace {

QColor prefillColour() {
  return Theme::instance().tokens().prefill;
}
QColor tailColour() {
  return Theme::instance().tokens().tail;
}
QColor vanillaColour() {
  return Theme::instance().tokens().vanilla;
}

Bar::PickColour colourOf(Side side, session::RunPhase phase) {
  if (side == Side::vanilla) return vanillaColour;
  return phase == session::RunPhase::tail ? tailColour : prefillColour;
}

bool isFullAttention(const session::RunRecord& record) {
  return record.plan.name == "vanilla";
}

QString readText(const session::RunRecord& record) {
  const uint64_t read = record.prefill.rows + record.tail.rows;
  const uint64_t ns = record.prefill.wallNs + record.tail.wallNs;
  QString text = AnswerPanel::tr("prefill %1 for %2").arg(strong(durationText(ns)), tokensText(read));
  if (record.lengths.reused > 0)
    text += AnswerPanel::tr(", reused %1").arg(tokensText(record.lengths.reused));
  return text;
}

QString rowsText(const session::RunRecord& record) {
  const QString kind = isFullAttention(record) ? AnswerPanel::tr("full") : AnswerPanel::tr("window");
  return AnswerPanel::tr("rows: %1 %2, %3 tail, %4 answer")
      .arg(countText(record.prefill.rows), kind, countText(record.tail.rows), countText(record.decode.rows));
}

QString finishText(const std::string& finish) {
  if (finish == "cancelled") return AnswerPanel::tr("stopped");
  if (finish == "length") return AnswerPanel::tr("ended at the longest answer");
  if (finish == "context") return AnswerPanel::tr("ended: the context is full");
  return {};
}

}  // namespace

QString figuresText(const session::RunRecord& record) {
  const Tokens& tokens = Theme::instance().tokens();
  const QColor prefill = isFullAttention(record) ? tokens.vanilla : tokens.prefill;
  const uint64_t readNs = record.prefill.wallNs + record.tail.wallNs;
  const double readRate = readNs == 0 ? 0
                                      : 1e9 * static_cast<double>(record.prefill.rows + record.tail.rows) /
                                            static_cast<double>(readNs);
  QStringList parts;
  parts << AnswerPanel::tr("first token after %1").arg(strong(durationText(record.ns.firstToken)));
  parts << dot(prefill) + QLatin1Char(' ') + readText(record) +
               AnswerPanel::tr(" at %1").arg(strong(rateText(readRate)));
  parts << dot(tokens.decode) + QLatin1Char(' ') +
               AnswerPanel::tr("decode %1").arg(strong(rateText(record.decode.tokensPerSecond())));
  parts << rowsText(record);
  const QString finish = finishText(record.finish);
  if (!finish.isEmpty()) parts << finish;
  for (QString& part : parts)
    part.replace(QLatin1Char(' '), QChar::Nbsp)
        .replace(QLatin1String("<span\u00A0"), QLatin1String("<span "));
  return parts.join(QStringLiteral(" &nbsp; "));
}

AnswerPanel::AnswerPanel(Side side, QWidget* parent) : QWidget(parent), side_(side) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(8);
  if (side_ == Side::vanilla)
    column->addWidget(makeLabel(tr("Vanilla: full attention, without the adapter"), Role::heading, this));
  column->addWidget(makeReadingRow());
  view_ = new AnswerView(this);
  view_->hide();
  column->addWidget(view_);
  error_ = makeLabel({}, Role::error, this);
  error_->setWordWrap(true);
  error_->setTextFormat(Qt::PlainText);
  error_->hide();
  column->addWidget(error_);
  figures_ = makeLabel({}, Role::caption, this);
  figures_->setObjectName(QStringLiteral("figures"));
  figures_->setWordWrap(true);
  figures_->setTextFormat(Qt::RichText);
  figures_->hide();
  column->addWidget(figures_);
  column->addWidget(makeActionRow());
  connect(view_, &AnswerView::grew, this, &AnswerPanel::grew);
  connect(&Theme::instance(), &Theme::changed, this, [this] {
    showFigures();
    showReading(reading_);
  });
}

QWidget* AnswerPanel::makeReadingRow() {
  readingRow_ = new QWidget(this);
  auto* column = new QVBoxLayout(readingRow_);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(8);
  readingText_ = makeLabel(tr("Waiting for the engine"), Role::secondary, readingRow_);
  readingText_->setObjectName(QStringLiteral("reading"));
  readingText_->setTextFormat(Qt::RichText);
  readingBar_ = new Bar(readingRow_);
  readingBar_->setColour(colourOf(side_, session::RunPhase::prefill));
  column->addWidget(readingText_);
  column->addWidget(readingBar_);
  return readingRow_;
}

QWidget* AnswerPanel::makeActionRow() {
  actions_ = new QWidget(this);
  auto* flow = new FlowLayout(16, actions_);
  auto* copy = makeButton(tr("Copy"), Role::link, actions_);
  copy->setAccessibleName(tr("Copy this answer"));
  connect(copy, &QPushButton::clicked, this,
          [this] { QGuiApplication::clipboard()->setText(view_->markdown().trimmed()); });
  compare_ = makeButton(tr("Compare with vanilla"), Role::link, actions_);
  compare_->hide();
  connect(compare_, &QPushButton::clicked, this, &AnswerPanel::compareRequested);
  auto* phases = makeButton(tr("See phases"), Role::link, actions_);
  connect(phases, &QPushButton::clicked, this, &AnswerPanel::phasesRequested);
  flow->addWidget(copy);
  flow->addWidget(compare_);
  flow->addWidget(phases);
  actions_->hide();
  return actions_;
}

void AnswerPanel::showWaiting(const QString& text) {
  readingText_->setText(text.toHtmlEscaped());
  readingBar_->setFraction(0);
}

void AnswerPanel::showReading(const ReadingProgress& progress) {
  reading_ = progress;
  if (progress.total == 0) return;
  readingBar_->setColour(colourOf(side_, progress.phase));
  readingBar_->setFraction(static_cast<double>(progress.done) / static_cast<double>(progress.total));
  QString text = tr("Reading %1 of %2").arg(strong(countText(progress.done)), tokensText(progress.total));
  if (progress.tokensPerSecond > 0) text += QStringLiteral(" · ") + rateText(progress.tokensPerSecond);
  if (progress.remainingNs > 0) text += tr(" · %1 left").arg(durationText(progress.remainingNs));
  readingText_->setText(text);
}

void AnswerPanel::append(const QString& text) {
  readingRow_->hide();
  view_->show();
  view_->append(text);
}

void AnswerPanel::end(const Answer& answer) {
  readingRow_->hide();
  record_ = answer.record;
  if (!answer.text.isEmpty()) view_->finish();
  if (answer.error) {
    error_->setText(QString::fromStdString(answer.error->message()));
    error_->show();
  } else if (answer.text.isEmpty()) {
    error_->setText(tr("The model ended its answer without a word."));
    error_->show();
  }
  showFigures();
  actions_->setVisible(record_ != nullptr);
  emit grew();
}

void AnswerPanel::setCanCompare(bool can) {
  compare_->setVisible(can && side_ == Side::main);
}

void AnswerPanel::showFigures() {
  figures_->setVisible(record_ != nullptr);
  if (!record_) return;
  figures_->setText(figuresText(*record_));
  figures_->setAccessibleName(figures());
}

QString AnswerPanel::figures() const {
  return QTextDocumentFragment::fromHtml(figures_->text())
      .toPlainText()
      .replace(QChar::Nbsp, QLatin1Char(' '));
}

}  // namespace orthros::ui
