#include "ui/widgets/flow_layout.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace orthros::ui {

FlowLayout::FlowLayout(int gap, QWidget* parent) : QLayout(parent) {
  setSpacing(gap);
  setContentsMargins(0, 0, 0, 0);
}

FlowLayout::~FlowLayout() {
  qDeleteAll(items_);
}

QLayoutItem* FlowLayout::takeAt(int index) {
  return index >= 0 && index < items_.size() ? items_.takeAt(index) : nullptr;
}

QSize FlowLayout::sizeHint() const {
  int width = 0;
  for (const QLayoutItem* item : items_)
    if (!item->isEmpty()) width += item->sizeHint().width() + spacing();
  return {std::max(0, width - spacing()), minimumSize().height()};
}

QSize FlowLayout::minimumSize() const {
  QSize size;
  for (const QLayoutItem* item : items_)
    if (!item->isEmpty()) size = size.expandedTo(item->minimumSize());
  return size;
}

void FlowLayout::setGeometry(const QRect& rect) {
  QLayout::setGeometry(rect);
  arrange(rect, true);
}

int FlowLayout::arrange(const QRect& rect, bool apply) const {
  int x = rect.x(), y = rect.y(), lineHeight = 0;
  std::vector<std::pair<QLayoutItem*, QPoint>> line;
  const auto finishLine = [&] {
    for (auto& [item, corner] : line) {
      const QSize size = item->sizeHint();
      const int width = std::min(size.width(), std::max(rect.width(), 1));
      corner.ry() += (lineHeight - size.height()) / 2;
      if (apply) item->setGeometry(QRect(corner, QSize(width, size.height())));
    }
    line.clear();
  };
  for (QLayoutItem* item : items_) {
    if (item->isEmpty()) continue;
    const QSize size = item->sizeHint();
    if (x > rect.x() && x + size.width() > rect.x() + rect.width()) {
      finishLine();
      x = rect.x();
      y += lineHeight + spacing();
      lineHeight = 0;
    }
    line.push_back({item, QPoint(x, y)});
    x += size.width() + spacing();
    lineHeight = std::max(lineHeight, size.height());
  }
  finishLine();
  return y + lineHeight - rect.y();
}

}  // namespace orthros::ui
