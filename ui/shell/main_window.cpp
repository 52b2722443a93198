#include "ui/shell/main_window.hpp"

#include <QAction>
#include <QCloseEvent>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QMenuBar>
#include <QScreen>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <filesystem>

#include "ui/chat/chat_page.hpp"
#include "ui/chat/chat_session.hpp"
#include "ui/chat/composer.hpp"
#include "ui/phases/phases_page.hpp"
#include "ui/shell/actions.hpp"
#include "ui/shell/rail.hpp"
#include "ui/shell/settings.hpp"
#include "ui/shell/status_line.hpp"
#include "ui/theme/theme.hpp"

namespace orthros::ui {

MainWindow::MainWindow(std::unique_ptr<session::Service> service)
    : actions_(new Actions(this)),
      engine_(std::make_unique<EngineClient>(std::move(service))),
      models_(std::make_unique<ModelSlots>(*engine_)),
      chat_(std::make_unique<ChatSession>(*engine_, *models_)) {
  setWindowTitle(tr("Orthros"));
  setMinimumSize(720, 480);
  resize(1280, 800);
  buildLayout();
  actions_->fill(menuBar());
  connectFileActions();
  connectChatActions();
  connectViewActions();
  connectChat();
  updateActions();
  chatPage_->composer()->focusQuestion();
}

// The pages go before the engine that they listen to.
MainWindow::~MainWindow() {
  delete takeCentralWidget();
}

void MainWindow::buildLayout() {
  auto* central = new QWidget(this);
  auto* column = new QVBoxLayout(central);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  auto* row = new QHBoxLayout;
  row->setSpacing(0);
  auto* rail = new Rail(central);
  rail->addPage(actions_->chatPage, tr("Chat"), Rail::Icon::chat);
  rail->addPage(actions_->phasesPage, tr("Phases"), Rail::Icon::phases);
  pages_ = new QStackedWidget(central);
  chatPage_ = new ChatPage(*chat_, *models_, pages_);
  phasesPage_ = new PhasesPage(pages_);
  phasesPage_->setExportActions(
      {actions_->exportPng, actions_->exportSvg, actions_->exportCsv, actions_->exportJson});
  pages_->addWidget(chatPage_);
  pages_->addWidget(phasesPage_);
  row->addWidget(rail);
  row->addWidget(pages_, 1);
  column->addLayout(row, 1);
  statusLine_ = new StatusLine(*chat_, *models_, central);
  column->addWidget(statusLine_);
  setCentralWidget(central);
}

void MainWindow::connectChat() {
  connect(chat_.get(), &ChatSession::activityChanged, this, &MainWindow::updateActions);
  connect(chat_.get(), &ChatSession::compareChanged, this,
          [this] { actions_->compare->setChecked(chat_->comparing()); });
  connect(chat_.get(), &ChatSession::answerEnded, this, &MainWindow::showRuns);
  connect(chat_.get(), &ChatSession::cleared, this, &MainWindow::showRuns);
  connect(chatPage_, &ChatPage::openModelRequested, actions_->openModel, &QAction::trigger);
  connect(chatPage_, &ChatPage::attachRequested, actions_->openDocument, &QAction::trigger);
  connect(chatPage_, &ChatPage::phasesRequested, actions_->phasesPage, &QAction::trigger);
  connect(chatPage_, &ChatPage::documentVisibilityChanged, this, [this](bool visible) {
    actions_->showDocument->setChecked(visible);
    updateActions();
  });
  connect(phasesPage_, &PhasesPage::chatRequested, actions_->chatPage, &QAction::trigger);
  connect(phasesPage_, &PhasesPage::compareRequested, chat_.get(), &ChatSession::compareLast);
  connect(phasesPage_, &PhasesPage::tableVisibilityChanged, actions_->showTable, &QAction::setChecked);
}

void MainWindow::updateActions() {
  const bool idle = chat_->activity() == Activity::idle;
  const bool ran = phasesPage_->runs().main != nullptr;
  actions_->stop->setEnabled(!idle && !chat_->stopping());
  actions_->send->setEnabled(idle);
  actions_->newChat->setEnabled(idle);
  actions_->compareLast->setEnabled(chat_->canCompareLast());
  phasesPage_->setCanCompare(chat_->canCompareLast());
  actions_->copyAnswer->setEnabled(!chat_->exchanges().empty());
  actions_->openModel->setEnabled(idle);
  actions_->attachAdapter->setEnabled(idle && models_->mainSetUp().has_value());
  for (QAction* plan : actions_->plans) plan->setEnabled(idle && models_->mainSetUp().has_value());
  for (QAction* action : {actions_->exportPng, actions_->exportSvg, actions_->exportCsv, actions_->exportJson,
                          actions_->showTable})
    action->setEnabled(ran);
}

void MainWindow::showRuns() {
  RunPair runs;
  std::vector<DocumentPtr> documents;
  for (const Exchange& exchange : chat_->exchanges()) {
    documents.insert(documents.end(), exchange.documents.begin(), exchange.documents.end());
    if (!exchange.main.record) continue;
    runs.main = exchange.main.record;
    runs.baseline = exchange.vanilla.record;
  }
  runs.documents = documentsTitle(documents);
  phasesPage_->setRuns(runs);
  updateActions();
}

void MainWindow::load(const session::SetUp& setUp) {
  chat_->startOver();
  models_->loadMain(setUp);
  for (QAction* plan : actions_->plans)
    if (plan->data().toString().toStdString() == setUp.plan) plan->setChecked(true);
}

void MainWindow::openDocument(const QString& path, const QString& suggestedQuestion) {
  if (!suggestedQuestion.isEmpty()) chatPage_->setSuggestionFor(path, suggestedQuestion);
  chatPage_->openDocuments({path});
}

void MainWindow::showPage(QWidget* page) {
  pages_->setCurrentWidget(page);
  if (page == chatPage_)
    chatPage_->composer()->focusQuestion();
  else
    page->setFocus();
}

// The engine may still read or load. The window goes at once; what runs is cancelled and waited for
// afterwards.
void MainWindow::closeEvent(QCloseEvent* event) {
  settings::setCompare(chat_->comparing());
  chat_->stop();
  event->accept();
}

}  // namespace orthros::ui
