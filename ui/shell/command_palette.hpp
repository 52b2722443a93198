// Every action of the menus, found by typing a part of its name.
#pragma once

#include <QDialog>

class QAction;
class QLineEdit;
class QListView;
class QSortFilterProxyModel;
class QStandardItemModel;

namespace orthros::ui {

class CommandPalette : public QDialog {
  Q_OBJECT

 public:
  // Lists the enabled ones of `actions`; the chosen one is triggered after the palette closed.
  CommandPalette(const QList<QAction*>& actions, QWidget* parent);

  QLineEdit* input() const { return input_; }
  QStringList shown() const;

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void filter(const QString& words);
  void select(int row);
  void trigger();

  QLineEdit* input_;
  QListView* list_;
  QStandardItemModel* model_;
  QSortFilterProxyModel* proxy_;
};

}  // namespace orthros::ui
