// What is known about the speed of devices: measured operations of earlier runs, per device, as rates for the
// cost model. Kept in memory only: rates of another driver or another day's load would mislead.
#pragma once

#include <deque>
#include <map>
#include <string>

#include "engine/cost/rates.hpp"
#include "engine/session/run_record.hpp"

namespace orthros::session {

class SpeedBook {
 public:
  // Takes in the traced operations of a run, or does nothing without any.
  void learn(const RunRecord& record);
  // All rates 0 for a device without runs.
  cost::DeviceRates rates(const std::string& deviceUuid) const;

 private:
  static constexpr size_t keptSamples = 128;

  struct Entry {
    std::deque<cost::RateSample> samples;
    cost::DeviceRates rates;
  };
  std::map<std::string, Entry> entries_;  // by device uuid
};

}  // namespace orthros::session
