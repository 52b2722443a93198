// Every action of the window, made once. Menus, buttons and the command palette show these same objects.
#pragma once

#include <QKeySequence>
#include <QList>
#include <QObject>
#include <array>

class QAction;
class QActionGroup;
class QMenuBar;

namespace orthros::ui {

// A property of an action: its name outside its menu, where its text alone says too little.
inline constexpr char commandName[] = "commandName";

class Actions : public QObject {
  Q_OBJECT

 public:
  explicit Actions(QObject* parent);

  QAction *openModel, *attachAdapter, *openDocument, *newChat, *quit;
  QAction *send, *stop, *compare, *compareLast, *copyAnswer, *find;
  QAction *chatPage, *phasesPage, *showDocument, *showTable, *commands;
  QAction *exportPng, *exportSvg, *exportCsv, *exportJson;
  QAction *themeSystem, *themeLight, *themeDark;
  QAction* about;
  QList<QAction*> plans;  // one per preset, its name in data(); the first, empty one is the model's own

  void fill(QMenuBar* bar) const;
  const QList<QAction*>& all() const { return all_; }

 private:
  QAction* add(const QString& text, const QKeySequence& shortcut = {});
  QAction* addCheckable(const QString& text, const QKeySequence& shortcut = {},
                        QActionGroup* group = nullptr);
  void makeFileActions();
  void makeChatActions();
  void makeViewActions();
  void makePlanActions();

  QList<QAction*> all_;
};

}  // namespace orthros::ui
