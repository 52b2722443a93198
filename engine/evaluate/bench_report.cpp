#include "engine/evaluate/bench.hpp"
#include "engine/evaluate/markdown_table.hpp"

namespace orthros::evaluate {
namespace {

constexpr const char* kindNames[] = {"prefill", "decode", "prompt"};

std::string withDeviation(const MeanAndDeviation& value, int digits) {
  return fixed(value.mean, digits) + " ± " + fixed(value.deviation, digits);
}

std::string percent(double share) {
  return fixed(100 * share, 1) + " %";
}

nlohmann::json testJson(const BenchTest& test) {
  return {{"test", test.name()},
          {"kind", kindNames[static_cast<int>(test.kind)]},
          {"tokens", test.tokens},
          {"depth", test.depth}};
}

}  // namespace

std::string toMarkdown(const BenchReport& report, const std::string& model, const std::string& device) {
  using Align = MarkdownTable::Align;
  std::vector<MarkdownTable::Column> columns = {
      {"model"}, {"device"}, {"plan"}, {"test", Align::right}, {"tokens/s", Align::right}};
  if (report.limits) {
    columns.push_back({"of " + fixed(report.limits->flopPerSecond * 1e-12, 3) + " TFLOP/s", Align::right});
    columns.push_back({"of " + fixed(report.limits->bytesPerSecond * 1e-9, 1) + " GB/s", Align::right});
  }
  MarkdownTable rates(columns);
  for (const BenchRow& row : report.rows) {
    std::vector<std::string> cells = {model, device, row.plan, row.test.name(),
                                      withDeviation(row.tokensPerSecond, 2)};
    if (report.limits) {
      cells.push_back(percent(row.flopPerSecond / report.limits->flopPerSecond));
      cells.push_back(percent(row.bytesPerSecond / report.limits->bytesPerSecond));
    }
    rates.addRow(std::move(cells));
  }
  std::string text = rates.text();
  if (report.limits)
    text = "Limits: products " + fixed(report.limits->flopPerSecond * 1e-12, 3) + " TFLOP/s, copies " +
           fixed(report.limits->bytesPerSecond * 1e-9, 1) + " GB/s, reads " +
           fixed(report.limits->readBytesPerSecond * 1e-9, 1) + " GB/s\n\n" + text;
  if (report.speedUps.empty()) return text;
  MarkdownTable factors({{"test", Align::right}, {"plan"}, {"against"}, {"speed-up", Align::right}});
  for (const BenchSpeedUp& one : report.speedUps) {
    factors.addRow({one.test.name(), one.plan, one.against, withDeviation(one.factor, 2)});
  }
  return text + "\n" + factors.text();
}

nlohmann::json toJson(const BenchReport& report) {
  nlohmann::json rows = nlohmann::json::array();
  for (const BenchRow& row : report.rows) {
    nlohmann::json one = testJson(row.test);
    one["plan"] = row.plan;
    one["tokens_per_second"] = row.tokensPerSecond.mean;
    one["standard_deviation"] = row.tokensPerSecond.deviation;
    one["samples"] = row.samples;
    one["flop_per_second"] = row.flopPerSecond;
    one["bytes_per_second"] = row.bytesPerSecond;
    rows.push_back(std::move(one));
  }
  nlohmann::json factors = nlohmann::json::array();
  for (const BenchSpeedUp& speedUp : report.speedUps) {
    nlohmann::json one = testJson(speedUp.test);
    one["plan"] = speedUp.plan;
    one["against"] = speedUp.against;
    one["factor"] = speedUp.factor.mean;
    one["standard_deviation"] = speedUp.factor.deviation;
    factors.push_back(std::move(one));
  }
  nlohmann::json root = {{"rows", std::move(rows)}, {"speed_up", std::move(factors)}};
  if (report.limits)
    root["limits"] = {{"flop_per_second", report.limits->flopPerSecond},
                      {"bytes_per_second", report.limits->bytesPerSecond},
                      {"read_bytes_per_second", report.limits->readBytesPerSecond}};
  return root;
}

}  // namespace orthros::evaluate
