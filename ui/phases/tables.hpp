// The tables of the Phases page: every figure of both runs, and the operations of one.
#pragma once

#include <QAbstractTableModel>

#include "ui/phases/run_pair.hpp"

class QTableView;

namespace orthros::ui {

// A table of texts with a heading per column; the first column is a name, the others are numbers.
class TextTableModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  using QAbstractTableModel::QAbstractTableModel;

  void setContents(const QStringList& headings, const QList<QStringList>& rows);
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

 private:
  QStringList headings_;
  QList<QStringList> rows_;
};

QTableView* makeTable(TextTableModel* model, const QString& accessibleName, QWidget* parent);

void fillFigures(TextTableModel& model, const RunPair& runs);
// Share, time and rates per operation of the prompt; empty where the run was not traced.
void fillOperations(TextTableModel& model, const session::RunRecord& record);

}  // namespace orthros::ui
