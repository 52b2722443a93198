#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

#include "engine/gguf/file.hpp"
#include "engine/gguf/writer.hpp"
#include "tests/unit/gguf_test_support.hpp"

namespace orthros::gguf {
namespace {

std::vector<std::pair<std::string, Value>> everyValue() {
  return {{"general.architecture", std::string("test")},
          {"u8", uint8_t{255}},
          {"i8", int8_t{-128}},
          {"u16", uint16_t{65535}},
          {"i16", int16_t{-32768}},
          {"u32", uint32_t{4294967295}},
          {"i32", int32_t{-2147483647}},
          {"f32", 0.1f},
          {"bool", true},
          {"string", std::string("caf\xc3\xa9 \xf0\x9f\x90\xba")},
          {"u64", UINT64_MAX},
          {"i64", INT64_MIN},
          {"f64", 0.1},
          {"array.u8", Array(std::vector<uint8_t>{1, 2})},
          {"array.i8", Array(std::vector<int8_t>{-1})},
          {"array.u16", Array(std::vector<uint16_t>{1})},
          {"array.i16", Array(std::vector<int16_t>{-1})},
          {"array.u32", Array(std::vector<uint32_t>{1, 2, 3})},
          {"array.i32", Array(std::vector<int32_t>{-1})},
          {"array.f32", Array(std::vector<float>{1.5f})},
          {"array.bool", Array(std::vector<bool>{true, false, true})},
          {"array.string", Array(std::vector<std::string>{"a", "", "\xc4\xa0t"})},
          {"array.u64", Array(std::vector<uint64_t>{UINT64_MAX})},
          {"array.i64", Array(std::vector<int64_t>{-5})},
          {"array.f64", Array(std::vector<double>{2.5, -2.5})}};
}

// A writer with every value type and, for each format, random blocks and their values as F32.
Writer fullWriter() {
  Writer writer;
  for (auto& [key, value] : everyValue()) EXPECT_TRUE(writer.add(key, value)) << key;
  for (const Format format : test::allFormats()) {
    const FormatTraits& traits = *traitsOf(format);
    const uint64_t columns = 2 * 256, rows = 3;
    const auto blocks = test::randomBlocks(format, columns * rows / traits.blockElements, 77);
    const auto values = test::expanded(format, blocks);
    const std::string name = traits.name;
    EXPECT_TRUE(writer.addTensor(name, format, {columns, rows}, blocks));
    EXPECT_TRUE(
        writer.addTensor(name + ".expected", Format::f32, {columns, rows}, quantize(Format::f32, values)));
  }
  return writer;
}

TEST(GgufWriter, EveryValueAndTensorComesBack) {
  const auto image = fullWriter().toBytes();
  ASSERT_TRUE(image);
  const auto file = File::parse(*image, "written.gguf");
  ASSERT_TRUE(file) << file.error().message();
  EXPECT_EQ(file->metadata(), everyValue());
  EXPECT_EQ(file->tensors().size(), 2 * test::allFormats().size());
  for (const Format format : test::allFormats()) {
    const Tensor& tensor = **file->tensor(traitsOf(format)->name);
    const Tensor& expected = **file->tensor(std::string(traitsOf(format)->name) + ".expected");
    EXPECT_EQ(tensor.format, format);
    EXPECT_EQ(tensor.shape, (std::vector<uint64_t>{512, 3}));
    EXPECT_EQ(test::expanded(format, tensor.data), test::expanded(Format::f32, expected.data));
  }
}

TEST(GgufWriter, FileBytesAreKnownBeforehand) {
  const Writer writer = fullWriter();
  EXPECT_EQ(writer.fileBytes(), writer.toBytes()->size());
  EXPECT_EQ(Writer().fileBytes(), Writer().toBytes()->size());
}

TEST(GgufWriter, AlignmentIsTheFilesOwn) {
  Writer writer;
  ASSERT_TRUE(writer.add("general.alignment", uint32_t{256}));
  ASSERT_TRUE(writer.addTensor("a", Format::f32, {1}, std::vector<std::byte>(4)));
  ASSERT_TRUE(writer.addTensor("b", Format::f32, {1}, std::vector<std::byte>(4)));
  const auto image = writer.toBytes();
  const auto file = File::parse(*image, "aligned.gguf");
  ASSERT_TRUE(file) << file.error().message();
  EXPECT_EQ((*file->tensor("b"))->data.data() - image->data(), 512);
  EXPECT_FALSE(Writer().add("general.alignment", uint32_t{24}));
  EXPECT_FALSE(Writer().add("general.alignment", uint64_t{32}));
}

TEST(GgufWriter, RefusesWhatAReaderWouldRefuse) {
  Writer writer;
  ASSERT_TRUE(writer.add("k", true));
  EXPECT_FALSE(writer.add("k", true));
  EXPECT_FALSE(writer.add("", true));
  EXPECT_FALSE(writer.add("bad\xff", true));
  EXPECT_FALSE(writer.add("text", std::string("\xff")));
  EXPECT_FALSE(writer.add("texts", Array(std::vector<std::string>{"a", "\xff"})));
  EXPECT_FALSE(writer.addTensor(std::string(65, 't'), Format::f32, {1}, std::vector<std::byte>(4)));
  EXPECT_FALSE(writer.addTensor("t", Format::q4_k, {128, 2}, std::vector<std::byte>(144)));
  EXPECT_FALSE(writer.addTensor("t", Format::f32, {}, std::vector<std::byte>()));
  EXPECT_FALSE(writer.addTensor("t", Format::f32, {4, 0}, std::vector<std::byte>()));
  EXPECT_FALSE(
      writer.addTensor("t", Format::f32, {uint64_t{1} << 32, uint64_t{1} << 32}, std::vector<std::byte>()));
  EXPECT_FALSE(writer.addTensor("t", static_cast<Format>(10), {256}, std::vector<std::byte>()));
  ASSERT_TRUE(writer.addTensor("t", Format::f32, {1}, std::vector<std::byte>(4)));
  EXPECT_FALSE(writer.addTensor("t", Format::f32, {1}, std::vector<std::byte>(4)));
}

TEST(GgufWriter, DataOfTheWrongSizeLeavesNoFile) {
  const test::TemporaryFolder folder;
  for (const size_t bytes : {size_t{0}, size_t{7}, size_t{9}, size_t{100}}) {
    Writer writer;
    ASSERT_TRUE(writer.addTensor("t", Format::f32, {2}, std::vector<std::byte>(bytes)));
    const Status status = writer.write(folder / "t.gguf");
    ASSERT_FALSE(status);
    EXPECT_NE(status.error().message().find("tensor t"), std::string::npos);
    EXPECT_FALSE(std::filesystem::exists(folder / "t.gguf"));
  }
}

TEST(GgufWriter, AFailingSourceIsReported) {
  Writer writer;
  ASSERT_TRUE(writer.addTensor("t", Format::f32, {2}, [](const FileSink&) -> Status {
    return fail(ErrorCode::cancelled, "source", "was cancelled");
  }));
  const test::TemporaryFolder folder;
  EXPECT_EQ(writer.write(folder / "t.gguf").error().code, ErrorCode::cancelled);
  EXPECT_EQ(writer.write(FileSink([](std::span<const std::byte>) { return false; })).error().code,
            ErrorCode::io);
}

TEST(GgufWriter, DataMayComeInPieces) {
  const auto values = test::normalValues(1000, 3);
  Writer writer;
  ASSERT_TRUE(writer.addTensor("t", Format::f32, {1000}, [&](const FileSink& sink) -> Status {
    for (size_t at = 0; at < values.size(); at += 300)
      sink(std::as_bytes(std::span(values).subspan(at, std::min<size_t>(300, values.size() - at))));
    return {};
  }));
  const auto image = writer.toBytes();
  ASSERT_TRUE(image) << image.error().message();
  EXPECT_EQ(test::expanded(Format::f32, (*File::parse(*image, "")->tensor("t"))->data), values);
}

// The Python package gguf reads the same values, and its own expansion of every format agrees to the bit.
TEST(GgufWriter, PythonPackageAgrees) {
  if (std::system("python3 -c 'import gguf' > /dev/null 2>&1") != 0) GTEST_SKIP() << "no Python package gguf";
  const test::TemporaryFolder folder;
  const auto path = folder / "full.gguf";
  ASSERT_TRUE(fullWriter().write(path));
  const std::string command = "python3 '" ORTHROS_TEST_DATA "/unit/gguf_oracle.py' '" + path.string() + "'";
  EXPECT_EQ(std::system(command.c_str()), 0);
}

}  // namespace
}  // namespace orthros::gguf
