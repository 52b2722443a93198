#include <CLI/CLI.hpp>

#include "app/orthros-cli/command.hpp"
#include "app/orthros-cli/output.hpp"
#include "engine/evaluate/markdown_table.hpp"
#include "engine/kernels/kernel_library.hpp"
#include "engine/session/device_pool.hpp"

namespace orthros::cli {
namespace {

class DevicesCommand final : public Command {
 public:
  const char* name() const override { return "devices"; }
  const char* description() const override { return "List the Vulkan devices and which kernels they run"; }
  void addOptions(CLI::App&) override {}

  Status run(Console& console) override {
    session::DevicePool pool;
    ORTHROS_ASSIGN(const auto devices, pool.list());
    const auto best = vulkan::chooseDevice(devices, "");
    const std::string chosen = best ? best->uuid : std::string();
    if (console.json) {
      printJson({{"devices", asJson(devices, chosen)}});
    } else {
      print(asTable(devices, chosen));
    }
    return {};
  }

 private:
  static std::string kernelsOf(const vulkan::DeviceInfo& device) {
    return kernels::flavourName(kernels::KernelLibrary::bestFlavour(device));
  }

  static nlohmann::json asJson(const std::vector<vulkan::DeviceInfo>& devices, const std::string& chosen) {
    nlohmann::json list = nlohmann::json::array();
    for (const vulkan::DeviceInfo& device : devices) {
      nlohmann::json one = vulkan::toJson(device);
      one["default"] = device.uuid == chosen;
      one["kernels"] = kernelsOf(device);
      list.push_back(std::move(one));
    }
    return list;
  }

  static std::string asTable(const std::vector<vulkan::DeviceInfo>& devices, const std::string& chosen) {
    using Align = evaluate::MarkdownTable::Align;
    evaluate::MarkdownTable table(
        {{"device"}, {"type"}, {"driver"}, {"memory", Align::right}, {"kernels"}, {"uuid"}, {""}});
    for (const vulkan::DeviceInfo& device : devices) {
      table.addRow({device.name, vulkan::deviceTypeName(device.type),
                    device.driverName + " " + device.driverVersion, bytesText(device.deviceMemoryBytes()),
                    kernelsOf(device), device.uuid, device.uuid == chosen ? "default" : ""});
    }
    return table.text();
  }
};

}  // namespace

std::unique_ptr<Command> makeDevicesCommand() {
  return std::make_unique<DevicesCommand>();
}

}  // namespace orthros::cli
