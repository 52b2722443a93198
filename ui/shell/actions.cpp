#include "ui/shell/actions.hpp"

#include <QAction>
#include <QActionGroup>
#include <QMenu>
#include <QMenuBar>

#include "engine/phase/presets.hpp"

namespace orthros::ui {

Actions::Actions(QObject* parent) : QObject(parent) {
  makeFileActions();
  makeChatActions();
  makePlanActions();
  makeViewActions();
}

QAction* Actions::add(const QString& text, const QKeySequence& shortcut) {
  auto* action = new QAction(text, this);
  action->setShortcut(shortcut);
  all_.append(action);
  return action;
}

QAction* Actions::addCheckable(const QString& text, const QKeySequence& shortcut, QActionGroup* group) {
  QAction* action = add(text, shortcut);
  action->setCheckable(true);
  if (group) group->addAction(action);
  return action;
}

void Actions::makeFileActions() {
  openModel = add(tr("Open &model…"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_O));
  attachAdapter = add(tr("Attach &adapter…"));
  openDocument = add(tr("Open &document…"), QKeySequence::Open);
  exportPng = add(tr("Export chart as &PNG…"), QKeySequence(Qt::CTRL | Qt::Key_E));
  exportSvg = add(tr("Export chart as &SVG…"));
  exportCsv = add(tr("Export chart as &CSV…"));
  exportJson = add(tr("Export run record as &JSON…"));
  quit = add(tr("&Quit"), QKeySequence(Qt::CTRL | Qt::Key_Q));
  quit->setMenuRole(QAction::QuitRole);
}

void Actions::makeChatActions() {
  newChat = add(tr("&New chat"), QKeySequence::New);
  send = add(tr("&Send"), QKeySequence(Qt::CTRL | Qt::Key_Return));
  stop = add(tr("S&top"), QKeySequence(Qt::CTRL | Qt::Key_Period));
  copyAnswer = add(tr("&Copy answer"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C));
  compare = addCheckable(tr("Compare each answer with &vanilla"));
  compareLast =
      add(tr("Compare the &last answer with vanilla"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_V));
}

void Actions::makePlanActions() {
  auto* group = new QActionGroup(this);
  const auto addPlan = [&](const QString& text, const QString& name) {
    plans.append(addCheckable(text, {}, group));
    plans.back()->setData(name);
    plans.back()->setProperty(commandName, tr("Plan: %1").arg(text));
  };
  addPlan(tr("the model's own"), {});
  plans.back()->setChecked(true);
  for (const phase::PresetInfo& preset : phase::presets()) {
    const QString name = QString::fromLatin1(preset.name);
    addPlan(name, name);
    plans.back()->setToolTip(QString::fromUtf8(preset.description));
  }
}

void Actions::makeViewActions() {
  auto* pages = new QActionGroup(this);
  chatPage = addCheckable(tr("Go to &Chat"), QKeySequence(Qt::CTRL | Qt::Key_1), pages);
  phasesPage = addCheckable(tr("Go to &Phases"), QKeySequence(Qt::CTRL | Qt::Key_2), pages);
  chatPage->setChecked(true);
  showDocument = addCheckable(tr("Show &document"), QKeySequence(Qt::CTRL | Qt::Key_D));
  find = add(tr("&Find in document"), QKeySequence::Find);
  showTable = addCheckable(tr("Show phases as &table"), QKeySequence(Qt::CTRL | Qt::Key_T));
  commands = add(tr("C&ommands…"), QKeySequence(Qt::CTRL | Qt::Key_K));
  auto* themes = new QActionGroup(this);
  themeSystem = addCheckable(tr("S&ystem theme"), {}, themes);
  themeLight = addCheckable(tr("&Light theme"), {}, themes);
  themeDark = addCheckable(tr("D&ark theme"), {}, themes);
  about = add(tr("&About Orthros"));
  about->setMenuRole(QAction::AboutRole);
}

void Actions::fill(QMenuBar* bar) const {
  QMenu* file = bar->addMenu(tr("&File"));
  file->addActions({openModel, attachAdapter, openDocument});
  file->addSeparator();
  file->addActions({exportPng, exportSvg, exportCsv, exportJson});
  file->addSeparator();
  file->addAction(quit);
  QMenu* chat = bar->addMenu(tr("&Chat"));
  chat->addActions({newChat, send, stop, copyAnswer});
  chat->addSeparator();
  chat->addActions({compare, compareLast});
  QMenu* plan = bar->addMenu(tr("&Plan"));
  plan->setToolTipsVisible(true);
  plan->addActions(plans);
  QMenu* view = bar->addMenu(tr("&View"));
  view->addActions({chatPage, phasesPage});
  view->addSeparator();
  view->addActions({showDocument, find, showTable, commands});
  view->addSeparator();
  view->addActions({themeSystem, themeLight, themeDark});
  bar->addMenu(tr("&Help"))->addAction(about);
}

}  // namespace orthros::ui
