#include <bit>
#include <cmath>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "engine/gguf/block_format.hpp"
#include "engine/gguf/blocks.hpp"
#include "tests/unit/gguf_test_support.hpp"

namespace orthros::gguf {
namespace {

template <class Block>
std::vector<float> expandedBlock(const Block& block) {
  return test::expanded(Block::format, std::as_bytes(std::span(&block, 1)));
}

TEST(FormatTable, NamesAndSizesAreThoseOfGguf) {
  EXPECT_STREQ(traitsOf(Format::q4_k)->name, "Q4_K");
  EXPECT_EQ(traitsOf(Format::q4_k)->blockBytes, 144u);
  EXPECT_EQ(traitsOf(Format::q6_k)->blockBytes, 210u);
  EXPECT_EQ(traitsOf(Format::q8_0)->blockElements, 32u);
  EXPECT_EQ(traitsOf(static_cast<Format>(10)), nullptr);
  EXPECT_STREQ(foreignFormatName(10), "Q2_K");
  EXPECT_EQ(foreignFormatName(1000), nullptr);
  EXPECT_EQ(formatBytes(Format::q5_1, 64), 48u);
}

TEST(FormatTable, EveryNameLeadsBackToItsFormat) {
  for (const Format format : test::allFormats()) {
    const auto found = formatFromName(traitsOf(format)->name);
    ASSERT_TRUE(found);
    EXPECT_EQ(*found, format);
  }
  EXPECT_EQ(*formatFromName("q4_k"), Format::q4_k);
  const auto unknown = formatFromName("Q2_K");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ErrorCode::invalidArgument);
  EXPECT_NE(unknown.error().message().find("Q5_K"), std::string::npos);
}

TEST(Dequantize, Q4_0ByHand) {
  BlockQ4_0 block{floatToHalf(0.5f), {}};
  block.nibbles[0] = 0xf0;  // element 0 has code 0, element 16 code 15
  block.nibbles[15] = 0x8a;
  const auto values = expandedBlock(block);
  EXPECT_EQ(values[0], -4.f);
  EXPECT_EQ(values[16], 3.5f);
  EXPECT_EQ(values[15], 1.f);
  EXPECT_EQ(values[31], 0.f);
}

TEST(Dequantize, Q4_1ByHand) {
  BlockQ4_1 block{floatToHalf(0.25f), floatToHalf(-1.f), {}};
  block.nibbles[3] = 0x5c;
  const auto values = expandedBlock(block);
  EXPECT_EQ(values[3], 2.f);
  EXPECT_EQ(values[19], 0.25f);
  EXPECT_EQ(values[0], -1.f);
}

TEST(Dequantize, FiveBitFormatsByHand) {
  BlockQ5_0 centred{floatToHalf(2.f), {}, {}};
  centred.fifthBits[0] = 0x02;  // element 1
  centred.fifthBits[3] = 0x80;  // element 31
  centred.nibbles[1] = 0x03;
  centred.nibbles[15] = 0x70;
  auto values = expandedBlock(centred);
  EXPECT_EQ(values[0], -32.f);
  EXPECT_EQ(values[1], 6.f);
  EXPECT_EQ(values[31], 14.f);
  EXPECT_EQ(values[17], -32.f);
  BlockQ5_1 affine{floatToHalf(2.f), floatToHalf(1.f), {}, {}};
  affine.fifthBits[2] = 0x01;  // element 16
  affine.nibbles[0] = 0xf1;
  values = expandedBlock(affine);
  EXPECT_EQ(values[0], 3.f);
  EXPECT_EQ(values[16], 63.f);
}

TEST(Dequantize, Q8_0ByHand) {
  BlockQ8_0 block{floatToHalf(-0.5f), {}};
  block.values[0] = -128;
  block.values[31] = 127;
  const auto values = expandedBlock(block);
  EXPECT_EQ(values[0], 64.f);
  EXPECT_EQ(values[31], -63.5f);
}

TEST(Dequantize, GroupScalesUseAllSixBits) {
  for (int group = 0; group < 8; ++group) {
    for (int value = 0; value < 64; ++value) {
      uint8_t packed[12] = {};
      for (int i = 0; i < 8; ++i) {
        const bool chosen = i == group;
        packGroup(
            packed, i,
            {static_cast<uint8_t>(chosen ? value : 21), static_cast<uint8_t>(chosen ? 63 - value : 42)});
      }
      for (int i = 0; i < 8; ++i) {
        EXPECT_EQ(unpackGroup(packed, i).scale, i == group ? value : 21);
        EXPECT_EQ(unpackGroup(packed, i).minimum, i == group ? 63 - value : 42);
      }
    }
  }
}

TEST(Dequantize, Q6_KByHand) {
  BlockQ6_K block{};
  block.scale = floatToHalf(0.125f);
  for (int8_t& scale : block.scales) scale = 1;
  block.scales[15] = -2;
  block.nibbles[127] = 0xf0;   // elements 191 (low nibble) and 255 (high nibble)
  block.upperBits[63] = 0xc0;  // element 255: upper pair 3
  const auto values = expandedBlock(block);
  EXPECT_EQ(values[255], (63 - 32) * 0.125f * -2);
  EXPECT_EQ(values[0], -4.f);
  EXPECT_EQ(values[240], 8.f);
}

// The vectors were made with the Python package gguf 0.19 (gguf.quants.dequantize) from random bytes.
TEST(Dequantize, StoredVectorsToTheBit) {
  std::ifstream stream(ORTHROS_TEST_DATA "/golden/gguf_blocks.json");
  const auto vectors = nlohmann::json::parse(stream);
  const auto unhex = [](const std::string& text) {
    std::vector<std::byte> bytes(text.size() / 2);
    for (size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = static_cast<std::byte>(std::stoi(text.substr(2 * i, 2), nullptr, 16));
    return bytes;
  };
  size_t formats = 0;
  for (const auto& vector : vectors.at("vectors")) {
    const auto format = formatFromName(vector.at("format").get<std::string>());
    ASSERT_TRUE(format);
    const auto values = test::expanded(*format, unhex(vector.at("blocks")));
    const auto expected = unhex(vector.at("values"));
    ASSERT_EQ(values.size() * sizeof(float), expected.size());
    EXPECT_EQ(std::memcmp(values.data(), expected.data(), expected.size()), 0) << vector.at("format");
    ++formats;
  }
  EXPECT_EQ(formats, test::allFormats().size());
}

TEST(Dequantize, UnalignedBlocksGiveTheSameValues) {
  for (const Format format : test::allFormats()) {
    const auto blocks = test::randomBlocks(format, 7, 11);
    std::vector<std::byte> shifted(blocks.size() + 1);
    std::copy(blocks.begin(), blocks.end(), shifted.begin() + 1);
    EXPECT_EQ(test::expanded(format, blocks), test::expanded(format, std::span(shifted).subspan(1)))
        << traitsOf(format)->name;
  }
}

TEST(Dequantize, TouchesNothingBeyondWholeBlocks) {
  for (const Format format : test::allFormats()) {
    const FormatTraits& traits = *traitsOf(format);
    const auto blocks = test::randomBlocks(format, 2, 5);
    std::vector<float> values(2 * traits.blockElements + 1, 99.f);
    dequantize(format, std::span(blocks).first(blocks.size() - 1), values);
    for (size_t i = traits.blockElements; i < values.size(); ++i) ASSERT_EQ(values[i], 99.f) << traits.name;
  }
}

}  // namespace
}  // namespace orthros::gguf
