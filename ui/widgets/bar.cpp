#include "ui/widgets/bar.hpp"

#include <QPainter>
#include <QPainterPath>
#include <algorithm>

#include "ui/theme/theme.hpp"

namespace orthros::ui {

Bar::Bar(QWidget* parent) : QWidget(parent) {
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

void Bar::setFraction(double fraction) {
  if (fraction == fraction_) return;
  fraction_ = fraction;
  update();
}

void Bar::setColour(PickColour pick) {
  pick_ = pick;
  update();
}

void Bar::paintEvent(QPaintEvent*) {
  const Tokens& tokens = Theme::instance().tokens();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  QPainterPath groove;
  groove.addRoundedRect(rect(), height() / 2.0, height() / 2.0);
  painter.fillPath(groove, tokens.line);
  if (fraction_ <= 0) return;
  QRectF filled = rect();
  filled.setWidth(rect().width() * std::min(1.0, fraction_));
  painter.setClipRect(filled);
  painter.fillPath(groove, pick_ ? pick_() : tokens.accent);
}

}  // namespace orthros::ui
