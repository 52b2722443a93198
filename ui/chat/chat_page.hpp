// The page where questions are asked: conversation, composer, and the document beside them.
#pragma once

#include <QWidget>

#include "ui/engine_client/document_reader.hpp"

class QCheckBox;
class QLabel;
class QSplitter;

namespace orthros::ui {

class ChatSession;
class Composer;
class ConversationView;
class DocumentPane;
class EmptyState;
class ModelSlots;

class ChatPage : public QWidget {
  Q_OBJECT

 public:
  ChatPage(ChatSession& chat, ModelSlots& models, QWidget* parent = nullptr);

  Composer* composer() const { return composer_; }
  ConversationView* conversation() const { return conversation_; }
  DocumentPane* documentPane() const { return document_; }
  EmptyState* emptyState() const { return emptyState_; }

  void openDocuments(const QStringList& paths);
  bool documentVisible() const;
  void setDocumentVisible(bool visible);
  // Pressing the invitation asks this; the next document that is opened brings it.
  void setSuggestionFor(const QString& path, const QString& question);

 signals:
  void openModelRequested();
  void attachRequested();
  void phasesRequested();
  void documentVisibilityChanged(bool visible);
  void documentOpened(const orthros::ui::DocumentPtr& document);

 protected:
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  QWidget* makeHeader();
  QWidget* makeChatColumn();
  void connectDocuments();
  void showHeader();
  void showAttachments();
  void showDocument(const DocumentPtr& document);

  ChatSession& chat_;
  ModelSlots& models_;
  DocumentReader reader_;
  QSplitter* splitter_;
  QLabel* title_;
  QLabel* plan_;
  QCheckBox* compare_;
  EmptyState* emptyState_;
  ConversationView* conversation_;
  Composer* composer_;
  DocumentPane* document_;
  QString suggestionPath_, suggestion_;
};

}  // namespace orthros::ui
