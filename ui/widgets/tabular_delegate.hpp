// Table cells whose digits all have one width, so that the numbers of a column stand under each other.
#pragma once

#include <QStyledItemDelegate>

namespace orthros::ui {

class TabularDelegate : public QStyledItemDelegate {
  Q_OBJECT

 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

}  // namespace orthros::ui
