#include "ui/phases/run_pair.hpp"

#include <QCoreApplication>
#include <algorithm>
#include <functional>

#include "ui/format/numbers.hpp"

namespace orthros::ui {
namespace {

using session::RunPhase;
using session::RunRecord;
using Unit = Figure::Unit;

QString translated(const char* source) {
  return QCoreApplication::translate("figures", source);
}

using Pick = std::function<std::optional<double>(const RunRecord&)>;

std::optional<double> known(double value) {
  return value > 0 ? std::optional(value) : std::nullopt;
}

class Table {
 public:
  explicit Table(const RunPair& runs) : runs_(runs) {}

  void add(const QString& name, Unit unit, const Pick& measured, const Pick& modelled = {}) {
    Figure figure{name, unit, {}, {}, {}, {}};
    const auto read = [](const RunRecordPtr& record, const Pick& pick) {
      return record && pick ? pick(*record) : std::nullopt;
    };
    figure.main = read(runs_.main, measured);
    figure.mainModelled = read(runs_.main, modelled);
    figure.baseline = read(runs_.baseline, measured);
    figure.baselineModelled = read(runs_.baseline, modelled);
    figures_.push_back(std::move(figure));
  }
  std::vector<Figure> take() { return std::move(figures_); }

 private:
  const RunPair& runs_;
  std::vector<Figure> figures_;
};

double seconds(uint64_t ns) {
  return static_cast<double>(ns) * 1e-9;
}

void addLengths(Table& table) {
  table.add(translated("prompt"), Unit::tokens, [](const RunRecord& r) { return r.lengths.prompt; });
  table.add(translated("reused from the cache"), Unit::tokens,
            [](const RunRecord& r) { return r.lengths.reused; });
  table.add(translated("answer"), Unit::tokens, [](const RunRecord& r) { return r.lengths.generated; });
}

void addTimes(Table& table) {
  table.add(translated("first token"), Unit::seconds,
            [](const RunRecord& r) { return seconds(r.ns.firstToken); });
  table.add(translated("whole run"), Unit::seconds, [](const RunRecord& r) { return seconds(r.ns.total); });
  const std::pair<RunPhase, QString> namedPhases[] = {{RunPhase::prefill, translated("prefill")},
                                                      {RunPhase::tail, translated("tail")},
                                                      {RunPhase::decode, translated("decode")}};
  for (const auto& [phase, name] : namedPhases)
    table.add(translated("%1 rows").arg(name), Unit::tokens,
              [phase = phase](const RunRecord& r) { return r.totals(phase).rows; });
  for (const auto& [phase, name] : namedPhases)
    table.add(
        translated("%1 time").arg(name), Unit::seconds,
        [phase = phase](const RunRecord& r) { return known(seconds(r.totals(phase).wallNs)); },
        [phase = phase](const RunRecord& r) { return known(seconds(predictedNs(r, phase))); });
  for (const auto& [phase, name] : namedPhases)
    table.add(
        translated("%1 rate").arg(name), Unit::tokensPerSecond,
        [phase = phase](const RunRecord& r) { return known(r.totals(phase).tokensPerSecond()); },
        [phase = phase](const RunRecord& r) { return known(predictedRate(r, phase)); });
}

void addWork(Table& table) {
  const auto events = [&](const QString& name, Unit unit, uint64_t session::EventCounts::*count) {
    table.add(
        name, unit, [count](const RunRecord& r) { return known(static_cast<double>(r.measured.*count)); },
        [count](const RunRecord& r) { return known(static_cast<double>(r.predicted.*count)); });
  };
  events(translated("dispatches"), Unit::events, &session::EventCounts::dispatches);
  events(translated("attention pairs"), Unit::pairs, &session::EventCounts::attentionPairs);
  events(translated("arithmetic"), Unit::flop, &session::EventCounts::flop);
  events(translated("memory traffic"), Unit::bytes, &session::EventCounts::bytes);
  table.add(translated("weights"), Unit::bytes,
            [](const RunRecord& r) { return known(static_cast<double>(r.bytes.weights)); });
  table.add(translated("KV cache"), Unit::bytes,
            [](const RunRecord& r) { return known(static_cast<double>(r.bytes.kv)); });
  table.add(translated("workspace"), Unit::bytes,
            [](const RunRecord& r) { return known(static_cast<double>(r.bytes.workspace)); });
}

QString csvNumber(const std::optional<double>& value) {
  return value ? QString::number(*value, 'g', 15) : QString();
}

QString csvField(QString field) {
  if (!field.contains(QLatin1Char(',')) && !field.contains(QLatin1Char('"'))) return field;
  return QLatin1Char('"') + field.replace(QLatin1Char('"'), QStringLiteral("\"\"")) + QLatin1Char('"');
}

}  // namespace

bool RunPair::comparable() const {
  if (!main || !baseline) return false;
  const auto a = static_cast<double>(rowsRead(*main)), b = static_cast<double>(rowsRead(*baseline));
  return a > 0 && b > 0 && std::max(a, b) <= 1.05 * std::min(a, b);
}

std::optional<double> RunPair::sooner() const {
  if (!comparable() || main->ns.firstToken == 0 || baseline->ns.firstToken == 0) return {};
  return static_cast<double>(baseline->ns.firstToken) / static_cast<double>(main->ns.firstToken);
}

uint64_t rowsRead(const RunRecord& record) {
  return record.prefill.rows + record.tail.rows;
}

uint64_t predictedNs(const RunRecord& record, RunPhase phase) {
  switch (phase) {
    case RunPhase::prefill:
      return record.predictedTime.prefillNs;
    case RunPhase::tail:
      return record.predictedTime.tailNs;
    case RunPhase::decode:
      return record.predictedTime.decodeNs;
  }
  return 0;
}

double predictedRate(const RunRecord& record, RunPhase phase) {
  const uint64_t ns = predictedNs(record, phase);
  return ns == 0 ? 0 : static_cast<double>(record.totals(phase).rows) / seconds(ns);
}

QString planTitle(const RunRecord& record) {
  QString name = QString::fromStdString(record.plan.name);
  if (!name.isEmpty()) name[0] = name[0].toUpper();
  return name;
}

std::vector<Figure> figuresOf(const RunPair& runs) {
  if (!runs.main) return {};
  Table table(runs);
  addTimes(table);
  addLengths(table);
  addWork(table);
  return table.take();
}

QString figureText(const std::optional<double>& value, Unit unit) {
  if (!value) return QStringLiteral("–");
  const auto whole = static_cast<uint64_t>(*value);
  switch (unit) {
    case Unit::tokens:
    case Unit::events:
    case Unit::pairs:
      return countText(whole);
    case Unit::seconds:
      return durationText(static_cast<uint64_t>(*value * 1e9));
    case Unit::tokensPerSecond:
      return rateText(*value);
    case Unit::bytes:
      return bytesText(whole);
    case Unit::flop:
      return scaledText(*value, QStringLiteral("FLOP"));
  }
  return {};
}

QString unitName(Unit unit) {
  switch (unit) {
    case Unit::tokens:
      return QStringLiteral("tokens");
    case Unit::seconds:
      return QStringLiteral("s");
    case Unit::tokensPerSecond:
      return QStringLiteral("tokens/s");
    case Unit::bytes:
      return QStringLiteral("bytes");
    case Unit::events:
      return QStringLiteral("events");
    case Unit::pairs:
      return QStringLiteral("pairs");
    case Unit::flop:
      return QStringLiteral("FLOP");
  }
  return {};
}

QString toCsv(const RunPair& runs) {
  if (!runs.main) return {};
  const QString main = QString::fromStdString(runs.main->plan.name);
  const QString baseline =
      runs.baseline ? QString::fromStdString(runs.baseline->plan.name) : QStringLiteral("baseline");
  QString csv = QStringLiteral("quantity,unit,%1 measured,%1 modelled,%2 measured,%2 modelled\n")
                    .arg(csvField(main), csvField(baseline));
  for (const Figure& figure : figuresOf(runs)) {
    const QStringList fields = {csvField(figure.name),      unitName(figure.unit),
                                csvNumber(figure.main),     csvNumber(figure.mainModelled),
                                csvNumber(figure.baseline), csvNumber(figure.baselineModelled)};
    csv += fields.join(QLatin1Char(',')) + QLatin1Char('\n');
  }
  return csv;
}

std::string toJsonText(const RunPair& runs) {
  nlohmann::json records = nlohmann::json::array();
  for (const RunRecordPtr& record : {runs.main, runs.baseline})
    if (record) records.push_back(session::toJson(*record));
  return nlohmann::json{{"runs", std::move(records)}}.dump(2) + "\n";
}

}  // namespace orthros::ui
