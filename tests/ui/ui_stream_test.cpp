// The window stays alive however fast the engine talks.
#include <QElapsedTimer>
#include <QScrollBar>
#include <QTimer>
#include <algorithm>
#include <thread>

#include "tests/support/fake_service.hpp"
#include "tests/support/qt_test_main.hpp"
#include "tests/support/thread_time.hpp"
#include "ui/chat/answer_panel.hpp"
#include "ui/chat/answer_view.hpp"
#include "ui/chat/chat_page.hpp"
#include "ui/chat/chat_session.hpp"
#include "ui/chat/conversation_view.hpp"
#include "ui/chat/exchange_view.hpp"
#include "ui/engine_client/mailbox.hpp"
#include "ui/shell/main_window.hpp"

using namespace orthros;
using namespace orthros::ui;

namespace {

// How long the event loop is held: what the window's thread computes between two turns of a timer, in ms of
// processor time. Waiting for a processor that other programs use does not count, so the limit can be sharp.
class LoopMeter : public QObject {
 public:
  LoopMeter() {
    connect(&timer_, &QTimer::timeout, this, [this] { held_.push_back(time_.restart()); });
    timer_.setTimerType(Qt::PreciseTimer);
    timer_.start(1);
  }
  double longest() const { return held_.empty() ? 0 : *std::max_element(held_.begin(), held_.end()); }
  size_t turns() const { return held_.size(); }

 private:
  QTimer timer_;
  test::ThreadTime time_;
  std::vector<double> held_;
};

test::FakeScript longAnswer(size_t tokens) {
  test::FakeScript script;
  script.pieces.clear();
  script.promptTokens = 600;
  for (size_t token = 0; token < tokens; ++token) {
    const bool paragraph = token % 90 == 89;
    const bool item = token % 400 == 399;
    script.pieces.push_back(item ? "\n\n- item **bold** " : paragraph ? ".\n\n" : "word ");
  }
  return script;
}

std::unique_ptr<MainWindow> readyWindow(const test::FakeScript& script, test::FakeService** fake = nullptr) {
  auto service = std::make_unique<test::FakeService>(script);
  if (fake) *fake = service.get();
  auto window = std::make_unique<MainWindow>(std::move(service));
  window->chat().setCompare(false);
  window->show();
  window->load(session::SetUp{"/models/base.gguf", {}, "", ""});
  return window;
}

bool isReady(const MainWindow& window) {
  return window.models().state(session::Service::mainSlot) == ModelSlots::State::ready;
}

}  // namespace

class UiStreamTest : public QObject {
  Q_OBJECT

 private slots:
  void piecesThatFollowEachOtherBecomeOne() {
    int wakes = 0;
    Mailbox box([&] { ++wakes; });
    for (int piece = 0; piece < 1000; ++piece) box.post({1, AnswerText{"x"}});
    for (uint64_t done = 0; done < 1000; ++done) box.post({1, StageProgress{"prefill", done, 1000}});
    box.post({1, StageProgress{"tail", 1, 2}});
    box.post({2, AnswerText{"y"}});
    QCOMPARE(wakes, 1);
    const auto events = box.take();
    QCOMPARE(events.size(), size_t(4));
    QCOMPARE(std::get<AnswerText>(events[0].content).text.size(), size_t(1000));
    QCOMPARE(std::get<StageProgress>(events[1].content).done, uint64_t(999));
    QCOMPARE(std::get<StageProgress>(events[2].content).stage, std::string("tail"));
    QCOMPARE(events[3].request, RequestId(2));
    box.post({3, AnswerText{"z"}});
    QCOMPARE(wakes, 2);
    box.close();
    box.post({4, AnswerText{"after"}});
    QCOMPARE(box.take().size(), size_t(0));
  }

  void signalsComeAtMostOncePerFrame() {
    test::FakeScript script = longAnswer(20'000);
    EngineClient engine(std::make_unique<test::FakeService>(script));
    int signalCount = 0;
    QString text;
    bool done = false;
    connect(&engine, &EngineClient::textArrived, this, [&](RequestId, const QString& piece) {
      ++signalCount;
      text += piece;
    });
    connect(&engine, &EngineClient::finished, this, [&] { done = true; });
    QElapsedTimer clock;
    clock.start();
    engine.ask(session::Service::mainSlot, {});
    QTRY_VERIFY_WITH_TIMEOUT(done, 20'000);
    QVERIFY(signalCount <= clock.elapsed() / 16 + 2);
    std::string expected;
    for (const std::string& piece : script.pieces) expected += piece;
    QCOMPARE(text, QString::fromStdString(expected));
  }

  void fiftyThousandTokensLeaveTheLoopAlive() {
    test::FakeScript script = longAnswer(50'000);
    script.perPiece =
        std::chrono::microseconds(100);  // with the timer's own slack some 6,000 tokens a second
    auto window = readyWindow(script);
    QTRY_VERIFY(isReady(*window));
    QTest::qWait(300);
    LoopMeter loop;
    QVERIFY(window->chat().send("Go on for long"));
    QTRY_VERIFY_WITH_TIMEOUT(window->chat().activity() == Activity::idle, 90'000);
    const AnswerView* view = window->chatPage().conversation()->last()->panel(Side::main)->view();
    QVERIFY(view->markdown().size() > 200'000);
    qInfo("%zu turns, the longest held the loop for %.1f ms", loop.turns(), loop.longest());
    QVERIFY2(loop.longest() <= 50 * test::slowBuild, "a turn of the event loop took above 50 ms");
    QVERIFY(loop.turns() > 100);
  }

  void theViewFollowsOnlyFromItsEnd() {
    test::FakeScript script = longAnswer(4000);
    script.perPiece = std::chrono::microseconds(300);
    auto window = readyWindow(script);
    QTRY_VERIFY(isReady(*window));
    window->chat().send("Go on");
    ConversationView* view = window->chatPage().conversation();
    QScrollBar* bar = view->verticalScrollBar();
    QTRY_VERIFY_WITH_TIMEOUT(bar->maximum() > 400, 20'000);
    QCOMPARE(bar->value(), bar->maximum());
    bar->setValue(bar->maximum() / 2);
    const int kept = bar->value();
    const int before = bar->maximum();
    QTRY_VERIFY_WITH_TIMEOUT(bar->maximum() > before + 100, 20'000);
    QCOMPARE(bar->value(), kept);
    bar->setValue(bar->maximum());
    QTRY_VERIFY_WITH_TIMEOUT(window->chat().activity() == Activity::idle, 30'000);
    QTRY_COMPARE(bar->value(), bar->maximum());
  }

  void stopActsSoonWhileTheAnswerStreams() {
    test::FakeScript script = longAnswer(50'000);
    script.perPiece = std::chrono::microseconds(200);
    auto window = readyWindow(script);
    QTRY_VERIFY(isReady(*window));
    window->chat().send("Go on");
    QTRY_VERIFY_WITH_TIMEOUT(window->chat().activity() == Activity::answering, 20'000);
    QTest::qWait(200);
    QElapsedTimer clock;
    clock.start();
    window->chat().stop();
    QVERIFY(window->chat().stopping());
    QTRY_VERIFY_WITH_TIMEOUT(window->chat().activity() == Activity::idle, 5'000);
    QVERIFY2(clock.elapsed() < 500, "stop is to act within 100 ms; 500 leaves room for a busy machine");
    QCOMPARE(window->chat().exchanges().back().main.record->finish, std::string("cancelled"));
  }
};

ORTHROS_QT_TEST_MAIN(UiStreamTest)
#include "ui_stream_test.moc"
