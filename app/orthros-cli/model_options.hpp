// Options that several commands share: which model on which device, and how tokens are chosen.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/orthros-cli/console.hpp"
#include "engine/session/ask_request.hpp"
#include "engine/session/opened_model.hpp"
#include "engine/session/set_up.hpp"

namespace CLI {
class App;
}

namespace orthros::cli {

class ModelOptions {
 public:
  // MODEL, --adapter, --no-adapter.
  void addFiles(CLI::App& app);
  // --plan
  void addPlan(CLI::App& app);
  // --device, --context, --weights, --kv, --memory-budget, --validation
  void addDevice(CLI::App& app);

  Result<session::SetUp> setUp() const;

 private:
  std::string model_;
  std::string adapter_;
  bool noAdapter_ = false;
  std::string plan_;
  std::string device_;
  uint32_t context_ = 0;
  std::string weights_ = "automatic";
  std::string kv_ = "f16";
  uint64_t budgetMegabytes_ = 0;
  bool validation_ = false;
};

void addSamplingOptions(CLI::App& app, session::Sampling& sampling);

// Text from --text T or --file F; exactly one of them must be given.
class TextOptions {
 public:
  void add(CLI::App& app, bool required);
  bool given() const { return textGiven_ || !file_.empty(); }
  Result<std::string> read() const;

 private:
  std::string text_;
  bool textGiven_ = false;
  std::string file_;
};

// The devices and the loaded model of a command that ends soon.
struct LoadedCommand {
  session::DevicePool pool;
  std::shared_ptr<session::SpeedBook> speeds = std::make_shared<session::SpeedBook>();
  std::shared_ptr<session::OpenedModel> model;

  Status open(const session::SetUp& setUp, const session::OpenOptions& options, Console& console);
};

}  // namespace orthros::cli
