#include "ui/chat/conversation_view.hpp"

#include <QResizeEvent>
#include <QScrollBar>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/chat/answer_panel.hpp"
#include "ui/chat/chat_session.hpp"
#include "ui/chat/empty_state.hpp"
#include "ui/chat/exchange_view.hpp"
#include "ui/theme/theme.hpp"

namespace orthros::ui {
namespace {

constexpr int nearEnd = 24;  // pixels that still count as the end

}  // namespace

ConversationView::ConversationView(ChatSession& chat, EmptyState* emptyState, QWidget* parent)
    : QScrollArea(parent), chat_(chat), emptyState_(emptyState) {
  setAccessibleName(tr("Conversation"));
  setFrameShape(QFrame::NoFrame);
  setWidgetResizable(true);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setFocusPolicy(Qt::StrongFocus);
  viewport()->setAutoFillBackground(false);
  column_ = new QWidget;
  column_->setObjectName(QStringLiteral("column"));
  layout_ = new QVBoxLayout(column_);
  layout_->setSpacing(32);
  layout_->addWidget(emptyState_, 1);
  layout_->addStretch(0);
  setWidget(column_);
  column_->setAutoFillBackground(false);
  connect(verticalScrollBar(), &QScrollBar::valueChanged, this, [this](int value) {
    if (!scrolling_) atEnd_ = value >= verticalScrollBar()->maximum() - nearEnd;
  });
  connect(verticalScrollBar(), &QScrollBar::rangeChanged, this, &ConversationView::followEnd);
  connectChat();
  showEmptyState();
}

void ConversationView::connectChat() {
  connect(&chat_, &ChatSession::exchangeAdded, this, &ConversationView::addExchange);
  connect(&chat_, &ChatSession::retracted, this, &ConversationView::removeLast);
  connect(&chat_, &ChatSession::cleared, this, &ConversationView::clear);
  connect(&chat_, &ChatSession::activityChanged, this, &ConversationView::showActivity);
  connect(&chat_, &ChatSession::comparisonBegan, this, [this] {
    if (last()) last()->panel(Side::vanilla)->showWaiting(tr("Loading the baseline"));
  });
  connect(&chat_, &ChatSession::readingChanged, this, [this] {
    if (last() && chat_.activity() == Activity::reading)
      last()->panel(chat_.side())->showReading(chat_.reading());
  });
  connect(&chat_, &ChatSession::answerGrew, this, [this](Side side, const QString& text) {
    if (last()) last()->panel(side)->append(text);
  });
  connect(&chat_, &ChatSession::answerEnded, this, [this](Side side) {
    if (last()) last()->panel(side)->end(chat_.exchanges().back().answer(side));
  });
}

void ConversationView::addExchange() {
  auto* view = new ExchangeView(chat_.exchanges().back(), chat_.sentAttachments(), column_);
  connect(view, &ExchangeView::compareRequested, &chat_, &ChatSession::compareLast);
  connect(view, &ExchangeView::phasesRequested, this, &ConversationView::phasesRequested);
  connect(view, &ExchangeView::documentChosen, this, &ConversationView::documentChosen);
  view->panel(Side::main);
  if (!exchanges_.empty()) exchanges_.back()->panel(Side::main)->setCanCompare(false);
  exchanges_.push_back(view);
  layout_->insertWidget(layout_->count() - 1, view);
  showEmptyState();
  atEnd_ = true;
  followEnd();
}

void ConversationView::removeLast() {
  if (exchanges_.empty()) return;
  delete exchanges_.back();
  exchanges_.pop_back();
  showEmptyState();
}

void ConversationView::clear() {
  for (ExchangeView* view : exchanges_) delete view;
  exchanges_.clear();
  showEmptyState();
}

void ConversationView::showEmptyState() {
  const bool empty = exchanges_.empty();
  emptyState_->setVisible(empty);
  layout_->setStretch(0, empty ? 1 : 0);
  layout_->setStretch(layout_->count() - 1, empty ? 0 : 1);
}

void ConversationView::showActivity() {
  if (last()) last()->panel(Side::main)->setCanCompare(chat_.canCompareLast());
}

void ConversationView::followEnd() {
  if (atEnd_) scrollToEnd();
}

void ConversationView::scrollToEnd() {
  scrolling_ = true;
  verticalScrollBar()->setValue(verticalScrollBar()->maximum());
  scrolling_ = false;
  atEnd_ = true;
}

void ConversationView::resizeEvent(QResizeEvent* event) {
  const int spare = std::max(0, event->size().width() - metric::readingWidth - 2 * metric::pageMargin) / 2;
  const int side = metric::pageMargin + spare;
  layout_->setContentsMargins(side, metric::pageMargin - 4, side, metric::pageMargin);
  QScrollArea::resizeEvent(event);
}

}  // namespace orthros::ui
