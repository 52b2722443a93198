// The cost model applied to one loaded model: what a run will do and how long it will take.
#pragma once

#include <cstdint>
#include <memory>

#include "engine/cost/events.hpp"
#include "engine/cost/shape.hpp"
#include "engine/phase/plan.hpp"
#include "engine/phase/spans.hpp"
#include "engine/session/layout.hpp"
#include "engine/session/run_record.hpp"
#include "engine/session/speed_book.hpp"

namespace orthros::session {

class Predictor {
 public:
  Predictor(cost::ModelShape shape, cost::GraphFacts facts, std::string deviceUuid,
            std::shared_ptr<const SpeedBook> speeds);

  const cost::ModelShape& shape() const { return shape_; }
  cost::DeviceRates rates() const { return speeds_->rates(deviceUuid_); }

  // Fills `predicted` and `predictedTime` for the batches that the record lists. `spans` covers all rows
  // that were kept.
  void fill(const phase::PhasePlan& plan, const phase::PhaseSpans& spans, RunRecord& record) const;

  // Time to read the rows from `begin` on, in batches of `maxRows`; 0 where a rate is unknown.
  uint64_t readingNs(const phase::PhasePlan& plan, const phase::PhaseSpans& spans, uint32_t begin,
                     uint32_t maxRows) const;

 private:
  cost::ModelShape shape_;
  cost::GraphFacts facts_;
  std::string deviceUuid_;
  std::shared_ptr<const SpeedBook> speeds_;
};

}  // namespace orthros::session
