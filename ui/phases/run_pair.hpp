// A run and the same question under full attention, and the figures that the Phases page, its table and its
// exports show of them. Everything comes from the two RunRecords.
#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "ui/engine_client/mailbox.hpp"

namespace orthros::ui {

struct RunPair {
  RunRecordPtr main;      // null: nothing was asked yet
  RunRecordPtr baseline;  // null: not measured
  QString documents;      // "handbook.txt"; empty without documents

  // Both runs read about as many tokens, so that their times may be set against each other.
  bool comparable() const;
  // By which factor the first token comes sooner; nothing where the runs are not comparable.
  std::optional<double> sooner() const;
};

// Rows that a run read of its prompt (prefill and tail).
uint64_t rowsRead(const session::RunRecord& record);
uint64_t predictedNs(const session::RunRecord& record, session::RunPhase phase);  // 0: not predicted
double predictedRate(const session::RunRecord& record,
                     session::RunPhase phase);        // tokens/s; 0: not predicted
QString planTitle(const session::RunRecord& record);  // "Orthros", "Vanilla"

// One line of the table: a quantity under both plans, measured and modelled. Values are in `unit`.
struct Figure {
  enum class Unit { tokens, seconds, tokensPerSecond, bytes, events, pairs, flop };
  QString name;
  Unit unit = Unit::tokens;
  std::optional<double> main, mainModelled, baseline, baselineModelled;
};
std::vector<Figure> figuresOf(const RunPair& runs);
QString figureText(const std::optional<double>& value,
                   Figure::Unit unit);  // localised; a dash where there is none
QString unitName(Figure::Unit unit);    // as written in CSV, not translated

// The figures as CSV with a header line, numbers in the C locale.
QString toCsv(const RunPair& runs);
// {"runs": [record, baseline]}
std::string toJsonText(const RunPair& runs);

}  // namespace orthros::ui
