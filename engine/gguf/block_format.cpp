#include "engine/gguf/block_format.hpp"

#include <algorithm>
#include <iterator>

#include "engine/gguf/blocks.hpp"

namespace orthros::gguf {
namespace {

struct Entry {
  Format format;
  FormatTraits traits;
};

template <class Block>
constexpr Entry entry(const char* name) {
  return {Block::format, {name, Block::elements, sizeof(Block)}};
}

constexpr Entry entries[] = {
    {Format::f32, {"F32", 1, 4}}, {Format::f16, {"F16", 1, 2}}, {Format::bf16, {"BF16", 1, 2}},
    entry<BlockQ4_0>("Q4_0"),     entry<BlockQ4_1>("Q4_1"),     entry<BlockQ5_0>("Q5_0"),
    entry<BlockQ5_1>("Q5_1"),     entry<BlockQ8_0>("Q8_0"),     entry<BlockQ4_K>("Q4_K"),
    entry<BlockQ5_K>("Q5_K"),     entry<BlockQ6_K>("Q6_K"),
};

bool equalIgnoringCase(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace

const FormatTraits* traitsOf(Format format) {
  const auto found = std::find_if(std::begin(entries), std::end(entries),
                                  [&](const Entry& candidate) { return candidate.format == format; });
  return found == std::end(entries) ? nullptr : &found->traits;
}

Result<Format> formatFromName(std::string_view name) {
  for (const Entry& candidate : entries) {
    if (equalIgnoringCase(candidate.traits.name, name)) return candidate.format;
  }
  return fail(ErrorCode::invalidArgument, "format " + std::string(name), "is not known",
              "Choose one of " + formatNames());
}

std::string formatNames() {
  std::string names;
  for (const Entry& candidate : entries)
    names += (names.empty() ? "" : ", ") + std::string(candidate.traits.name);
  return names;
}

const char* foreignFormatName(uint32_t number) {
  // Source: enum ggml_type of the ggml repository.
  switch (number) {
    case 9:
      return "Q8_1";
    case 10:
      return "Q2_K";
    case 11:
      return "Q3_K";
    case 15:
      return "Q8_K";
    case 16:
      return "IQ2_XXS";
    case 17:
      return "IQ2_XS";
    case 18:
      return "IQ3_XXS";
    case 19:
      return "IQ1_S";
    case 20:
      return "IQ4_NL";
    case 21:
      return "IQ3_S";
    case 22:
      return "IQ2_S";
    case 23:
      return "IQ4_XS";
    case 24:
      return "I8";
    case 25:
      return "I16";
    case 26:
      return "I32";
    case 27:
      return "I64";
    case 28:
      return "F64";
    case 29:
      return "IQ1_M";
    case 34:
      return "TQ1_0";
    case 35:
      return "TQ2_0";
    case 39:
      return "MXFP4";
    default:
      return nullptr;
  }
}

uint64_t formatBytes(Format format, uint64_t elements) {
  const FormatTraits* traits = traitsOf(format);
  return traits ? elements / traits->blockElements * traits->blockBytes : 0;
}

}  // namespace orthros::gguf
