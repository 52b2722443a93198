// The demonstration: loads the model, opens the sample document, asks the suggested question under both plans
// and saves a picture of every page on the way.
#pragma once

#include <QObject>
#include <QString>

#include "engine/base/result.hpp"

class QWidget;

namespace orthros::ui {

class MainWindow;

class Demonstration : public QObject {
  Q_OBJECT

 public:
  Demonstration(MainWindow& window, const QString& folder, QObject* parent = nullptr);

  // The model and the document must be on their way already. Ends in `finished`, once.
  void play(const QString& question);

 signals:
  void finished(const QString& error);  // empty: all went well

 private:
  enum class Step { preparing, reading, answering, done };

  void proceedWhenReady();
  void onReading();
  void onEnded();
  void showPhases();
  void picture(const char* name, bool alsoLarge);
  void end(const Status& status);

  MainWindow& window_;
  QString folder_;
  QString question_;
  Step step_ = Step::preparing;
  bool patienceOver_ = false;
  Status status_;
};

// The document and question of the demonstration and of a first start.
struct Sample {
  QString path;
  QString question;
};
Result<Sample> sample();

}  // namespace orthros::ui
