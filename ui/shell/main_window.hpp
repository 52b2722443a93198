// The window: rail, pages, status line, menus.
#pragma once

#include <QMainWindow>
#include <memory>

#include "ui/engine_client/engine_client.hpp"
#include "ui/phases/export.hpp"

class QStackedWidget;

namespace orthros::ui {

class Actions;
class ChatPage;
class ChatSession;
class ModelSlots;
class PhasesPage;
class StatusLine;

class MainWindow : public QMainWindow {
  Q_OBJECT

 public:
  // Takes the engine: closing the window ends it.
  explicit MainWindow(std::unique_ptr<session::Service> service);
  ~MainWindow() override;

  Actions& actions() const { return *actions_; }
  ChatSession& chat() const { return *chat_; }
  ModelSlots& models() const { return *models_; }
  ChatPage& chatPage() const { return *chatPage_; }
  PhasesPage& phasesPage() const { return *phasesPage_; }
  StatusLine& statusLine() const { return *statusLine_; }

  void load(const session::SetUp& setUp);
  void openDocument(const QString& path, const QString& suggestedQuestion = {});

 protected:
  void closeEvent(QCloseEvent* event) override;

 private:
  void buildLayout();
  void connectFileActions();
  void connectChatActions();
  void connectViewActions();
  void connectChat();
  void updateActions();
  void showRuns();
  void showPage(QWidget* page);
  void openModel();
  void attachAdapter();
  void chooseDocuments();
  void choosePlan(const QString& name);
  void copyAnswer();
  void exportAs(ExportFormat format);
  void showCommands();
  void showAbout();

  Actions* actions_;
  std::unique_ptr<EngineClient> engine_;
  std::unique_ptr<ModelSlots> models_;
  std::unique_ptr<ChatSession> chat_;
  QStackedWidget* pages_;
  ChatPage* chatPage_;
  PhasesPage* phasesPage_;
  StatusLine* statusLine_;
};

}  // namespace orthros::ui
