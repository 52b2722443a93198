#include "engine/model/synth_values.hpp"

#include <algorithm>
#include <numeric>

#include "engine/base/parallel.hpp"

namespace orthros::model {
namespace {

// splitmix64's output function. Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators"
// (2014).
uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

constexpr uint64_t weyl = 0x9e3779b97f4a7c15u;
constexpr uint64_t pieceElements = 1u << 16;  // a multiple of every block
constexpr uint64_t batchPieces = 32;          // made at once on all cores, then written in order
constexpr uint64_t poolElements = 61 * pieceElements;

Status refused() {
  return fail(ErrorCode::io, "generated model", "could not be written", "Free some disk space and try again");
}

}  // namespace

uint64_t streamOf(uint64_t seed, std::string_view name) {
  uint64_t hash = mix(seed + weyl);
  for (const char c : name) hash = mix(hash ^ static_cast<uint8_t>(c)) + weyl;
  return hash;
}

void fillRandom(std::span<float> values, uint64_t stream, uint64_t first, float mean, float deviation) {
  // The sum of four uniform 16-bit numbers has mean 4 * 32767.5 and variance 4 * (2^32 - 1) / 12.
  constexpr float unit = 1.f / 37837.22723f;
  const float scale = deviation * unit;
  for (size_t i = 0; i < values.size(); ++i) {
    const uint64_t bits = mix(stream + (first + i + 1) * weyl);
    const auto sum =
        static_cast<int32_t>((bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48));
    values[i] = mean + static_cast<float>(sum - 131070) * scale;
  }
}

Status writeRandom(const RandomTensor& tensor, const FileSink& sink) {
  const uint64_t batchElements = batchPieces * pieceElements;
  std::vector<std::byte> blocks;
  for (uint64_t begin = 0; begin < tensor.elements; begin += batchElements) {
    const uint64_t count = std::min(batchElements, tensor.elements - begin);
    blocks.resize(static_cast<size_t>(gguf::formatBytes(tensor.format, count)));
    const uint64_t pieceBytes = gguf::formatBytes(tensor.format, pieceElements);
    parallelFor(static_cast<size_t>((count + pieceElements - 1) / pieceElements), [&](size_t piece) {
      const uint64_t at = piece * pieceElements;
      std::vector<float> values(static_cast<size_t>(std::min(pieceElements, count - at)));
      fillRandom(values, tensor.stream, begin + at, tensor.mean, tensor.deviation);
      const auto target = std::span(blocks).subspan(piece * static_cast<size_t>(pieceBytes));
      gguf::quantize(tensor.format, values, target);
    });
    if (!sink(blocks)) return refused();
  }
  return {};
}

const std::vector<std::byte>& BlockPool::blocksFor(const RandomTensor& tensor) {
  std::vector<std::byte>& pool = pools_[{tensor.format, tensor.deviation}];
  if (!pool.empty()) return pool;
  RandomTensor source = tensor;
  source.elements = poolElements;
  source.stream = streamOf(static_cast<uint64_t>(tensor.format), "pool");
  // The sink takes everything: there is nothing that could fail.
  static_cast<void>(writeRandom(source, [&](std::span<const std::byte> piece) {
    pool.insert(pool.end(), piece.begin(), piece.end());
    return true;
  }));
  return pool;
}

Status BlockPool::write(const RandomTensor& tensor, const FileSink& sink) {
  if (tensor.elements <= poolElements) return writeRandom(tensor, sink);
  const std::vector<std::byte>& pool = blocksFor(tensor);
  const uint64_t blockBytes = gguf::traitsOf(tensor.format)->blockBytes;
  uint64_t at = tensor.stream % (pool.size() / blockBytes) * blockBytes;
  uint64_t left = gguf::formatBytes(tensor.format, tensor.elements);
  while (left > 0) {
    const uint64_t bytes = std::min<uint64_t>(left, pool.size() - at);
    if (!sink(std::span(pool).subspan(static_cast<size_t>(at), static_cast<size_t>(bytes)))) return refused();
    left -= bytes;
    at = 0;
  }
  return {};
}

}  // namespace orthros::model
