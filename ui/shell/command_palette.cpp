#include "ui/shell/command_palette.hpp"

#include <QAction>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListView>
#include <QPainter>
#include <QPointer>
#include <QSortFilterProxyModel>
#include <QStandardItemModel>
#include <QStyledItemDelegate>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/shell/actions.hpp"
#include "ui/theme/theme.hpp"

namespace orthros::ui {
namespace {

constexpr int actionRole = Qt::UserRole + 1;
constexpr int shortcutRole = Qt::UserRole + 2;

// Name at the left, shortcut at the right.
class CommandDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override { return {200, 32}; }
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const Tokens& tokens = Theme::instance().tokens();
    const bool selected = option.state & QStyle::State_Selected;
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(Qt::NoPen);
    painter->setBrush(selected ? tokens.selection : tokens.surface);
    painter->drawRoundedRect(option.rect, 6, 6);
    const QRect inner = option.rect.adjusted(12, 0, -12, 0);
    painter->setPen(tokens.text);
    painter->setFont(option.font);
    painter->drawText(inner, Qt::AlignVCenter | Qt::AlignLeft, index.data().toString());
    painter->setFont(Theme::font(metric::captionText));
    painter->setPen(selected ? tokens.text : tokens.secondary);
    painter->drawText(inner, Qt::AlignVCenter | Qt::AlignRight, index.data(shortcutRole).toString());
    painter->restore();
  }
};

// Accepts a row that holds every typed word.
class WordFilter : public QSortFilterProxyModel {
 public:
  using QSortFilterProxyModel::QSortFilterProxyModel;
  void setWords(const QString& words) {
    words_ = words.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    invalidateFilter();
  }

 protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override {
    const QString name = sourceModel()->index(row, 0, parent).data().toString();
    return std::all_of(words_.begin(), words_.end(),
                       [&](const QString& word) { return name.contains(word, Qt::CaseInsensitive); });
  }

 private:
  QStringList words_;
};

QString nameOf(const QAction* action) {
  const QString known = action->property(commandName).toString();
  if (!known.isEmpty()) return known;
  QString name = action->text().remove(QLatin1Char('&'));
  if (name.endsWith(QStringLiteral("…"))) name.chop(1);
  return name;
}

}  // namespace

CommandPalette::CommandPalette(const QList<QAction*>& actions, QWidget* parent)
    : QDialog(parent, Qt::Dialog | Qt::FramelessWindowHint) {
  setWindowTitle(tr("Commands"));
  setObjectName(QStringLiteral("palette"));
  setAttribute(Qt::WA_DeleteOnClose);
  setFixedSize(480, 400);
  model_ = new QStandardItemModel(this);
  for (QAction* action : actions) {
    if (!action->isEnabled() || action->isSeparator() || action->text().isEmpty()) continue;
    auto* item = new QStandardItem(nameOf(action));
    item->setData(QVariant::fromValue<QObject*>(action), actionRole);
    item->setData(action->shortcut().toString(QKeySequence::NativeText), shortcutRole);
    item->setEditable(false);
    model_->appendRow(item);
  }
  auto* words = new WordFilter(this);
  words->setSourceModel(model_);
  proxy_ = words;
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(12, 12, 12, 12);
  column->setSpacing(8);
  input_ = new QLineEdit(this);
  input_->setPlaceholderText(tr("Type a command"));
  input_->setAccessibleName(tr("Command"));
  input_->installEventFilter(this);
  list_ = new QListView(this);
  list_->setModel(proxy_);
  list_->setItemDelegate(new CommandDelegate(list_));
  list_->setAccessibleName(tr("Commands"));
  list_->setFocusPolicy(Qt::NoFocus);
  column->addWidget(input_);
  column->addWidget(list_, 1);
  connect(input_, &QLineEdit::textChanged, this, &CommandPalette::filter);
  connect(list_, &QListView::clicked, this, &CommandPalette::trigger);
  input_->setFocus();
  select(0);
}

void CommandPalette::filter(const QString& words) {
  static_cast<WordFilter*>(proxy_)->setWords(words);
  select(0);
}

void CommandPalette::select(int row) {
  const int count = proxy_->rowCount();
  if (count > 0) list_->setCurrentIndex(proxy_->index(std::clamp(row, 0, count - 1), 0));
}

QStringList CommandPalette::shown() const {
  QStringList names;
  for (int row = 0; row < proxy_->rowCount(); ++row) names.append(proxy_->index(row, 0).data().toString());
  return names;
}

void CommandPalette::trigger() {
  const QModelIndex index = list_->currentIndex();
  if (!index.isValid()) return;
  const QPointer<QAction> action = qobject_cast<QAction*>(index.data(actionRole).value<QObject*>());
  accept();
  if (action) QTimer::singleShot(0, action, &QAction::trigger);
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
  if (watched != input_ || event->type() != QEvent::KeyPress) return QDialog::eventFilter(watched, event);
  const int row = list_->currentIndex().row();
  switch (static_cast<QKeyEvent*>(event)->key()) {
    case Qt::Key_Up:
      select(row - 1);
      return true;
    case Qt::Key_Down:
      select(row + 1);
      return true;
    case Qt::Key_PageUp:
      select(row - 10);
      return true;
    case Qt::Key_PageDown:
      select(row + 10);
      return true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
      trigger();
      return true;
    default:
      return QDialog::eventFilter(watched, event);
  }
}

}  // namespace orthros::ui
