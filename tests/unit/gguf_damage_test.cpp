// Files that are damaged or made to deceive: each gives an error that names the field, and nothing large is
// allocated.
#include <functional>

#include <gtest/gtest.h>

#include "engine/gguf/file.hpp"
#include "engine/gguf/writer.hpp"
#include "tests/unit/gguf_test_support.hpp"

namespace orthros::gguf {
namespace {

using test::arrayType, test::boolType, test::stringType, test::u32Type;
using test::ImageBuilder;

constexpr uint32_t f32Format = 0, q4_1Format = 3;

// The error of an image that must not parse, "" where it does.
std::string errorOf(const ImageBuilder& image, ErrorCode code = ErrorCode::malformed) {
  const auto file = File::parse(image.bytes(), "bad.gguf");
  if (file) return "";
  EXPECT_EQ(file.error().code, code) << file.error().message();
  EXPECT_NE(file.error().message().find("bad.gguf"), std::string::npos);
  return file.error().message();
}

#define EXPECT_ERROR(message, part) EXPECT_NE((message).find(part), std::string::npos) << (message)

ImageBuilder oneTensor(std::vector<uint64_t> shape, uint32_t format, uint64_t offset, size_t dataBytes = 64) {
  return ImageBuilder::withHeader(1, 0).tensor("blk.0.w", std::move(shape), format, offset).data(dataBytes);
}

TEST(GgufDamage, OtherKindsOfFileAreNamed) {
  EXPECT_ERROR(errorOf(ImageBuilder().raw("")), "magic");
  EXPECT_ERROR(errorOf(ImageBuilder().raw("PK\x03\x04 and more")), "does not begin with GGUF");
  EXPECT_ERROR(errorOf(ImageBuilder().raw("tjgg 1234"), ErrorCode::unsupported), "before GGUF");
  EXPECT_ERROR(errorOf(ImageBuilder::withHeader(0, 0, 1), ErrorCode::unsupported), "version 1");
  EXPECT_ERROR(errorOf(ImageBuilder::withHeader(0, 0, 0x03000000), ErrorCode::unsupported), "big-endian");
  EXPECT_ERROR(errorOf(ImageBuilder::withHeader(0, 0, 4), ErrorCode::unsupported), "version 4");
  EXPECT_ERROR(errorOf(ImageBuilder::withHeader(0, 0, 0), ErrorCode::unsupported), "version 0");
}

TEST(GgufDamage, HugeCountsInATinyFile) {
  for (const uint64_t huge : {uint64_t{1} << 20, uint64_t{1} << 32, uint64_t{1} << 63, UINT64_MAX}) {
    EXPECT_ERROR(errorOf(ImageBuilder::withHeader(huge, 0)), "tensor_count");
    EXPECT_ERROR(errorOf(ImageBuilder::withHeader(0, huge)), "metadata_kv_count");
    EXPECT_ERROR(errorOf(ImageBuilder::withHeader(0, 1).number(huge).raw("rest of the file")), "key 0");
    EXPECT_ERROR(errorOf(ImageBuilder::withHeader(0, 1).key("name", stringType).number(huge).raw("xx")),
                 "key name");
    for (const uint32_t element : {0u, u32Type, boolType, stringType, 12u}) {
      const auto image =
          ImageBuilder::withHeader(0, 1).key("list", arrayType).number(element).number(huge).data(64);
      EXPECT_ERROR(errorOf(image), "key list");
    }
    EXPECT_ERROR(errorOf(ImageBuilder::withHeader(1, 0).number(huge).data(128)), "tensor 0");
  }
}

TEST(GgufDamage, CountsThatWrap) {
  const uint64_t big = uint64_t{1} << 32;
  EXPECT_ERROR(errorOf(oneTensor({big, big}, f32Format, 0)), "tensor blk.0.w");
  EXPECT_ERROR(errorOf(oneTensor({big, big}, f32Format, 0)), "64 bits");
  EXPECT_ERROR(errorOf(oneTensor({big, big / 2}, f32Format, 0)),
               "past the end");  // bytes wrap, elements do not
  EXPECT_ERROR(errorOf(oneTensor({big, big / 4}, f32Format, 0)), "past the end");
  EXPECT_ERROR(errorOf(oneTensor({big, 1, 1, big}, q4_1Format, 0)), "64 bits");
  EXPECT_ERROR(errorOf(oneTensor({8}, f32Format, UINT64_MAX - 31)), "past the end");
}

TEST(GgufDamage, Shapes) {
  EXPECT_ERROR(errorOf(oneTensor({4, 0}, f32Format, 0)), "dimension 1 is zero");
  EXPECT_ERROR(errorOf(oneTensor({}, f32Format, 0)), "0 dimensions");
  EXPECT_ERROR(errorOf(oneTensor({1, 1, 1, 1, 1}, f32Format, 0)), "5 dimensions");
  EXPECT_ERROR(errorOf(oneTensor({33, 32}, q4_1Format, 0)), "Q4_1");
  EXPECT_ERROR(errorOf(oneTensor({16, 2}, q4_1Format, 0)), "blocks of 32");
}

TEST(GgufDamage, Formats) {
  EXPECT_ERROR(errorOf(oneTensor({256}, 10, 0), ErrorCode::unsupported), "Q2_K");
  EXPECT_ERROR(errorOf(oneTensor({256}, 10, 0), ErrorCode::unsupported), "Q4_K");  // what it can read
  EXPECT_ERROR(errorOf(oneTensor({256}, 4711, 0)), "unknown format 4711");
}

TEST(GgufDamage, TensorPlaces) {
  EXPECT_ERROR(errorOf(oneTensor({17}, f32Format, 0)), "tensor blk.0.w");
  EXPECT_ERROR(errorOf(oneTensor({8}, f32Format, 64)), "past the end");
  EXPECT_ERROR(errorOf(oneTensor({8}, f32Format, 8)), "not a multiple of the alignment");
  EXPECT_EQ(errorOf(oneTensor({8}, f32Format, 32)), "");
  const auto overlapping = ImageBuilder::withHeader(3, 0)
                               .tensor("a", {8}, f32Format, 64)
                               .tensor("b", {9}, f32Format, 0)
                               .tensor("c", {8}, f32Format, 32)
                               .data(96);
  EXPECT_ERROR(errorOf(overlapping), "tensor c");
  EXPECT_ERROR(errorOf(overlapping), "overlaps that of tensor b");
  const auto same =
      ImageBuilder::withHeader(2, 0).tensor("a", {8}, f32Format, 0).tensor("b", {8}, f32Format, 0).data(64);
  EXPECT_ERROR(errorOf(same), "overlaps");
}

TEST(GgufDamage, Duplicates) {
  const auto keys = ImageBuilder::withHeader(0, 2).key("k", u32Type).number(1u).key("k", u32Type).number(1u);
  EXPECT_ERROR(errorOf(keys), "key k: appears twice");
  const auto tensors = ImageBuilder::withHeader(2, 0).tensor("t", {8}, 0, 0).tensor("t", {8}, 0, 32).data(64);
  EXPECT_ERROR(errorOf(tensors), "tensor t: appears twice");
}

TEST(GgufDamage, Alignments) {
  for (const uint32_t alignment : {0u, 3u, 24u, 0xffffffffu}) {
    const auto image = ImageBuilder::withHeader(0, 1).key("general.alignment", u32Type).number(alignment);
    EXPECT_ERROR(errorOf(image), "general.alignment");
    EXPECT_ERROR(errorOf(image), "power of two");
  }
  const auto text = ImageBuilder::withHeader(0, 1).key("general.alignment", stringType).text("32");
  EXPECT_ERROR(errorOf(text), "general.alignment");
  const auto huge = ImageBuilder::withHeader(1, 1)
                        .key("general.alignment", u32Type)
                        .number(1u << 31)
                        .tensor("t", {1}, 0, 0)
                        .data(64);
  EXPECT_ERROR(errorOf(huge), "tensor t");
}

TEST(GgufDamage, Metadata) {
  EXPECT_ERROR(errorOf(ImageBuilder::withHeader(0, 1).key("k", 13).number(uint64_t{0})), "value type 13");
  EXPECT_ERROR(errorOf(ImageBuilder::withHeader(0, 1).key("k", arrayType).number(99u).number(uint64_t{0})),
               "element type 99");
  const auto nested = ImageBuilder::withHeader(0, 1)
                          .key("k", arrayType)
                          .number(arrayType)
                          .number(uint64_t{1})
                          .number(u32Type)
                          .number(uint64_t{0});
  EXPECT_ERROR(errorOf(nested, ErrorCode::unsupported), "key k: is an array of arrays");
  EXPECT_ERROR(errorOf(ImageBuilder::withHeader(0, 1).key("k", boolType).number(uint8_t{2})), "key k");
  EXPECT_ERROR(errorOf(ImageBuilder::withHeader(0, 1).key("", u32Type).number(uint64_t{0})), "empty name");
}

TEST(GgufDamage, TextThatIsNotUtf8) {
  EXPECT_ERROR(errorOf(ImageBuilder::withHeader(0, 1).key("k\xff", u32Type).number(1u)), "key 0");
  const auto tokens = ImageBuilder::withHeader(0, 1)
                          .key("tokenizer.ggml.tokens", arrayType)
                          .number(stringType)
                          .number(uint64_t{2})
                          .text("fine")
                          .text("\xc3(");
  EXPECT_ERROR(errorOf(tokens), "tokenizer.ggml.tokens");
  EXPECT_ERROR(errorOf(tokens), "UTF-8");
  EXPECT_ERROR(errorOf(ImageBuilder::withHeader(1, 0).tensor("\x80", {8}, 0, 0).data(32)), "tensor 0");
}

TEST(GgufDamage, NamesBeyondTheLimits) {
  const auto key = ImageBuilder::withHeader(0, 1).key(std::string(65536, 'k'), u32Type).number(1u);
  EXPECT_ERROR(errorOf(key), "65535");
  const auto tensor = ImageBuilder::withHeader(1, 0).tensor(std::string(65, 't'), {8}, 0, 0).data(32);
  EXPECT_ERROR(errorOf(tensor), "limit of 64");
}

TEST(GgufDamage, ErrorsSayTheByte) {
  const auto image =
      ImageBuilder::withHeader(0, 2).key("first", u32Type).number(1u).key("k", boolType).number(uint8_t{9});
  EXPECT_ERROR(errorOf(image), "at byte " + std::to_string(image.bytes().size() - 1));
}

// A header with every kind of value, then cut at every byte and changed at every byte.
ImageBuilder everything() {
  ImageBuilder image = ImageBuilder::withHeader(2, 6);
  image.key("general.alignment", u32Type).number(32u);
  image.key("name", stringType).text("caf\xc3\xa9");
  image.key("flag", boolType).number(uint8_t{1});
  image.key("numbers", arrayType).number(6u).number(uint64_t{3}).number(1.f).number(2.f).number(3.f);
  image.key("words", arrayType).number(stringType).number(uint64_t{2}).text("ab").text("");
  image.key("wide", 12).number(2.5);
  image.tensor("a", {32, 2}, q4_1Format, 0).tensor("b", {3, 1, 2}, f32Format, 64).data(64 + 24);
  return image;
}

TEST(GgufDamage, TruncatedAtEveryByte) {
  const auto whole = everything();
  ASSERT_EQ(errorOf(whole), "");
  for (size_t size = 0; size < whole.bytes().size(); ++size) {
    const std::vector<std::byte> cut(whole.bytes().begin(),
                                     whole.bytes().begin() + static_cast<ptrdiff_t>(size));
    const auto file = File::parse(cut, "cut.gguf");
    ASSERT_FALSE(file) << "cut to " << size;
    EXPECT_EQ(file.error().code, ErrorCode::malformed);
    EXPECT_NE(file.error().message().find("at byte"), std::string::npos) << size << file.error().message();
  }
}

TEST(GgufDamage, AnyByteChangedIsEitherAnErrorOrAConsistentFile) {
  const auto whole = everything().bytes();
  size_t errors = 0;
  for (size_t at = 0; at < whole.size(); ++at) {
    for (const uint8_t mask : {0x01, 0x80, 0xff}) {
      auto changed = whole;
      changed[at] ^= std::byte{mask};
      const auto file = File::parse(changed, "changed.gguf");
      errors += !file;
      if (!file) continue;
      for (const Tensor& tensor : file->tensors()) {
        ASSERT_GE(tensor.data.data(), changed.data());
        ASSERT_LE(tensor.data.data() + tensor.data.size(), changed.data() + changed.size());
        ASSERT_EQ(tensor.data.size(), formatBytes(tensor.format, tensor.elements));
      }
    }
  }
  EXPECT_GT(errors, whole.size());
}

TEST(GgufDamage, MissingFile) {
  const auto file = File::open("/nowhere/model.gguf");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code, ErrorCode::notFound);
}

}  // namespace
}  // namespace orthros::gguf
