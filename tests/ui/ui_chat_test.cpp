// A conversation from question to figures, and everything that can come between.
#include <QAction>
#include <QInputMethodEvent>
#include <QLabel>
#include <QMimeData>
#include <QPushButton>
#include <QTemporaryDir>
#include <filesystem>
#include <fstream>

#include "tests/support/fake_service.hpp"
#include "tests/support/qt_test_main.hpp"
#include "ui/chat/answer_panel.hpp"
#include "ui/chat/answer_view.hpp"
#include "ui/chat/chat_page.hpp"
#include "ui/chat/chat_session.hpp"
#include "ui/chat/composer.hpp"
#include "ui/chat/conversation_view.hpp"
#include "ui/chat/exchange_view.hpp"
#include "ui/chat/question_edit.hpp"
#include "ui/format/numbers.hpp"
#include "ui/shell/actions.hpp"
#include "ui/shell/main_window.hpp"
#include "ui/shell/status_line.hpp"

using namespace orthros;
using namespace orthros::ui;
using session::Service;
using std::chrono::milliseconds;

namespace {

struct Fixture {
  explicit Fixture(const test::FakeScript& script = {}) {
    auto service = std::make_unique<test::FakeService>(script);
    fake = service.get();
    window = std::make_unique<MainWindow>(std::move(service));
    window->chat().setCompare(false);
    window->show();
    window->load(session::SetUp{"/models/base.gguf", std::filesystem::path("/models/adapter.gguf"), "", ""});
    ready = QTest::qWaitFor(
        [&] { return window->models().state(Service::mainSlot) == ModelSlots::State::ready; });
  }

  ChatSession& chat() { return window->chat(); }
  QuestionEdit* edit() { return window->findChild<QuestionEdit*>(); }
  Composer* composer() { return window->chatPage().composer(); }
  AnswerPanel* panel(Side side = Side::main) {
    return window->chatPage().conversation()->last()->panel(side);
  }
  bool waitIdle() {
    return QTest::qWaitFor([&] { return chat().activity() == Activity::idle; }, 20'000);
  }
  bool ask(const QString& question) { return chat().send(question) && waitIdle(); }
  // The visible message above the question; empty where none is shown.
  QString message() {
    for (QLabel* label : composer()->findChildren<QLabel*>())
      if (label->wordWrap() && label->isVisible()) return label->text();
    return {};
  }

  test::FakeService* fake;
  std::unique_ptr<MainWindow> window;
  bool ready = false;
};

DocumentPtr documentOf(const QString& name, const std::string& text) {
  return std::make_shared<const Document>(Document{name, "/documents/" + name, text});
}

}  // namespace

class UiChatTest : public QObject {
  Q_OBJECT

 private slots:
  void init() { QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates)); }

  void figuresEqualTheRecord_data() {
    QTest::addColumn<QLocale>("locale");
    QTest::addColumn<QString>("tokens");
    QTest::addColumn<QString>("firstToken");
    QTest::newRow("English") << QLocale(QLocale::English, QLocale::UnitedStates) << "3,012 tokens"
                             << "1.29 s";
    QTest::newRow("German") << QLocale(QLocale::German, QLocale::Germany) << "3.012 tokens"
                            << "1,29 s";
  }

  void figuresEqualTheRecord() {
    QFETCH(QLocale, locale);
    QFETCH(QString, tokens);
    QFETCH(QString, firstToken);
    QLocale::setDefault(locale);
    Fixture f;
    QVERIFY(f.ready);
    QVERIFY(f.ask("What is the code?"));
    const auto record = f.fake->lastRecord();
    QVERIFY(record.has_value());
    QCOMPARE(f.panel()->view()->markdown().toStdString(), record->answer);
    const QString line = f.panel()->figures();
    const double readRate = 1e9 * static_cast<double>(record->prefill.rows + record->tail.rows) /
                            static_cast<double>(record->prefill.wallNs + record->tail.wallNs);
    QVERIFY2(line.contains("first token after " + firstToken), qPrintable(line));
    QCOMPARE(durationText(record->ns.firstToken), firstToken);
    QVERIFY2(line.contains("for " + tokens), qPrintable(line));
    QVERIFY2(line.contains(rateText(readRate)), qPrintable(line));
    QVERIFY2(line.contains("decode " + rateText(record->decode.tokensPerSecond())), qPrintable(line));
    QVERIFY2(line.contains(QString("rows: %1 window, %2 tail, %3 answer")
                               .arg(locale.toString(2884), locale.toString(128), locale.toString(2))),
             qPrintable(line));
  }

  void reusedTokensAreSaid() {
    test::FakeScript script;
    script.reusedTokens = 2800;
    Fixture f(script);
    QVERIFY(f.ask("Again?"));
    QVERIFY2(f.panel()->figures().contains("for 212 tokens, reused 2,800 tokens"),
             qPrintable(f.panel()->figures()));
  }

  void readingShowsTokensAndTimeLeft() {
    test::FakeScript script;
    script.perBatch = milliseconds(60);
    Fixture f(script);
    f.chat().send("What is the code?");
    QTRY_VERIFY(f.chat().reading().done >= 512);
    const ReadingProgress& reading = f.chat().reading();
    QVERIFY(reading.total >= 2884);
    QVERIFY(reading.tokensPerSecond > 0);
    QVERIFY(reading.remainingNs > 0);
    const auto* text = f.panel()->findChild<QLabel*>("reading");
    QVERIFY2(text->text().contains("left"), qPrintable(text->text()));
    QVERIFY(f.window->statusLine().activityText().contains("prefill"));
    QVERIFY(f.waitIdle());
  }

  void contextMeterEqualsTheCounter() {
    Fixture f;
    QCOMPARE(f.window->statusLine().contextText(), QString("0 of 131,072 tokens"));
    QVERIFY(f.ask("What is the code?"));
    const auto record = f.fake->lastRecord();
    QCOMPARE(f.chat().contextTokens(), record->lengths.prompt + record->lengths.generated);
    QCOMPARE(f.window->statusLine().contextText(), QString("3,014 of 131,072 tokens"));
  }

  void stopWhileReadingKeepsTheDraft() {
    test::FakeScript script;
    script.perBatch = milliseconds(50);
    Fixture f(script);
    f.chat().attachments().add(documentOf("notes.txt", "Some text."));
    f.edit()->setPlainText("What is the code?");
    QTest::keyClick(f.edit(), Qt::Key_Return);
    QCOMPARE(f.edit()->toPlainText(), QString());
    QTRY_VERIFY(f.chat().reading().done > 0);
    f.chat().stop();
    QVERIFY(f.waitIdle());
    QCOMPARE(f.edit()->toPlainText(), QString("What is the code?"));
    QCOMPARE(f.chat().attachments().items().size(), size_t(1));
    QVERIFY(f.chat().exchanges().empty());
    QVERIFY2(f.message().startsWith("Stopped after reading"), qPrintable(f.message()));
    QVERIFY(f.ask("What is the code?"));
    QVERIFY(!f.panel()->figures().isEmpty());
  }

  void stopWhileAnsweringKeepsTheText() {
    test::FakeScript script;
    script.pieces.assign(200, "word ");
    script.perPiece = milliseconds(5);
    Fixture f(script);
    f.chat().send("Go on");
    QTRY_VERIFY(f.chat().exchanges().back().main.text.size() > 20);
    f.chat().stop();
    QVERIFY(f.waitIdle());
    QVERIFY(f.chat().exchanges().back().main.text.startsWith("word word"));
    QVERIFY2(f.panel()->figures().contains("stopped"), qPrintable(f.panel()->figures()));
  }

  void anErrorKeepsTheDraftAndNamesTheNextStep() {
    test::FakeScript script;
    script.askError = Error{ErrorCode::tooLong, "prompt", "has 140,000 tokens, but the context holds 131,072",
                            "Shorten the documents or load the model with a larger context"};
    Fixture f(script);
    f.edit()->setPlainText("Too long?");
    QTest::keyClick(f.edit(), Qt::Key_Return);
    QTRY_COMPARE(f.edit()->toPlainText(), QString("Too long?"));
    QVERIFY(f.waitIdle());
    QVERIFY2(f.message().contains("131,072") && f.message().contains("Shorten the documents"),
             qPrintable(f.message()));
    QVERIFY(f.chat().exchanges().empty());
    f.fake->setScript({});
    QTest::keyClick(f.edit(), Qt::Key_Return);
    QVERIFY(f.waitIdle());
    QCOMPARE(f.message(), QString());
    QCOMPARE(f.chat().exchanges().size(), size_t(1));
  }

  void anErrorWithinTheAnswerKeepsWhatCame() {
    test::FakeScript script;
    script.askError = Error{ErrorCode::deviceLost, "Scripted device", "was lost", "Load the model again"};
    script.piecesBeforeError = 1;
    Fixture f(script);
    QVERIFY(f.ask("What is the code?"));
    QCOMPARE(f.chat().exchanges().back().main.text, QString("The access code "));
    QVERIFY(f.chat().exchanges().back().main.error.has_value());
    bool shown = false;
    for (QLabel* label : f.panel()->findChildren<QLabel*>())
      shown |= label->isVisible() && label->text().contains("Load the model again");
    QVERIFY(shown);
  }

  void enterSendsButNotFromAnInputMethod() {
    Fixture f;
    f.edit()->setFocus();
    QInputMethodEvent composing("にほん", {});
    QCoreApplication::sendEvent(f.edit(), &composing);
    QTest::keyClick(f.edit(), Qt::Key_Return);
    QVERIFY(f.chat().exchanges().empty());
    QInputMethodEvent commit;
    commit.setCommitString("日本");
    QCoreApplication::sendEvent(f.edit(), &commit);
    QCOMPARE(f.edit()->toPlainText(), QString("日本"));
    QTest::keyClick(f.edit(), Qt::Key_Return, Qt::ShiftModifier);
    QVERIFY(f.chat().exchanges().empty());
    QTest::keyClick(f.edit(), Qt::Key_Return);
    QCOMPARE(f.chat().exchanges().size(), size_t(1));
    QVERIFY(f.waitIdle());
  }

  void emptyQuestionsAreNotSent() {
    Fixture f;
    f.edit()->setPlainText("  \n ");
    QTest::keyClick(f.edit(), Qt::Key_Return);
    QVERIFY(f.fake->asked().empty());
  }

  void comparisonAsksTheSameWithoutTheAdapter() {
    Fixture f;
    f.chat().setCompare(true);
    f.chat().attachments().add(documentOf("notes.txt", "Some text."));
    QVERIFY(f.ask("What is the code?"));
    const auto asked = f.fake->asked();
    QCOMPARE(asked.size(), size_t(2));
    QCOMPARE(asked[0].turns.back().text, asked[1].turns.back().text);
    QCOMPARE(asked[0].maxTokens, asked[1].maxTokens);
    const auto loaded = f.fake->loaded();
    QCOMPARE(loaded.size(), size_t(2));
    QCOMPARE(loaded[1].model, loaded[0].model);
    QVERIFY(!loaded[1].adapter.has_value());
    QCOMPARE(loaded[1].plan, std::string("vanilla"));
    QCOMPARE(f.chat().exchanges().back().vanilla.record->plan.name, std::string("vanilla"));
    QVERIFY(!f.panel(Side::vanilla)->figures().isEmpty());
  }

  void comparisonOnDemand() {
    Fixture f;
    QVERIFY(!f.window->actions().compareLast->isEnabled());
    QVERIFY(f.ask("What is the code?"));
    QVERIFY(f.window->actions().compareLast->isEnabled());
    f.window->actions().compareLast->trigger();
    QVERIFY(f.waitIdle());
    QVERIFY(f.chat().exchanges().back().vanilla.record != nullptr);
    QVERIFY(!f.window->actions().compareLast->isEnabled());
  }

  void aBaselineThatFailsLeavesTheAnswer() {
    Fixture f;
    f.chat().setCompare(true);
    test::FakeScript broken;
    broken.loadError = Error{ErrorCode::outOfMemory, "baseline", "does not fit", "Close other programs"};
    f.fake->setScript(broken);
    QVERIFY(f.ask("What is the code?"));
    QVERIFY(f.chat().exchanges().back().main.record != nullptr);
    QVERIFY(f.chat().exchanges().back().vanilla.error.has_value());
    f.chat().setCompare(false);
    QVERIFY(f.ask("And now?"));
  }

  void aSecondTurnRepeatsTheFirstWordForWord() {
    Fixture f;
    f.chat().attachments().add(documentOf("a.txt", "First document.\n\n"));
    QVERIFY(f.ask("One?"));
    f.chat().attachments().add(documentOf("b.txt", "Second document."));
    QVERIFY(f.ask("Two?"));
    const auto asked = f.fake->asked();
    QCOMPARE(asked[0].turns.size(), size_t(1));
    QCOMPARE(asked[1].turns.size(), size_t(3));
    QCOMPARE(asked[1].turns[0].text, asked[0].turns[0].text);
    QCOMPARE(asked[0].turns[0].text, std::string("First document.\n\nOne?"));
    QCOMPARE(asked[1].turns[1].role, std::string("assistant"));
    QCOMPARE(asked[1].turns[1].text, f.chat().exchanges()[0].main.text.toStdString());
    QCOMPARE(asked[1].turns[2].text, std::string("Second document.\n\nTwo?"));
  }

  void attachmentsShowWhatTheyAddToThePrompt() {
    Fixture f;
    const std::string text(4000, 'x');
    f.chat().attachments().add(documentOf("long.txt", text));
    QTRY_VERIFY(f.chat().attachments().items().front().tokens.has_value());
    const uint64_t added = *f.chat().attachments().items().front().tokens;
    QCOMPARE(added, test::FakeService::tokensOf(text + "\n\n?") - test::FakeService::tokensOf("?"));
    QTRY_VERIFY(f.chat().estimator().latest().has_value());
    QVERIFY(f.chat().estimator().latest()->vanillaNs > f.chat().estimator().latest()->orthrosNs);
    QString shown;
    for (QLabel* label : f.composer()->findChildren<QLabel*>()) shown += label->text() + '|';
    QVERIFY2(shown.contains("long.txt · 1,000 tokens") || shown.contains("long.txt · 1,001 tokens"),
             qPrintable(shown));
    QVERIFY2(shown.contains("to read · vanilla would take"), qPrintable(shown));
    QVERIFY2(shown.contains("of 131,072 tokens after sending"), qPrintable(shown));
    f.chat().attachments().remove(0);
    QVERIFY(f.chat().attachments().items().empty());
  }

  void aPromptThatIsTooLongIsSaidBeforeSending() {
    test::FakeScript script;
    script.contextTokens = 500;
    Fixture f(script);
    f.chat().attachments().add(documentOf("long.txt", std::string(4000, 'x')));
    QTRY_VERIFY(f.chat().estimator().latest().has_value());
    QString shown;
    for (QLabel* label : f.composer()->findChildren<QLabel*>()) shown += label->text() + '|';
    QVERIFY2(shown.contains("too long for the context"), qPrintable(shown));
  }

  void droppedFilesAreAttached() {
    QTemporaryDir folder;
    const QString path = folder.filePath("läuft.txt");
    std::ofstream(path.toStdString()) << "text of the file";
    Fixture f;
    QMimeData mime;
    mime.setUrls({QUrl::fromLocalFile(path)});
    f.edit()->setFocus();
    QVERIFY(QMetaObject::invokeMethod(f.edit(), "filesOffered", Q_ARG(QStringList, localFiles(&mime))));
    QTRY_COMPARE(f.chat().attachments().items().size(), size_t(1));
    QCOMPARE(f.chat().attachments().items().front().document->utf8, std::string("text of the file"));
  }

  void aNewChatForgetsTheOldOne() {
    Fixture f;
    QVERIFY(f.ask("What is the code?"));
    f.window->actions().newChat->trigger();
    QVERIFY(f.chat().exchanges().empty());
    QCOMPARE(f.chat().contextTokens(), uint64_t(0));
    QVERIFY(f.ask("Again?"));
    QCOMPARE(f.fake->asked().back().turns.size(), size_t(1));
  }
};

ORTHROS_QT_TEST_MAIN(UiChatTest)
#include "ui_chat_test.moc"
