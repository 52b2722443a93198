#include "ui/chat/chat_page.hpp"

#include <QCheckBox>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QSplitter>
#include <QVBoxLayout>

#include "ui/chat/chat_session.hpp"
#include "ui/chat/composer.hpp"
#include "ui/chat/conversation_view.hpp"
#include "ui/chat/empty_state.hpp"
#include "ui/chat/question_edit.hpp"
#include "ui/document/document_pane.hpp"
#include "ui/format/numbers.hpp"
#include "ui/widgets/elided_label.hpp"
#include "ui/widgets/labels.hpp"

namespace orthros::ui {

using session::Service;

ChatPage::ChatPage(ChatSession& chat, ModelSlots& models, QWidget* parent)
    : QWidget(parent), chat_(chat), models_(models) {
  setAcceptDrops(true);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  splitter_ = new QSplitter(Qt::Horizontal, this);
  splitter_->setChildrenCollapsible(false);
  splitter_->setHandleWidth(1);
  row->addWidget(splitter_);
  splitter_->addWidget(makeChatColumn());
  document_ = new DocumentPane(splitter_);
  splitter_->addWidget(document_);
  splitter_->setStretchFactor(0, 1);
  splitter_->setStretchFactor(1, 0);
  splitter_->setSizes({880, 336});
  document_->hide();
  connectDocuments();
  connect(&chat_, &ChatSession::activityChanged, this, &ChatPage::showHeader);
  connect(&chat_, &ChatSession::cleared, this, &ChatPage::showHeader);
  connect(&chat_, &ChatSession::compareChanged, this, [this] { compare_->setChecked(chat_.comparing()); });
  connect(compare_, &QCheckBox::toggled, &chat_, &ChatSession::setCompare);
  showHeader();
}

QWidget* ChatPage::makeHeader() {
  auto* header = new QFrame(this);
  header->setObjectName(QStringLiteral("header"));
  header->setFixedHeight(metric::header);
  auto* row = new QHBoxLayout(header);
  row->setContentsMargins(metric::pageMargin, 0, metric::pageMargin, 0);
  row->setSpacing(12);
  title_ = new ElidedLabel(header);
  setRole(title_, Role::title);
  plan_ = makeTag({}, header);
  compare_ = new QCheckBox(tr("Compare with vanilla"), header);
  compare_->setToolTip(
      tr("After each answer, ask the model without its adapter the same under full attention"));
  compare_->setChecked(chat_.comparing());
  row->addWidget(title_, 1);
  row->addWidget(plan_);
  row->addWidget(compare_);
  return header;
}

QWidget* ChatPage::makeChatColumn() {
  auto* side = new QWidget(splitter_);
  side->setMinimumWidth(360);
  auto* column = new QVBoxLayout(side);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(makeHeader());
  emptyState_ = new EmptyState(models_);
  conversation_ = new ConversationView(chat_, emptyState_, side);
  column->addWidget(conversation_, 1);
  composer_ = new Composer(chat_, side);
  composer_->setMaximumWidth(metric::readingWidth);
  auto* bottom = new QHBoxLayout;
  bottom->setContentsMargins(metric::pageMargin, 0, metric::pageMargin, 20);
  bottom->addStretch(0);
  bottom->addWidget(composer_, 1);
  bottom->addStretch(0);
  column->addLayout(bottom);
  connect(emptyState_, &EmptyState::openModelRequested, this, &ChatPage::openModelRequested);
  connect(emptyState_, &EmptyState::openDocumentRequested, this, &ChatPage::attachRequested);
  connect(emptyState_, &EmptyState::questionChosen, &chat_, &ChatSession::send);
  connect(conversation_, &ConversationView::phasesRequested, this, &ChatPage::phasesRequested);
  connect(conversation_, &ConversationView::documentChosen, this, &ChatPage::showDocument);
  connect(composer_, &Composer::attachRequested, this, &ChatPage::attachRequested);
  connect(composer_, &Composer::filesOffered, this, &ChatPage::openDocuments);
  connect(composer_, &Composer::documentChosen, this, &ChatPage::showDocument);
  return side;
}

void ChatPage::connectDocuments() {
  connect(&reader_, &DocumentReader::read, this, [this](const DocumentPtr& document) {
    chat_.attachments().add(document);
    showDocument(document);
    emit documentOpened(document);
  });
  connect(&reader_, &DocumentReader::failed, this, [this](const QString&, const Error& error) {
    composer_->showMessage(QString::fromStdString(error.message()), true);
  });
  connect(&chat_.attachments(), &AttachmentList::changed, this, &ChatPage::showAttachments);
  connect(document_, &DocumentPane::closeRequested, this, [this] { setDocumentVisible(false); });
}

void ChatPage::openDocuments(const QStringList& paths) {
  for (const QString& path : paths) reader_.open(path);
}

void ChatPage::setSuggestionFor(const QString& path, const QString& question) {
  suggestionPath_ = path;
  suggestion_ = question;
}

bool ChatPage::documentVisible() const {
  return document_->isVisibleTo(this);
}

void ChatPage::setDocumentVisible(bool visible) {
  const bool shown = visible && document_->document();
  document_->setVisible(shown);
  emit documentVisibilityChanged(shown);
}

void ChatPage::showDocument(const DocumentPtr& document) {
  if (document_->document() != document) document_->open(document);
  showAttachments();
  setDocumentVisible(true);
}

// The invitation and the pane speak of the documents that go with the next question.
void ChatPage::showAttachments() {
  QString name, question;
  for (const Attachment& item : chat_.attachments().items()) {
    name = item.document->name;
    if (item.document->path == suggestionPath_) question = suggestion_;
    if (item.document == document_->document() && item.tokens) document_->setDetail(tokensText(*item.tokens));
  }
  emptyState_->setSuggestion(name, question);
  chat_.setSuggestion(question);
}

void ChatPage::showHeader() {
  const bool empty = chat_.exchanges().empty();
  title_->setText(empty ? tr("New chat") : chat_.exchanges().front().question);
  const bool ready = models_.state(Service::mainSlot) == ModelSlots::State::ready;
  plan_->setVisible(ready);
  if (ready) plan_->setText(QString::fromStdString(models_.model(Service::mainSlot).planName));
}

void ChatPage::dragEnterEvent(QDragEnterEvent* event) {
  if (!localFiles(event->mimeData()).isEmpty()) event->acceptProposedAction();
}

void ChatPage::dropEvent(QDropEvent* event) {
  openDocuments(localFiles(event->mimeData()));
  event->acceptProposedAction();
}

}  // namespace orthros::ui
