#include "ui/shell/status_line.hpp"

#include <QHBoxLayout>
#include <QLabel>
#include <QTextDocumentFragment>

#include "ui/chat/chat_session.hpp"
#include "ui/format/numbers.hpp"
#include "ui/widgets/bar.hpp"
#include "ui/widgets/elided_label.hpp"
#include "ui/widgets/labels.hpp"

namespace orthros::ui {
namespace {

using session::Service;

QString plain(const QString& richText) {
  return QTextDocumentFragment::fromHtml(richText).toPlainText();
}

QColor phaseInk(const ChatSession& chat) {
  const Tokens& tokens = Theme::instance().tokens();
  if (chat.activity() == Activity::answering) return tokens.decode;
  if (chat.side() == Side::vanilla) return tokens.vanilla;
  return chat.reading().phase == session::RunPhase::tail ? tokens.tail : tokens.prefill;
}

}  // namespace

StatusLine::StatusLine(ChatSession& chat, ModelSlots& models, QWidget* parent)
    : QFrame(parent), chat_(chat), models_(models) {
  setObjectName(QStringLiteral("statusLine"));
  setAccessibleName(tr("Status"));
  setFixedHeight(metric::statusLine);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(16, 0, 16, 0);
  row->setSpacing(16);
  model_ = new ElidedLabel(this);
  setRole(model_, Role::heading);
  plan_ = new ElidedLabel(this);
  device_ = new ElidedLabel(this);
  memory_ = makeLabel({}, Role::secondary, this);
  contextName_ = makeLabel(tr("context"), Role::secondary, this);
  contextBar_ = new Bar(this);
  contextBar_->setFixedWidth(96);
  context_ = makeLabel({}, Role::secondary, this);
  activity_ = makeLabel({}, Role::secondary, this);
  setRole(plan_, Role::secondary);
  setRole(device_, Role::secondary);
  for (QLabel* label : {memory_, context_, activity_}) label->setTextFormat(Qt::RichText);
  for (QWidget* item :
       {static_cast<QWidget*>(model_), static_cast<QWidget*>(plan_), static_cast<QWidget*>(device_),
        static_cast<QWidget*>(memory_), static_cast<QWidget*>(contextName_)})
    row->addWidget(item);
  row->addSpacing(-8);
  row->addWidget(contextBar_, 0, Qt::AlignVCenter);
  row->addSpacing(-8);
  row->addWidget(context_);
  row->addStretch(1);
  row->addWidget(activity_);
  connect(&models_, &ModelSlots::changed, this, &StatusLine::showModel);
  connect(&models_, &ModelSlots::changed, this, &StatusLine::showActivity);
  connect(&chat_, &ChatSession::answerEnded, this, &StatusLine::showModel);
  connect(&chat_, &ChatSession::contextChanged, this, &StatusLine::showContext);
  connect(&chat_, &ChatSession::readingChanged, this, &StatusLine::showActivity);
  connect(&chat_, &ChatSession::activityChanged, this, &StatusLine::showActivity);
  connect(&Theme::instance(), &Theme::changed, this, &StatusLine::showModel);
  showModel();
}

void StatusLine::showModel() {
  const bool ready = models_.state(Service::mainSlot) == ModelSlots::State::ready;
  for (QWidget* item :
       {static_cast<QWidget*>(plan_), static_cast<QWidget*>(device_), static_cast<QWidget*>(memory_)})
    item->setVisible(ready);
  if (ready) {
    const session::LoadedModel& model = models_.model(Service::mainSlot);
    model_->setText(QString::fromStdString(model.name));
    plan_->setText(QString::fromStdString(model.planText));
    device_->setText(QString::fromStdString(model.deviceName));
    memory_->setText(
        tr("memory %1 of %2").arg(strong(bytesText(memoryBytes())), bytesText(model.budgetBytes)));
  } else {
    model_->setText(tr("No model"));
  }
  showContext();
  showActivity();
}

void StatusLine::showContext() {
  const bool ready = models_.state(Service::mainSlot) == ModelSlots::State::ready;
  for (QWidget* item : {static_cast<QWidget*>(contextName_), static_cast<QWidget*>(contextBar_),
                        static_cast<QWidget*>(context_)})
    item->setVisible(ready);
  if (!ready) return;
  const uint64_t capacity = models_.model(Service::mainSlot).contextTokens;
  const uint64_t used = chat_.contextTokens();
  contextBar_->setFraction(capacity == 0 ? 0 : static_cast<double>(used) / static_cast<double>(capacity));
  context_->setText(tr("%1 of %2").arg(strong(countText(used)), tokensText(capacity)));
  contextBar_->setAccessibleName(tr("Context: %1").arg(contextText()));
}

void StatusLine::showActivity() {
  QString text;
  if (models_.state(Service::mainSlot) == ModelSlots::State::loading) {
    text = tr("loading the model");
  } else if (models_.state(Service::baselineSlot) == ModelSlots::State::loading) {
    text = dot(phaseInk(chat_)) + QLatin1Char(' ') + tr("loading the baseline");
  } else if (chat_.activity() == Activity::idle) {
    text = models_.state(Service::mainSlot) == ModelSlots::State::ready ? tr("ready") : QString();
  } else {
    const ReadingProgress& reading = chat_.reading();
    const QString phase = chat_.activity() == Activity::answering    ? tr("decode")
                          : reading.phase == session::RunPhase::tail ? tr("tail")
                                                                     : tr("prefill");
    text = dot(phaseInk(chat_)) + QLatin1Char(' ') + phase;
    if (chat_.activity() == Activity::reading && reading.tokensPerSecond > 0)
      text += QLatin1Char(' ') + strong(rateText(reading.tokensPerSecond));
    if (chat_.side() == Side::vanilla) text += tr(" · vanilla");
    if (chat_.stopping()) text += tr(" · stopping");
  }
  activity_->setText(text);
}

// The cache grows with the conversation, so the last run knows better than the loading did.
uint64_t StatusLine::memoryBytes() const {
  const auto& exchanges = chat_.exchanges();
  if (exchanges.empty() || !exchanges.back().main.record) return models_.model(Service::mainSlot).memoryBytes;
  const auto& bytes = exchanges.back().main.record->bytes;
  return bytes.weights + bytes.kv + bytes.workspace;
}

QString StatusLine::contextText() const {
  return plain(context_->text());
}
QString StatusLine::activityText() const {
  return plain(activity_->text());
}

// In a narrow window what the person chose gives way to what changes.
void StatusLine::resizeEvent(QResizeEvent* event) {
  QFrame::resizeEvent(event);
  contextBar_->setFixedWidth(width() < 1000 ? 56 : 96);
}

}  // namespace orthros::ui
