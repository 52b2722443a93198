// The Phases page shows the two records and nothing else.
#include <QFile>
#include <QImage>
#include <QSvgRenderer>
#include <QTemporaryDir>
#include <fstream>

#include "tests/support/fake_service.hpp"
#include "tests/support/qt_test_main.hpp"
#include "ui/format/numbers.hpp"
#include "ui/phases/export.hpp"
#include "ui/phases/key_figures.hpp"
#include "ui/phases/phase_bars.hpp"
#include "ui/phases/phases_page.hpp"
#include "ui/phases/tables.hpp"

using namespace orthros;
using namespace orthros::ui;
using session::RunPhase;
using session::RunRecord;
using session::Service;

namespace {

RunRecordPtr recordOf(Service::Slot slot, const test::FakeScript& script = {}) {
  return std::make_shared<const RunRecord>(test::makeRecord(slot, script));
}

RunPair bothRuns() {
  return {recordOf(Service::mainSlot), recordOf(Service::baselineSlot), "handbook.txt"};
}

std::optional<double> figure(const RunPair& runs, const QString& name, std::optional<double> Figure::*value) {
  for (const Figure& one : figuresOf(runs))
    if (one.name == name) return one.*value;
  return {};
}

}  // namespace

class UiPhasesTest : public QObject {
  Q_OBJECT

 private slots:
  void init() { QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates)); }

  void figuresComeFromTheRecords() {
    const RunPair runs = bothRuns();
    const RunRecord& main = *runs.main;
    QCOMPARE(figure(runs, "first token", &Figure::main), 1e-9 * static_cast<double>(main.ns.firstToken));
    QCOMPARE(figure(runs, "prefill rows", &Figure::main), 2884.0);
    QCOMPARE(figure(runs, "prefill rows", &Figure::baseline), 3011.0);
    QCOMPARE(figure(runs, "prefill rate", &Figure::main), main.prefill.tokensPerSecond());
    QCOMPARE(figure(runs, "tail time", &Figure::mainModelled),
             1e-9 * static_cast<double>(main.predictedTime.tailNs));
    QCOMPARE(figure(runs, "dispatches", &Figure::main), 4321.0);
    QCOMPARE(figure(runs, "dispatches", &Figure::mainModelled), 4321.0);
    QVERIFY(!figure(runs, "first token", &Figure::mainModelled).has_value());
  }

  void soonerIsTheRatioOfFirstTokens() {
    const RunPair runs = bothRuns();
    QVERIFY(runs.comparable());
    QCOMPARE(*runs.sooner(), static_cast<double>(runs.baseline->ns.firstToken) /
                                 static_cast<double>(runs.main->ns.firstToken));
    PhasesPage page;
    page.setRuns(runs);
    QCOMPARE(page.keyFigures()->soonerText(), factorText(*runs.sooner()));
    QCOMPARE(page.keyFigures()->firstTokenText(), durationText(runs.main->ns.firstToken) +
                                                      "|first token, against " +
                                                      durationText(runs.baseline->ns.firstToken));
  }

  void runsWithDifferentCachesAreNotCompared() {
    test::FakeScript cached;
    cached.reusedTokens = 2500;
    RunPair runs{recordOf(Service::mainSlot, cached), recordOf(Service::baselineSlot), {}};
    QVERIFY(!runs.comparable());
    QVERIFY(!runs.sooner().has_value());
    PhasesPage page;
    page.setRuns(runs);
    QCOMPARE(page.keyFigures()->soonerText(), QString("–"));
    runs.baseline = nullptr;
    QVERIFY(!runs.sooner().has_value());
    page.setRuns(runs);
  }

  void barsShowMeasuredAndPredicted() {
    const RunPair runs = bothRuns();
    PhaseBars time(BarQuantity::time), rate(BarQuantity::rate);
    time.setRuns(runs);
    rate.setRuns(runs);
    QCOMPARE(time.bars().size(), size_t(6));
    QCOMPARE(time.bars()[0].measured, 1e-9 * static_cast<double>(runs.main->prefill.wallNs));
    QCOMPARE(time.bars()[0].predicted, 1e-9 * static_cast<double>(runs.main->predictedTime.prefillNs));
    QCOMPARE(time.bars()[0].colour, lightTokens().prefill);
    QCOMPARE(time.bars()[1].colour, lightTokens().vanilla);
    QCOMPARE(time.bars()[2].colour, lightTokens().tail);
    QCOMPARE(time.bars()[4].colour, lightTokens().decode);
    QCOMPARE(rate.bars()[5].measured, runs.baseline->decode.tokensPerSecond());
    QCOMPARE(rate.bars()[0].text, rateNumberText(runs.main->prefill.tokensPerSecond()));
  }

  void theTableHoldsEveryFigure() {
    PhasesPage page;
    page.setRuns(bothRuns());
    QCOMPARE(page.figuresModel()->rowCount(), static_cast<int>(figuresOf(bothRuns()).size()));
    QCOMPARE(page.figuresModel()->columnCount(), 5);
    page.setTableVisible(true);
    QVERIFY(page.tableVisible());
  }

  void csvIsTheSameInEveryLocale() {
    const QString english = toCsv(bothRuns());
    QLocale::setDefault(QLocale(QLocale::German, QLocale::Germany));
    QCOMPARE(toCsv(bothRuns()), english);
    const QStringList lines = english.split('\n', Qt::SkipEmptyParts);
    QCOMPARE(lines.size(), static_cast<qsizetype>(figuresOf(bothRuns()).size()) + 1);
    for (const QString& line : lines) QCOMPARE(line.count(','), 5);
    QVERIFY(english.contains("prefill rows,tokens,2884,,3011,"));
  }

  void jsonHoldsBothRecords() {
    const auto json = nlohmann::json::parse(toJsonText(bothRuns()));
    QCOMPARE(json["runs"].size(), size_t(2));
    const auto back = session::runRecordFromJson(json["runs"][1]);
    QVERIFY(back.has_value());
    QCOMPARE(back->plan.name, std::string("vanilla"));
    QCOMPARE(back->batches.size(), bothRuns().baseline->batches.size());
  }

  void everyExportIsReadable() {
    QTemporaryDir folder;
    PhasesPage page;
    page.resize(1200, 740);
    page.setRuns(bothRuns());
    page.show();
    QTest::qWait(50);
    for (const auto format : {ExportFormat::png, ExportFormat::svg, ExportFormat::csv, ExportFormat::json}) {
      const QString path = folder.filePath(QString("chart.") + suffixOf(format));
      const Status status = exportRuns(page.runs(), page.chart(), format, path);
      QVERIFY2(status.has_value(), status ? "" : status.error().message().c_str());
      QVERIFY(QFile(path).size() > 200);
    }
    const QImage png(folder.filePath("chart.png"));
    QCOMPARE(png.size(), page.chart()->size() * 2);
    QVERIFY(QSvgRenderer(folder.filePath("chart.svg")).isValid());
    const Status nothing = exportRuns({}, page.chart(), ExportFormat::csv, folder.filePath("x.csv"));
    QVERIFY(!nothing.has_value());
    const Status nowhere = exportRuns(page.runs(), page.chart(), ExportFormat::csv, "/nowhere/x.csv");
    QVERIFY(!nowhere.has_value());
  }

  void numbersFollowTheLocale() {
    QCOMPARE(durationText(0), QString("0 s"));
    QCOMPARE(durationText(420'000), QString("0.42 ms"));
    QCOMPARE(durationText(412'000'000), QString("412 ms"));
    QCOMPARE(durationText(999'700'000), QString("1.00 s"));
    QCOMPARE(durationText(1'290'000'000), QString("1.29 s"));
    QCOMPARE(durationText(14'100'000'000), QString("14.1 s"));
    QCOMPARE(durationText(99'960'000'000), QString("1 min 40 s"));
    QCOMPARE(durationText(125'000'000'000), QString("2 min 05 s"));
    QCOMPARE(tokensText(1), QString("1 token"));
    QCOMPARE(tokensText(49'812), QString("49,812 tokens"));
    QCOMPARE(bytesText(6'400'000'000), QString("6.40 GB"));
    QCOMPARE(bytesText(999), QString("999 B"));
    QCOMPARE(bytesText(98'362'432), QString("98.4 MB"));
    QCOMPARE(factorText(10.93), QString("10.9x"));
    QCOMPARE(rateText(212.4), QString("212 tokens/s"));
    QCOMPARE(rateText(0), QString("–"));
    QLocale::setDefault(QLocale(QLocale::German, QLocale::Germany));
    QCOMPARE(durationText(1'290'000'000), QString("1,29 s"));
    QCOMPARE(tokensText(49'812), QString("49.812 tokens"));
  }
};

ORTHROS_QT_TEST_MAIN(UiPhasesTest)
#include "ui_phases_test.moc"
