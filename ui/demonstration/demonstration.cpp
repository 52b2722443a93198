#include "ui/demonstration/demonstration.hpp"

#include <QAction>
#include <QDir>
#include <QTimer>

#include "engine/base/file.hpp"
#include "engine/base/paths.hpp"
#include "ui/chat/chat_page.hpp"
#include "ui/chat/chat_session.hpp"
#include "ui/chat/conversation_view.hpp"
#include "ui/demonstration/pictures.hpp"
#include "ui/phases/phases_page.hpp"
#include "ui/shell/actions.hpp"
#include "ui/shell/main_window.hpp"

namespace orthros::ui {
namespace {

using session::Service;

constexpr uint32_t answerTokens = 48;
constexpr int patienceMs = 10'000;    // for the price of the question
constexpr double readingShare = 0.3;  // of the prompt, when its picture is taken

}  // namespace

Result<Sample> sample() {
  ORTHROS_ASSIGN(const auto resources, resourcesFolder());
  const QString path = QString::fromStdString((resources / "ui" / "harbour-handbook.txt").string());
  return Sample{path, QObject::tr("What is the access code for the harbour master?")};
}

Demonstration::Demonstration(MainWindow& window, const QString& folder, QObject* parent)
    : QObject(parent), window_(window), folder_(folder) {}

void Demonstration::play(const QString& question) {
  question_ = question;
  if (!QDir().mkpath(folder_)) {
    end(fail(ErrorCode::io, folder_.toStdString(), "could not be made",
             "Choose a folder that can be written to"));
    return;
  }
  ChatSession& chat = window_.chat();
  chat.setLongestAnswer(answerTokens);
  chat.setCompare(true);
  connect(&window_.models(), &ModelSlots::changed, this, &Demonstration::proceedWhenReady);
  connect(&chat.attachments(), &AttachmentList::changed, this, &Demonstration::proceedWhenReady);
  connect(&chat.estimator(), &Estimator::changed, this, &Demonstration::proceedWhenReady);
  connect(&chat, &ChatSession::readingChanged, this, &Demonstration::onReading);
  connect(&chat, &ChatSession::activityChanged, this, &Demonstration::onEnded);
  connect(&chat, &ChatSession::retracted, this, [this](const QString&, const QString& reason) {
    end(fail(ErrorCode::internal, "demonstration", reason.toStdString()));
  });
  proceedWhenReady();
}

void Demonstration::proceedWhenReady() {
  if (step_ != Step::preparing) return;
  ChatSession& chat = window_.chat();
  if (window_.models().state(Service::mainSlot) == ModelSlots::State::failed) {
    end(fail(window_.models().error(Service::mainSlot)));
    return;
  }
  const auto& items = chat.attachments().items();
  const bool ready = window_.models().state(Service::mainSlot) == ModelSlots::State::ready && !items.empty();
  if (!ready) return;
  const bool priced = items.front().tokens && chat.estimator().latest();
  if (!priced && !patienceOver_) {
    QTimer::singleShot(patienceMs, this, [this] {
      patienceOver_ = true;
      proceedWhenReady();
    });
    return;
  }
  step_ = Step::reading;
  // Later, when the page has drawn what it was told.
  QTimer::singleShot(100, this, [this] {
    picture("chat-empty", false);
    if (!window_.chat().send(question_))
      end(fail(ErrorCode::internal, "demonstration", "could not send its question"));
  });
}

void Demonstration::onReading() {
  const ChatSession& chat = window_.chat();
  if (step_ != Step::reading || chat.activity() != Activity::reading || chat.reading().total == 0) return;
  if (static_cast<double>(chat.reading().done) < readingShare * static_cast<double>(chat.reading().total))
    return;
  step_ = Step::answering;
  picture("chat-prefill", false);
}

void Demonstration::onEnded() {
  const ChatSession& chat = window_.chat();
  const bool asked = step_ == Step::reading || step_ == Step::answering;
  if (!asked || chat.activity() != Activity::idle || chat.exchanges().empty()) return;
  const Exchange& exchange = chat.exchanges().back();
  if (!exchange.main.ended()) return;
  for (const Answer* answer : {&exchange.main, &exchange.vanilla})
    if (answer->error) {
      end(fail(*answer->error));
      return;
    }
  step_ = Step::done;
  QTimer::singleShot(100, this, [this] {
    picture("chat-answer", true);
    showPhases();
  });
}

void Demonstration::showPhases() {
  window_.actions().phasesPage->trigger();
  QTimer::singleShot(100, this, [this] {
    picture("phases", true);
    window_.phasesPage().setOperationsVisible();
    picture("phases-operations", false);
    window_.phasesPage().setTableVisible(true);
    QTimer::singleShot(100, this, [this] {
      picture("phases-table", false);
      const std::string records = toJsonText(window_.phasesPage().runs());
      const Status written = writeFileAtomically(QDir(folder_).filePath("runs.json").toStdString(), records);
      end(status_ ? written : status_);
    });
  });
}

void Demonstration::picture(const char* name, bool alsoLarge) {
  for (const int scale : {1, 2}) {
    if (scale > 1 && !alsoLarge) continue;
    const Status saved = savePictures(window_, folder_, QString::fromLatin1(name), scale);
    if (!saved && status_) status_ = saved;
  }
}

void Demonstration::end(const Status& status) {
  step_ = Step::done;
  disconnect(&window_.chat(), nullptr, this, nullptr);
  disconnect(&window_.models(), nullptr, this, nullptr);
  const QString error = status ? QString() : QString::fromStdString(status.error().message());
  QTimer::singleShot(0, this, [this, error] { emit finished(error); });
}

}  // namespace orthros::ui
