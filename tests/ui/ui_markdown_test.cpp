// Streaming Markdown: a long answer is parsed once, and looks as if it had been parsed whole.
#include <QTextBlock>
#include <QTextDocument>
#include <QTextList>
#include <QTextTable>
#include <random>

#include "tests/support/qt_test_main.hpp"
#include "ui/chat/answer_view.hpp"
#include "ui/chat/markdown_splitter.hpp"

using namespace orthros::ui;

namespace {

const char* const sample =
    "# Heading\n\nA paragraph with **bold**, `code` and a [link](https://example.org).\n\n"
    "1. one\n2. two\n\n   still two\n3. three\n\nBetween.\n\n```cpp\nint x;\n\nint y;\n```\n\n"
    "| a | b |\n|---|---|\n| 1 | 2 |\n\n> quoted\n\n- x\n- y\n\nThe end.";

QString whole(const QStringList& finished, const MarkdownSplitter& splitter) {
  return finished.join(QString()) + splitter.open();
}

QStringList linesOf(const AnswerView& view) {
  QStringList lines;
  for (QTextBlock block = view.document()->begin(); block.isValid(); block = block.next())
    if (!block.text().isEmpty()) lines.append(block.text());
  return lines;
}

QStringList renderInPieces(const QString& text, const std::vector<qsizetype>& cuts) {
  AnswerView view;
  view.resize(600, 400);
  qsizetype begin = 0;
  for (const qsizetype cut : cuts) {
    view.append(text.mid(begin, cut - begin));
    QTest::qWait(1);
    begin = cut;
  }
  view.append(text.mid(begin));
  view.finish();
  return linesOf(view);
}

}  // namespace

class UiMarkdownTest : public QObject {
  Q_OBJECT

 private slots:
  void blocksEndAtBlankLines() {
    MarkdownSplitter splitter;
    QCOMPARE(splitter.push("one\ntwo"), QStringList());
    QCOMPARE(splitter.push("\n\n"), QStringList());
    QCOMPARE(splitter.push("three\n"), QStringList({"one\ntwo\n\n"}));
    QCOMPARE(splitter.open(), QString("three\n"));
  }

  void codeIsNotCutAtItsBlankLines() {
    MarkdownSplitter splitter;
    QCOMPARE(splitter.push("```\na\n\nb\n\nc\n"), QStringList());
    QCOMPARE(splitter.push("```\n\nafter\n"), QStringList({"```\na\n\nb\n\nc\n```\n\n"}));
  }

  void aListGoesOnAfterABlankLine() {
    MarkdownSplitter splitter;
    QCOMPARE(splitter.push("1. a\n\n2. b\n\n   more\n\n"), QStringList());
    QCOMPARE(splitter.push("text\n"), QStringList({"1. a\n\n2. b\n\n   more\n\n"}));
  }

  void nothingIsLostHoweverItIsCut() {
    const QString text = QString::fromUtf8(sample);
    std::mt19937 random(7);
    for (int round = 0; round < 200; ++round) {
      MarkdownSplitter splitter;
      QStringList finished;
      for (qsizetype at = 0; at < text.size();) {
        const qsizetype length = 1 + static_cast<qsizetype>(random() % 12);
        finished += splitter.push(text.mid(at, length));
        at += length;
      }
      QCOMPARE(whole(finished, splitter), text);
    }
  }

  void anOverlongBlockIsCut() {
    MarkdownSplitter splitter;
    QStringList finished = splitter.push(QString("word ").repeated(10'000));
    QVERIFY(finished.size() >= 8);
    for (const QString& block : finished) QVERIFY(block.size() <= MarkdownSplitter::longestOpenBlock);
    QCOMPARE(whole(finished, splitter), QString("word ").repeated(10'000));
  }

  void overlongCodeStaysCode() {
    MarkdownSplitter splitter;
    const QStringList finished = splitter.push("```py\n" + QString("x = 1\n").repeated(2000));
    QVERIFY(!finished.isEmpty());
    for (const QString& block : finished) {
      QVERIFY(block.startsWith("```py\n"));
      QVERIFY(block.endsWith("```"));
    }
    QVERIFY(splitter.open().startsWith("```py\n"));
  }

  void aSurrogatePairIsNeverCut() {
    MarkdownSplitter splitter;
    const QStringList finished = splitter.push("a" + QString::fromUtf8("🦉").repeated(9000));
    QVERIFY(!finished.isEmpty());
    for (const QString& block : finished) QVERIFY(!block.back().isHighSurrogate());
  }

  void streamedLooksLikeParsedWhole() {
    const QString text = QString::fromUtf8(sample);
    const QStringList expected = renderInPieces(text, {});
    QVERIFY(expected.contains("Heading"));
    QVERIFY(expected.contains("A paragraph with bold, code and a link."));
    QVERIFY(expected.contains("three"));
    QVERIFY(expected.contains("int y;"));
    std::vector<qsizetype> cuts;
    for (qsizetype at = 3; at < text.size(); at += 9) cuts.push_back(at);
    QCOMPARE(renderInPieces(text, cuts), expected);
  }

  void formatsArrive() {
    AnswerView view;
    view.append(QString::fromUtf8(sample));
    view.finish();
    bool heading = false, code = false, quote = false, bold = false, list = false, table = false;
    for (QTextBlock block = view.document()->begin(); block.isValid(); block = block.next()) {
      heading |= block.blockFormat().headingLevel() == 1;
      code |= block.blockFormat().hasProperty(QTextFormat::BlockCodeFence) && block.text() == "int x;";
      quote |= block.text() == "quoted" && block.blockFormat().leftMargin() > 0;
      list |= block.text() == "two" && block.textList() &&
              block.textList()->format().style() == QTextListFormat::ListDecimal;
      for (auto run = block.begin(); !run.atEnd(); ++run)
        bold |= run.fragment().text() == "bold" && run.fragment().charFormat().fontWeight() > QFont::Normal;
    }
    for (QTextFrame* frame : view.document()->rootFrame()->childFrames())
      if (auto* grid = qobject_cast<QTextTable*>(frame)) table |= grid->rows() == 2 && grid->columns() == 2;
    QVERIFY(heading && code && quote && bold && list && table);
  }

  void htmlStaysText() {
    AnswerView view;
    view.append("<b>no</b> <img src=\"https://example.org/x.png\"> ![alt](https://example.org/y.png)\n");
    view.finish();
    QVERIFY(view.toPlainText().contains("<b>no</b>"));
    QVERIFY(!view.toPlainText().contains(QChar::ObjectReplacementCharacter));
  }

  void finishedBlocksAreNotTouchedAgain() {
    AnswerView view;
    view.append("first\n\nsecond");
    QTest::qWait(30);
    const int firstEnd = view.document()->begin().length();
    int earliest = 1 << 30;
    connect(view.document(), &QTextDocument::contentsChange, this,
            [&](int position, int, int) { earliest = std::min(earliest, position); });
    for (int round = 0; round < 20; ++round) {
      view.append(" more");
      QTest::qWait(18);
    }
    QVERIFY(earliest >= firstEnd - 1);  // the separator behind the first block belongs to the second
    QVERIFY(earliest < 1 << 30);
  }

  void anotherThemeKeepsTheText() {
    AnswerView view;
    view.append(QString::fromUtf8(sample));
    view.finish();
    const QString before = view.toPlainText();
    Theme::instance().choose(ThemeChoice::dark);
    QCOMPARE(view.toPlainText(), before);
    Theme::instance().choose(ThemeChoice::light);
    QCOMPARE(view.toPlainText(), before);
  }
};

ORTHROS_QT_TEST_MAIN(UiMarkdownTest)
#include "ui_markdown_test.moc"
