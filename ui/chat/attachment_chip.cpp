#include "ui/chat/attachment_chip.hpp"

#include <QFontMetrics>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

#include "ui/format/numbers.hpp"
#include "ui/widgets/labels.hpp"

namespace orthros::ui {
namespace {

constexpr int widestName = 240;

}  // namespace

QString attachmentText(const Attachment& attachment) {
  const QFontMetrics metrics(Theme::font(metric::captionText));
  const QString name = metrics.elidedText(attachment.document->name, Qt::ElideMiddle, widestName);
  if (!attachment.tokens) return name;
  return QStringLiteral("%1 · %2").arg(name, tokensText(*attachment.tokens));
}

AttachmentChip::AttachmentChip(const Attachment& attachment, bool removable, QWidget* parent)
    : QFrame(parent) {
  setObjectName(QStringLiteral("chip"));
  setAccessibleName(attachmentText(attachment));
  setToolTip(attachment.document->path);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(8, 1, removable ? 2 : 8, 1);
  row->setSpacing(0);
  auto* label = makeLabel(attachmentText(attachment), Role::caption, this);
  label->setTextFormat(Qt::PlainText);
  row->addWidget(label);
  if (!removable) return;
  auto* remove = new QToolButton(this);
  remove->setText(QStringLiteral("×"));
  remove->setAccessibleName(tr("Remove %1").arg(attachment.document->name));
  remove->setToolTip(tr("Remove"));
  connect(remove, &QToolButton::clicked, this, &AttachmentChip::removeRequested);
  row->addWidget(remove);
}

void AttachmentChip::mouseReleaseEvent(QMouseEvent*) {
  emit openRequested();
}

}  // namespace orthros::ui
