#include "ui/chat/composer.hpp"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/chat/attachment_chip.hpp"
#include "ui/chat/chat_session.hpp"
#include "ui/chat/question_edit.hpp"
#include "ui/format/numbers.hpp"
#include "ui/widgets/elided_label.hpp"
#include "ui/widgets/flow_layout.hpp"
#include "ui/widgets/labels.hpp"

namespace orthros::ui {
namespace {

constexpr int roomyWidth = 520;

QString costText(const session::AskEstimate& estimate) {
  if (estimate.orthrosNs == 0)
    return Composer::tr("the reading time is predicted after a first run on this device");
  if (estimate.vanillaNs == 0) return Composer::tr("about %1 to read").arg(durationText(estimate.orthrosNs));
  return Composer::tr("about %1 to read · vanilla would take %2")
      .arg(durationText(estimate.orthrosNs), durationText(estimate.vanillaNs));
}

}  // namespace

Composer::Composer(ChatSession& chat, QWidget* parent) : QFrame(parent), chat_(chat) {
  setRole(this, Role::card);
  setObjectName(QStringLiteral("composer"));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(12, 12, 12, 12);
  column->setSpacing(8);
  message_ = makeLabel({}, Role::error, this);
  message_->setWordWrap(true);
  message_->setTextFormat(Qt::PlainText);
  message_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  message_->hide();
  column->addWidget(message_);
  column->addWidget(makeAttachmentRow());
  question_ = new QuestionEdit(this);
  column->addWidget(question_);
  column->addLayout(makeButtonRow());
  setFocusProxy(question_);
  connectChat();
  showAttachments();
  showActivity();
}

QWidget* Composer::makeAttachmentRow() {
  attachmentRow_ = new QWidget(this);
  auto* flow = new FlowLayout(8, attachmentRow_);
  cost_ = makeLabel({}, Role::caption, attachmentRow_);
  flow->addWidget(cost_);
  costTag_ = makeTag(tr("modelled"), attachmentRow_);
  costTag_->setToolTip(tr("Predicted from the model's shape and rates measured on this device"));
  flow->addWidget(costTag_);
  QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Minimum);
  policy.setHeightForWidth(true);
  attachmentRow_->setSizePolicy(policy);
  return attachmentRow_;
}

QHBoxLayout* Composer::makeButtonRow() {
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  attach_ = makeButton(tr("Attach"), Role::plain, this);
  attach_->setAccessibleName(tr("Attach a document"));
  total_ = new ElidedLabel(this);
  setRole(total_, Role::caption);
  hint_ = makeLabel(tr("Enter sends"), Role::caption, this);
  stop_ = makeButton(tr("Stop"), Role::plain, this);
  send_ = makeButton(tr("Send"), Role::primary, this);
  row->addWidget(attach_);
  row->addWidget(total_, 1);
  row->addWidget(hint_);
  row->addWidget(stop_);
  row->addWidget(send_);
  connect(attach_, &QPushButton::clicked, this, &Composer::attachRequested);
  connect(stop_, &QPushButton::clicked, &chat_, &ChatSession::stop);
  connect(send_, &QPushButton::clicked, this, &Composer::send);
  return row;
}

void Composer::connectChat() {
  connect(question_, &QuestionEdit::sendRequested, this, &Composer::send);
  connect(question_, &QuestionEdit::filesOffered, this, &Composer::filesOffered);
  connect(question_, &QPlainTextEdit::textChanged, this, [this] {
    clearMessage();
    chat_.setDraft(draft());
    showActivity();
  });
  connect(&chat_.attachments(), &AttachmentList::changed, this, &Composer::showAttachments);
  connect(&chat_.estimator(), &Estimator::changed, this, &Composer::showEstimate);
  connect(&chat_, &ChatSession::activityChanged, this, &Composer::showActivity);
  connect(&chat_, &ChatSession::retracted, this,
          [this](const QString& question, const QString& reason, bool error) {
            if (draft().trimmed().isEmpty()) setDraft(question);
            showMessage(reason, error);
          });
}

QString Composer::draft() const {
  return question_->toPlainText();
}

void Composer::setDraft(const QString& text) {
  question_->setPlainText(text);
  question_->moveCursor(QTextCursor::End);
}

void Composer::focusQuestion() {
  question_->setFocus();
}

void Composer::showMessage(const QString& text, bool isError) {
  setRole(message_, isError ? Role::error : Role::secondary);
  message_->setText(text);
  message_->setAccessibleName(text);
  message_->setVisible(!text.isEmpty());
}

void Composer::clearMessage() {
  message_->hide();
}

void Composer::send() {
  const QString question = draft();
  if (!chat_.canSend(question)) return;
  clearMessage();
  question_->clear();
  chat_.send(question);
}

void Composer::showAttachments() {
  QLayout* row = attachmentRow_->layout();
  qDeleteAll(attachmentRow_->findChildren<AttachmentChip*>(QString(), Qt::FindDirectChildrenOnly));
  row->removeWidget(cost_);
  row->removeWidget(costTag_);
  const auto& items = chat_.attachments().items();
  for (size_t index = 0; index < items.size(); ++index) {
    auto* chip = new AttachmentChip(items[index], true, attachmentRow_);
    connect(
        chip, &AttachmentChip::removeRequested, this, [this, index] { chat_.attachments().remove(index); },
        Qt::QueuedConnection);
    connect(chip, &AttachmentChip::openRequested, this,
            [this, document = items[index].document] { emit documentChosen(document); });
    row->addWidget(chip);
    chip->show();
  }
  row->addWidget(cost_);
  row->addWidget(costTag_);
  showEstimate();
}

void Composer::showEstimate() {
  const auto& estimate = chat_.estimator().latest();
  const bool idle = chat_.activity() == Activity::idle;
  cost_->setVisible(idle && estimate.has_value());
  costTag_->setVisible(idle && estimate && estimate->orthrosNs > 0);
  attachmentRow_->setVisible(!chat_.attachments().items().empty() || cost_->isVisibleTo(attachmentRow_));
  const bool tooLong =
      estimate && estimate->contextTokens > 0 && estimate->promptTokens > estimate->contextTokens;
  setRole(total_, tooLong ? Role::captionError : Role::caption);
  if (!estimate || !idle) {
    total_->clear();
    return;
  }
  cost_->setText(costText(*estimate));
  const QString counts =
      tr("%1 of %2").arg(countText(estimate->promptTokens), tokensText(estimate->contextTokens));
  total_->setText(tooLong ? tr("%1: too long for the context").arg(counts)
                          : tr("%1 after sending").arg(counts));
}

void Composer::showActivity() {
  const bool idle = chat_.activity() == Activity::idle;
  stop_->setVisible(!idle);
  stop_->setEnabled(!chat_.stopping());
  stop_->setText(chat_.stopping() ? tr("Stopping") : tr("Stop"));
  send_->setEnabled(chat_.canSend(draft()));
  showEstimate();
}

void Composer::resizeEvent(QResizeEvent* event) {
  QFrame::resizeEvent(event);
  hint_->setVisible(width() >= roomyWidth);
}

}  // namespace orthros::ui
