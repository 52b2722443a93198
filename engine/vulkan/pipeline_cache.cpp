#include "engine/vulkan/pipeline_cache.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "engine/base/file.hpp"
#include "engine/base/log.hpp"
#include "engine/base/paths.hpp"

namespace orthros::vulkan {
namespace {

constexpr uint64_t maxFileBytes = 256ull << 20;
constexpr char envelopeMagic[8] = {'O', 'R', 'T', 'H', 'P', 'C', '0', '1'};

// Stands before the driver's data: drivers trust what they are given, so damage must be found before they see
// it.
struct Envelope {
  char magic[8] = {};
  uint64_t bytes = 0;
  uint64_t hash = 0;
};

// FNV-1a, 64 bits (http://www.isthe.com/chongo/tech/comp/fnv/).
uint64_t hashOf(std::span<const std::byte> bytes) {
  uint64_t hash = 0xcbf29ce484222325ull;
  for (const std::byte byte : bytes) hash = (hash ^ static_cast<uint64_t>(byte)) * 0x100000001b3ull;
  return hash;
}

// The driver's data in a file's contents; empty where the envelope does not fit them.
std::span<const std::byte> openEnvelope(std::span<const std::byte> contents) {
  Envelope envelope;
  if (contents.size() < sizeof(envelope)) return {};
  std::memcpy(&envelope, contents.data(), sizeof(envelope));
  const auto data = contents.subspan(sizeof(envelope));
  const bool intact = std::memcmp(envelope.magic, envelopeMagic, sizeof(envelopeMagic)) == 0 &&
                      envelope.bytes == data.size() && envelope.hash == hashOf(data);
  return intact ? data : std::span<const std::byte>();
}

// Whether the driver of `device` made this data (Vulkan 1.2, 10.6.4 "Pipeline Cache Header").
bool belongsTo(VkPhysicalDevice device, std::span<const std::byte> data) {
  VkPipelineCacheHeaderVersionOne header{};
  if (data.size() < sizeof(header)) return false;
  std::memcpy(&header, data.data(), sizeof(header));
  VkPhysicalDeviceProperties properties{};
  vkGetPhysicalDeviceProperties(device, &properties);
  return header.headerSize >= sizeof(header) &&
         header.headerVersion == VK_PIPELINE_CACHE_HEADER_VERSION_ONE &&
         header.vendorID == properties.vendorID && header.deviceID == properties.deviceID &&
         std::memcmp(header.pipelineCacheUUID, properties.pipelineCacheUUID, VK_UUID_SIZE) == 0;
}

}  // namespace

Result<std::shared_ptr<PipelineCache>> PipelineCache::open(Device& device,
                                                           const std::filesystem::path& folder) {
  const DeviceInfo& info = device.info();
  std::shared_ptr<PipelineCache> cache(new PipelineCache(
      device.shared_from_this(), folder / (info.driverUuid + "-" + info.uuid + ".pipelines")));
  std::error_code error;
  if (std::filesystem::exists(cache->path_, error)) {
    const auto contents = readFile(cache->path_, maxFileBytes);
    if (!contents) log::warn("{}", contents.error().message());
    const auto data =
        contents ? openEnvelope(std::as_bytes(std::span(*contents))) : std::span<const std::byte>();
    if (belongsTo(device.physicalDevice(), data) && cache->createCache(data)) {
      cache->loadedFromDisk_ = true;
      return cache;
    }
    log::info("{}: not a pipeline cache of this driver; starting an empty one", cache->path_.string());
  }
  ORTHROS_TRY(cache->createCache({}));
  return cache;
}

Result<std::shared_ptr<PipelineCache>> PipelineCache::open(Device& device) {
  const auto folder = cacheFolder();
  if (folder) return open(device, *folder / "pipelines");
  log::warn("{}", folder.error().message());
  std::shared_ptr<PipelineCache> cache(new PipelineCache(device.shared_from_this(), {}));
  ORTHROS_TRY(cache->createCache({}));
  return cache;
}

PipelineCache::PipelineCache(std::shared_ptr<Device> device, std::filesystem::path path)
    : device_(std::move(device)), path_(std::move(path)) {}

PipelineCache::~PipelineCache() {
  vkDestroyPipelineCache(device_->handle(), cache_, nullptr);
}

Status PipelineCache::createCache(std::span<const std::byte> initial) {
  VkPipelineCacheCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO;
  info.initialDataSize = initial.size();
  info.pInitialData = initial.data();
  const VkResult result = vkCreatePipelineCache(device_->handle(), &info, nullptr, &cache_);
  if (result == VK_SUCCESS) return {};
  cache_ = VK_NULL_HANDLE;
  return fail(device_->fault(result, "pipeline cache", "create it"));
}

Status PipelineCache::save() const {
  if (path_.empty()) return {};
  size_t bytes = 0;
  VkResult result = vkGetPipelineCacheData(device_->handle(), cache_, &bytes, nullptr);
  std::vector<std::byte> data(result == VK_SUCCESS ? bytes : 0);
  // VK_INCOMPLETE would mean that another thread compiled meanwhile: what has been written is whole all the
  // same.
  if (result == VK_SUCCESS) result = vkGetPipelineCacheData(device_->handle(), cache_, &bytes, data.data());
  if (result < 0) return fail(device_->fault(result, path_.string(), "read the pipeline cache"));
  data.resize(bytes);

  Envelope envelope{.bytes = data.size(), .hash = hashOf(data)};
  std::copy_n(envelopeMagic, sizeof(envelopeMagic), envelope.magic);
  std::error_code error;
  std::filesystem::create_directories(path_.parent_path(), error);
  if (error)
    return fail(ErrorCode::io, path_.parent_path().string(), "could not be created: " + error.message());
  return writeFileAtomically(path_, [&](const FileSink& sink) -> Status {
    if (sink(std::as_bytes(std::span(&envelope, 1))) && sink(data)) return {};
    return fail(ErrorCode::io, path_.string(), "could not be written", "Check the free space of the disk");
  });
}

void PipelineCache::saveOrLog() const {
  if (const Status saved = save(); !saved) log::warn("pipeline cache not kept: {}", saved.error().message());
}

}  // namespace orthros::vulkan
