#include "ui/chat/exchange_view.hpp"

#include <QFrame>
#include <QLabel>
#include <QVBoxLayout>

#include "ui/chat/answer_panel.hpp"
#include "ui/chat/attachment_chip.hpp"
#include "ui/widgets/flow_layout.hpp"
#include "ui/widgets/labels.hpp"

namespace orthros::ui {
namespace {

constexpr int widestBubble = 520;

}  // namespace

ExchangeView::ExchangeView(const Exchange& exchange, const std::vector<Attachment>& attachments,
                           QWidget* parent)
    : QWidget(parent) {
  column_ = new QVBoxLayout(this);
  column_->setContentsMargins(0, 0, 0, 0);
  column_->setSpacing(16);
  auto* row = new QHBoxLayout;
  row->addStretch(1);
  row->addWidget(makeBubble(exchange, attachments));
  column_->addLayout(row);
}

QWidget* ExchangeView::makeBubble(const Exchange& exchange, const std::vector<Attachment>& attachments) {
  auto* bubble = new QFrame(this);
  bubble->setObjectName(QStringLiteral("bubble"));
  bubble->setMaximumWidth(widestBubble);
  auto* column = new QVBoxLayout(bubble);
  column->setContentsMargins(16, 12, 16, 12);
  column->setSpacing(8);
  auto* question = new QLabel(exchange.question, bubble);
  question->setWordWrap(true);
  question->setTextFormat(Qt::PlainText);
  question->setTextInteractionFlags(Qt::TextSelectableByMouse);
  question->setAccessibleName(tr("Question: %1").arg(exchange.question));
  const int natural = question->fontMetrics().horizontalAdvance(exchange.question);
  question->setMinimumWidth(std::min(natural + 4, widestBubble - 160));
  column->addWidget(question);
  if (attachments.empty()) return bubble;
  auto* chips = new QWidget(bubble);
  auto* flow = new FlowLayout(8, chips);
  for (const Attachment& attachment : attachments) {
    auto* chip = new AttachmentChip(attachment, false, chips);
    connect(chip, &AttachmentChip::openRequested, this,
            [this, document = attachment.document] { emit documentChosen(document); });
    flow->addWidget(chip);
  }
  column->addWidget(chips);
  return bubble;
}

AnswerPanel* ExchangeView::panel(Side side) {
  AnswerPanel*& panel = side == Side::main ? main_ : vanilla_;
  if (panel) return panel;
  panel = new AnswerPanel(side, this);
  connect(panel, &AnswerPanel::grew, this, &ExchangeView::grew);
  connect(panel, &AnswerPanel::compareRequested, this, &ExchangeView::compareRequested);
  connect(panel, &AnswerPanel::phasesRequested, this, &ExchangeView::phasesRequested);
  column_->addWidget(panel);
  return panel;
}

}  // namespace orthros::ui
