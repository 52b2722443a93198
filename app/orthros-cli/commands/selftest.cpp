#include <CLI/CLI.hpp>

#include "app/orthros-cli/command.hpp"
#include "app/orthros-cli/output.hpp"
#include "engine/evaluate/markdown_table.hpp"
#include "engine/evaluate/self_test.hpp"
#include "engine/session/device_pool.hpp"

namespace orthros::cli {
namespace {

class SelftestCommand final : public Command {
 public:
  const char* name() const override { return "selftest"; }
  const char* description() const override {
    return "Compare this device's results with exact ones on small generated models";
  }

  void addOptions(CLI::App& app) override {
    app.add_option("--device", device_,
                   "The device, by the UUID that `orthros-cli devices` shows; the best one where not given");
    app.add_flag("--validation", validation_, "Check every Vulkan call with the validation layer (slow)");
  }

  Status run(Console& console) override {
    session::DevicePool pool;
    ORTHROS_ASSIGN(const auto device, pool.open(device_, validation_));
    ORTHROS_ASSIGN(const auto results, evaluate::runSelfTest(device, console.progress(), console.cancel));
    console.bar.clear();
    if (console.json) {
      printJson({{"device", device->info().name},
                 {"passed", evaluate::passed(results)},
                 {"tests", evaluate::toJson(results)}});
    } else {
      using Align = evaluate::MarkdownTable::Align;
      evaluate::MarkdownTable table(
          {{"test"}, {"largest error", Align::right}, {"allowed", Align::right}, {"result"}});
      for (const evaluate::SelfTestResult& one : results) {
        table.addRow({one.name, evaluate::fixed(one.largestError, 6), evaluate::fixed(one.allowedError, 6),
                      one.passed() ? "right" : "WRONG"});
      }
      print(device->info().name + "\n\n" + table.text());
    }
    if (evaluate::passed(results)) return {};
    return fail(ErrorCode::internal, device->info().name, "gives wrong results",
                "Choose another device with --device, or update the driver");
  }

 private:
  std::string device_;
  bool validation_ = false;
};

}  // namespace

std::unique_ptr<Command> makeSelftestCommand() {
  return std::make_unique<SelftestCommand>();
}

}  // namespace orthros::cli
