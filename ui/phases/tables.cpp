#include "ui/phases/tables.hpp"

#include <QHeaderView>
#include <QTableView>
#include <algorithm>
#include <map>

#include "ui/format/numbers.hpp"
#include "ui/widgets/tabular_delegate.hpp"

namespace orthros::ui {
namespace {

QString perSecondText(uint64_t amount, double seconds, const char* unit) {
  if (amount == 0) return QStringLiteral("–");
  return scaledText(static_cast<double>(amount) / seconds, QLatin1String(unit));
}

}  // namespace

void TextTableModel::setContents(const QStringList& headings, const QList<QStringList>& rows) {
  beginResetModel();
  headings_ = headings;
  rows_ = rows;
  endResetModel();
}

int TextTableModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int TextTableModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(headings_.size());
}

QVariant TextTableModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  if (role == Qt::DisplayRole) return rows_.value(index.row()).value(index.column());
  if (role == Qt::TextAlignmentRole)
    return QVariant::fromValue(Qt::AlignVCenter | (index.column() == 0 ? Qt::AlignLeft : Qt::AlignRight));
  return {};
}

QVariant TextTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::DisplayRole) return headings_.value(section);
  if (role == Qt::TextAlignmentRole)
    return QVariant::fromValue(Qt::AlignVCenter | (section == 0 ? Qt::AlignLeft : Qt::AlignRight));
  return {};
}

QTableView* makeTable(TextTableModel* model, const QString& accessibleName, QWidget* parent) {
  auto* table = new QTableView(parent);
  table->setModel(model);
  table->setAccessibleName(accessibleName);
  table->setShowGrid(false);
  table->setAlternatingRowColors(false);
  table->setSelectionBehavior(QAbstractItemView::SelectRows);
  table->setItemDelegate(new TabularDelegate(table));
  table->verticalHeader()->hide();
  table->verticalHeader()->setDefaultSectionSize(30);
  table->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
  table->horizontalHeader()->setHighlightSections(false);
  table->setTabKeyNavigation(false);
  return table;
}

void fillFigures(TextTableModel& model, const RunPair& runs) {
  const QString main = runs.main ? planTitle(*runs.main) : QString();
  const QString baseline = runs.baseline ? planTitle(*runs.baseline) : TextTableModel::tr("Vanilla");
  QList<QStringList> rows;
  for (const Figure& figure : figuresOf(runs))
    rows.append({figure.name, figureText(figure.main, figure.unit),
                 figureText(figure.mainModelled, figure.unit), figureText(figure.baseline, figure.unit),
                 figureText(figure.baselineModelled, figure.unit)});
  model.setContents(
      {TextTableModel::tr("quantity"), TextTableModel::tr("%1, measured").arg(main),
       TextTableModel::tr("%1, modelled").arg(main), TextTableModel::tr("%1, measured").arg(baseline),
       TextTableModel::tr("%1, modelled").arg(baseline)},
      rows);
}

void fillOperations(TextTableModel& model, const session::RunRecord& record) {
  std::map<std::string, session::OperationTotals> sums;
  uint64_t all = 0;
  for (const session::OperationTotals& operation : record.operations) {
    if (operation.phase == session::RunPhase::decode) continue;
    session::OperationTotals& sum = sums[operation.operation];
    sum.operation = operation.operation;
    sum.dispatches += operation.dispatches;
    sum.deviceNs += operation.deviceNs;
    sum.flop += operation.flop;
    sum.bytes += operation.bytes;
    all += operation.deviceNs;
  }
  std::vector<session::OperationTotals> sorted;
  for (const auto& [name, sum] : sums) sorted.push_back(sum);
  std::sort(sorted.begin(), sorted.end(),
            [](const auto& a, const auto& b) { return a.deviceNs > b.deviceNs; });
  QList<QStringList> rows;
  for (const session::OperationTotals& sum : sorted) {
    if (sum.deviceNs == 0) continue;
    const double seconds = static_cast<double>(sum.deviceNs) * 1e-9;
    rows.append({QString::fromStdString(sum.operation),
                 percentText(static_cast<double>(sum.deviceNs) / static_cast<double>(all)),
                 durationText(sum.deviceNs), countText(sum.dispatches),
                 perSecondText(sum.flop, seconds, "FLOP/s"), perSecondText(sum.bytes, seconds, "B/s")});
  }
  model.setContents({TextTableModel::tr("operation"), TextTableModel::tr("share"), TextTableModel::tr("time"),
                     TextTableModel::tr("dispatches"), TextTableModel::tr("arithmetic"),
                     TextTableModel::tr("memory traffic")},
                    rows);
}

}  // namespace orthros::ui
