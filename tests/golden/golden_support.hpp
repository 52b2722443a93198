// Runs one golden case on the default device and gathers what the golden files state.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "engine/evaluate/golden_case.hpp"
#include "engine/session/opened_model.hpp"

namespace orthros::golden {

// The cases of tests/golden/<file>, by name. Fails the test where the file is damaged.
nlohmann::json caseNamed(const char* file, const char* list, const std::string& name);

// The reference figures of a case.
struct Reference {
  std::vector<std::pair<uint32_t, double>> top;  // best first
  double logsumexp = 0.0;
  double meanNll = 0.0;
  std::optional<double> meanNllDecodeRows;
  std::vector<uint32_t> greedy;
  std::vector<double> margin;  // top-1 minus top-2 where each greedy token was chosen
};
Reference referenceFrom(const nlohmann::json& figures);

struct Measured {
  std::vector<float> lastRow;  // logits of the last prompt row
  double logsumexp = 0.0;
  double meanNll = 0.0;
  double meanNllDecodeRows = 0.0;
  std::vector<uint32_t>
      forced;  // the likeliest token at each greedy position, the reference's list being fed
  std::vector<uint32_t> greedy;  // our own greedy continuation, one decode row at a time
};

// Why golden tests cannot run here; empty where they can.
std::string whyNotRun();

struct Precision {
  model::WeightPrecision weights = model::WeightPrecision::automatic;
  model::KvPrecision kv = model::KvPrecision::f16;
};

// Loads the model as the case wants it and runs it. Null after a failed assertion.
std::optional<Measured> measure(const evaluate::GoldenCase& golden, const Reference& reference,
                                Precision precision);

struct Tolerance {
  double logit = 0.0;          // of the reference's five best tokens, last prompt row
  double nllShare = 0.0;       // of the mean negative log-likelihood
  double decidedMargin = 0.0;  // greedy choices with a larger margin must be met
};

// The criteria: five best logits, likelihood, the likeliest token wherever the reference is decided, and our
// own greedy text up to the first position where it is not.
void expectMet(const Measured& measured, const Reference& reference, const Tolerance& tolerance);

}  // namespace orthros::golden
