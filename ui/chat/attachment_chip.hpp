// A document as a small box: its name and how many tokens it has.
#pragma once

#include <QFrame>

#include "ui/chat/conversation.hpp"

namespace orthros::ui {

class AttachmentChip : public QFrame {
  Q_OBJECT

 public:
  explicit AttachmentChip(const Attachment& attachment, bool removable, QWidget* parent = nullptr);

 signals:
  void removeRequested();
  void openRequested();

 protected:
  void mouseReleaseEvent(QMouseEvent* event) override;
};

// "handbook.txt · 3,012 tokens"; the name alone while the tokens are being counted.
QString attachmentText(const Attachment& attachment);

}  // namespace orthros::ui
