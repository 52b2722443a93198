#include "app/orthros-cli/run_summary.hpp"

#include "app/orthros-cli/output.hpp"
#include "engine/evaluate/markdown_table.hpp"

namespace orthros::cli {

std::string summaryOf(const session::RunRecord& record) {
  std::string text = "first token " + durationText(record.ns.firstToken);
  const auto add = [&](const char* name, const session::PhaseTotals& totals) {
    if (totals.rows == 0) return;
    text += std::string("; ") + name + " " + std::to_string(totals.rows) + " tokens at " +
            evaluate::fixed(totals.tokensPerSecond(), 1) + "/s";
  };
  add("prefill", record.prefill);
  add("tail", record.tail);
  add("answer", record.decode);
  if (record.lengths.drafted > 0)
    text += "; " + std::to_string(record.lengths.accepted) + " of " + std::to_string(record.lengths.drafted) +
            " guessed tokens were right";
  if (record.lengths.reused > 0) text += "; " + std::to_string(record.lengths.reused) + " tokens reused";
  if (record.finish == "context") text += "; ended because the context is full";
  if (record.finish == "cancelled") text += "; cancelled";
  return text;
}

}  // namespace orthros::cli
