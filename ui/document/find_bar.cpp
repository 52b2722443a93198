#include "ui/document/find_bar.hpp"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QTextCursor>
#include <QTextEdit>
#include <QToolButton>
#include <algorithm>

#include "ui/format/numbers.hpp"
#include "ui/widgets/labels.hpp"

namespace orthros::ui {
namespace {

constexpr size_t mostHits = 1000;

QToolButton* makeStep(const QString& sign, const QString& name, QWidget* parent) {
  auto* button = new QToolButton(parent);
  button->setText(sign);
  button->setAccessibleName(name);
  button->setToolTip(name);
  return button;
}

}  // namespace

FindBar::FindBar(QTextEdit* text, QWidget* parent) : QFrame(parent), text_(text) {
  setObjectName(QStringLiteral("findBar"));
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(12, 8, 8, 8);
  row->setSpacing(4);
  input_ = new QLineEdit(this);
  input_->setPlaceholderText(tr("Find in document"));
  input_->setAccessibleName(tr("Find in document"));
  input_->installEventFilter(this);
  count_ = makeLabel({}, Role::caption, this);
  count_->setMinimumWidth(56);
  count_->setAlignment(Qt::AlignCenter);
  auto* previous = makeStep(QStringLiteral("↑"), tr("Previous hit"), this);
  auto* next = makeStep(QStringLiteral("↓"), tr("Next hit"), this);
  auto* close = makeStep(QStringLiteral("×"), tr("Close search"), this);
  row->addWidget(input_, 1);
  row->addWidget(count_);
  row->addWidget(previous);
  row->addWidget(next);
  row->addWidget(close);
  connect(input_, &QLineEdit::textChanged, this, &FindBar::search);
  connect(previous, &QToolButton::clicked, this, &FindBar::previous);
  connect(next, &QToolButton::clicked, this, &FindBar::next);
  connect(close, &QToolButton::clicked, this, &FindBar::close);
  hide();
}

void FindBar::open() {
  show();
  input_->setFocus();
  input_->selectAll();
  refresh();
}

void FindBar::close() {
  hide();
  text_->setExtraSelections({});
  text_->setFocus();
}

void FindBar::refresh() {
  if (isHidden()) return;
  const int before = current_;
  search();
  if (before >= 0 && before < hits()) {
    current_ = before;
    mark();
  }
}

void FindBar::search() {
  hits_.clear();
  const QString wanted = input_->text();
  const QString all = wanted.isEmpty() ? QString() : text_->toPlainText();
  for (qsizetype at = all.indexOf(wanted, 0, Qt::CaseInsensitive);
       !wanted.isEmpty() && at >= 0 && hits_.size() < mostHits;
       at = all.indexOf(wanted, at + wanted.size(), Qt::CaseInsensitive))
    hits_.push_back(static_cast<int>(at));
  current_ = hits_.empty() ? -1 : 0;
  mark();
}

void FindBar::go(int step) {
  if (hits_.empty()) return;
  current_ = (current_ + step + hits()) % hits();
  mark();
}

void FindBar::mark() {
  const Tokens& tokens = Theme::instance().tokens();
  QList<QTextEdit::ExtraSelection> selections;
  const int length = static_cast<int>(input_->text().size());
  for (int index = 0; index < hits(); ++index) {
    QTextEdit::ExtraSelection selection;
    selection.cursor = QTextCursor(text_->document());
    selection.cursor.setPosition(hits_[static_cast<size_t>(index)]);
    selection.cursor.setPosition(hits_[static_cast<size_t>(index)] + length, QTextCursor::KeepAnchor);
    const bool current = index == current_;
    selection.format.setBackground(current ? tokens.accent : tokens.accentGround);
    selection.format.setForeground(current ? tokens.onAccent : tokens.text);
    selections.append(selection);
  }
  text_->setExtraSelections(selections);
  if (current_ >= 0) {
    QTextCursor cursor(text_->document());
    cursor.setPosition(hits_[static_cast<size_t>(current_)]);
    text_->setTextCursor(cursor);
    text_->ensureCursorVisible();
  }
  showCount();
}

void FindBar::showCount() {
  if (input_->text().isEmpty()) {
    count_->clear();
  } else if (hits_.empty()) {
    count_->setText(tr("no hit"));
  } else {
    count_->setText(
        tr("%1 of %2").arg(countText(static_cast<uint64_t>(current_ + 1)), countText(hits_.size())));
  }
}

bool FindBar::eventFilter(QObject* watched, QEvent* event) {
  if (watched != input_ || event->type() != QEvent::KeyPress) return QFrame::eventFilter(watched, event);
  const auto* key = static_cast<QKeyEvent*>(event);
  const bool enter = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter;
  if (enter) go(key->modifiers() & Qt::ShiftModifier ? -1 : 1);
  if (key->key() == Qt::Key_Escape) close();
  return enter || key->key() == Qt::Key_Escape;
}

}  // namespace orthros::ui
