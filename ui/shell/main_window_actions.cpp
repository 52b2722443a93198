// What the window's actions do.
#include <QAction>
#include <QClipboard>
#include <QCoreApplication>
#include <QFileDialog>
#include <QGuiApplication>
#include <QMessageBox>
#include <QSettings>
#include <filesystem>

#include "ui/chat/chat_page.hpp"
#include "ui/chat/chat_session.hpp"
#include "ui/chat/composer.hpp"
#include "ui/document/document_pane.hpp"
#include "ui/phases/phases_page.hpp"
#include "ui/shell/actions.hpp"
#include "ui/shell/command_palette.hpp"
#include "ui/shell/main_window.hpp"
#include "ui/shell/settings.hpp"
#include "ui/theme/theme.hpp"

namespace orthros::ui {
namespace {

std::filesystem::path toPath(const QString& path) {
  return std::filesystem::path(path.toStdU16String());
}

}  // namespace

void MainWindow::connectFileActions() {
  connect(actions_->openModel, &QAction::triggered, this, &MainWindow::openModel);
  connect(actions_->attachAdapter, &QAction::triggered, this, &MainWindow::attachAdapter);
  connect(actions_->openDocument, &QAction::triggered, this, &MainWindow::chooseDocuments);
  connect(actions_->quit, &QAction::triggered, this, &MainWindow::close);
  connect(actions_->exportPng, &QAction::triggered, this, [this] { exportAs(ExportFormat::png); });
  connect(actions_->exportSvg, &QAction::triggered, this, [this] { exportAs(ExportFormat::svg); });
  connect(actions_->exportCsv, &QAction::triggered, this, [this] { exportAs(ExportFormat::csv); });
  connect(actions_->exportJson, &QAction::triggered, this, [this] { exportAs(ExportFormat::json); });
}

void MainWindow::connectChatActions() {
  connect(actions_->newChat, &QAction::triggered, this, [this] {
    chat_->startOver();
    showPage(chatPage_);
    actions_->chatPage->setChecked(true);
    chatPage_->composer()->focusQuestion();
  });
  connect(actions_->send, &QAction::triggered, chatPage_->composer(), &Composer::send);
  connect(actions_->stop, &QAction::triggered, chat_.get(), &ChatSession::stop);
  connect(actions_->copyAnswer, &QAction::triggered, this, &MainWindow::copyAnswer);
  connect(actions_->compare, &QAction::toggled, chat_.get(), &ChatSession::setCompare);
  connect(actions_->compareLast, &QAction::triggered, chat_.get(), &ChatSession::compareLast);
  for (QAction* plan : actions_->plans)
    connect(plan, &QAction::triggered, this, [this, plan] { choosePlan(plan->data().toString()); });
  actions_->compare->setChecked(settings::compare());
}

void MainWindow::connectViewActions() {
  connect(actions_->chatPage, &QAction::triggered, this, [this] { showPage(chatPage_); });
  connect(actions_->phasesPage, &QAction::triggered, this, [this] { showPage(phasesPage_); });
  connect(actions_->showDocument, &QAction::triggered, chatPage_, &ChatPage::setDocumentVisible);
  connect(actions_->find, &QAction::triggered, this, [this] {
    actions_->chatPage->trigger();
    chatPage_->setDocumentVisible(true);
    chatPage_->documentPane()->find();
  });
  connect(actions_->showTable, &QAction::triggered, this, [this](bool visible) {
    phasesPage_->setTableVisible(visible);
    actions_->phasesPage->trigger();
  });
  connect(actions_->commands, &QAction::triggered, this, &MainWindow::showCommands);
  connect(actions_->about, &QAction::triggered, this, &MainWindow::showAbout);
  const std::pair<QAction*, ThemeChoice> themes[] = {{actions_->themeSystem, ThemeChoice::system},
                                                     {actions_->themeLight, ThemeChoice::light},
                                                     {actions_->themeDark, ThemeChoice::dark}};
  for (const auto& [action, choice] : themes) {
    action->setChecked(Theme::instance().choice() == choice);
    connect(action, &QAction::triggered, this, [choice = choice] {
      Theme::instance().choose(choice);
      settings::setTheme(choice);
    });
  }
}

void MainWindow::openModel() {
  const QString path =
      QFileDialog::getOpenFileName(this, tr("Open model"), {}, tr("Models (*.gguf);;All files (*)"));
  if (path.isEmpty()) return;
  session::SetUp setUp;
  setUp.model = toPath(path);
  if (const auto& current = models_->mainSetUp()) setUp.deviceUuid = current->deviceUuid;
  load(setUp);
}

void MainWindow::attachAdapter() {
  const QString path =
      QFileDialog::getOpenFileName(this, tr("Attach adapter"), {}, tr("Adapters (*.gguf);;All files (*)"));
  if (path.isEmpty() || !models_->mainSetUp()) return;
  session::SetUp setUp = *models_->mainSetUp();
  setUp.adapter = toPath(path);
  setUp.plan.clear();  // an adapter brings its plan
  load(setUp);
}

void MainWindow::chooseDocuments() {
  const QStringList paths = QFileDialog::getOpenFileNames(
      this, tr("Open document"), {}, tr("Text (*.txt *.md *.log *.csv *.json *.tex *.rst);;All files (*)"));
  chatPage_->openDocuments(paths);
}

void MainWindow::choosePlan(const QString& name) {
  if (!models_->mainSetUp()) return;
  session::SetUp setUp = *models_->mainSetUp();
  setUp.plan = name.toStdString();
  load(setUp);
}

void MainWindow::copyAnswer() {
  if (chat_->exchanges().empty()) return;
  QGuiApplication::clipboard()->setText(chat_->exchanges().back().main.text.trimmed());
}

void MainWindow::exportAs(ExportFormat format) {
  const QString suffix = QString::fromLatin1(suffixOf(format));
  const QString path =
      QFileDialog::getSaveFileName(this, tr("Export"), QStringLiteral("orthros-phases.") + suffix,
                                   QStringLiteral("%1 (*.%2)").arg(suffix.toUpper(), suffix));
  if (path.isEmpty()) return;
  const Status status = exportRuns(phasesPage_->runs(), phasesPage_->chart(), format, path);
  if (!status) QMessageBox::warning(this, tr("Export"), QString::fromStdString(status.error().message()));
}

void MainWindow::showCommands() {
  QList<QAction*> others = actions_->all();
  others.removeOne(actions_->commands);
  auto* palette = new CommandPalette(others, this);
  const QPoint corner = mapToGlobal(QPoint((width() - palette->width()) / 2, 96));
  palette->move(corner);
  palette->open();
}

void MainWindow::showAbout() {
  QMessageBox::about(
      this, tr("About Orthros"),
      tr("Orthros %1\n\nRuns language models on your own device with phase-aware attention: the prompt "
         "is read through a window, the answer sees everything.")
          .arg(QCoreApplication::applicationVersion()));
}

}  // namespace orthros::ui
