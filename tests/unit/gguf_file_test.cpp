#include <filesystem>
#include <utility>

#include <gtest/gtest.h>

#include "engine/gguf/file.hpp"
#include "engine/gguf/writer.hpp"
#include "tests/unit/gguf_test_support.hpp"

namespace orthros::gguf {
namespace {

using test::arrayType, test::boolType, test::stringType, test::u32Type;
using test::ImageBuilder;

Result<File> parsed(const std::vector<std::byte>& bytes) {
  return File::parse(bytes, "test.gguf");
}

std::vector<std::byte> sampleImage() {
  Writer writer;
  EXPECT_TRUE(writer.add("general.architecture", std::string("llama")));
  EXPECT_TRUE(writer.add("small", uint8_t{200}));
  EXPECT_TRUE(writer.add("large", uint64_t{1} << 40));
  EXPECT_TRUE(writer.add("negative", int32_t{-3}));
  EXPECT_TRUE(writer.add("real", 0.5f));
  EXPECT_TRUE(writer.add("flag", true));
  EXPECT_TRUE(writer.add("list", Array(std::vector<int32_t>{1, 2, 70000})));
  EXPECT_TRUE(writer.add("words", Array(std::vector<std::string>{"one", "", "three"})));
  EXPECT_TRUE(
      writer.addTensor("a.weight", Format::f32, {3}, quantize(Format::f32, std::vector<float>{1, 2, 3})));
  EXPECT_TRUE(writer.addTensor("b.weight", Format::q8_0, {32, 2},
                               quantize(Format::q8_0, std::vector<float>(64, 1.f))));
  return *writer.toBytes();
}

TEST(GgufFile, VersionsTwoAndThreeAreRead) {
  for (const uint32_t version : {2u, 3u}) {
    const auto image = ImageBuilder::withHeader(1, 1, version)
                           .key("general.name", stringType)
                           .text("x")
                           .tensor("t", {4, 2}, 0, 0)
                           .data(32);
    const auto file = parsed(image.bytes());
    ASSERT_TRUE(file) << file.error().message();
    EXPECT_EQ(file->version(), version);
    EXPECT_EQ(file->bytes(), image.bytes().size());
    EXPECT_EQ(*file->get<std::string>("general.name"), "x");
    EXPECT_EQ((*file->tensor("t"))->elements, 8u);
    EXPECT_EQ((*file->tensor("t"))->shape, (std::vector<uint64_t>{4, 2}));
    EXPECT_EQ((*file->tensor("t"))->data.size(), 32u);
  }
}

TEST(GgufFile, IntegersConvertWhereTheyFit) {
  const auto image = sampleImage();
  const auto file = parsed(image);
  ASSERT_TRUE(file) << file.error().message();
  EXPECT_EQ(*file->get<uint64_t>("small"), 200u);
  EXPECT_EQ(*file->get<int32_t>("small"), 200);
  EXPECT_EQ(*file->get<int64_t>("negative"), -3);
  EXPECT_EQ(*file->get<double>("real"), 0.5);
  EXPECT_FALSE(file->get<int8_t>("small"));
  EXPECT_FALSE(file->get<uint32_t>("large"));
  EXPECT_FALSE(file->get<uint32_t>("negative"));
  EXPECT_EQ(*file->get<std::vector<uint32_t>>("list"), (std::vector<uint32_t>{1, 2, 70000}));
  EXPECT_FALSE(file->get<std::vector<uint16_t>>("list"));
}

TEST(GgufFile, WrongTypesAreNamed) {
  const auto image = sampleImage();
  const auto file = parsed(image);
  const auto mismatch = file->get<uint32_t>("general.architecture");
  ASSERT_FALSE(mismatch);
  EXPECT_EQ(mismatch.error().code, ErrorCode::malformed);
  for (const char* part : {"test.gguf", "general.architecture", "string", "llama", "u32"})
    EXPECT_NE(mismatch.error().message().find(part), std::string::npos) << part;
  EXPECT_FALSE(file->get<float>("small"));
  EXPECT_FALSE(file->get<bool>("small"));
  EXPECT_FALSE(file->get<uint32_t>("flag"));
  EXPECT_FALSE(file->get<std::string>("words"));
  EXPECT_FALSE(file->get<std::vector<float>>("list"));
  EXPECT_FALSE(file->get<uint32_t>("real"));
}

TEST(GgufFile, MissingKeysAndTensors) {
  const auto image = sampleImage();
  const auto file = parsed(image);
  EXPECT_EQ(file->find("absent"), nullptr);
  const auto absent = file->get<uint32_t>("absent");
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().code, ErrorCode::notFound);
  EXPECT_NE(absent.error().message().find("absent"), std::string::npos);
  EXPECT_EQ(*file->getOr<uint32_t>("absent", 7), 7u);
  EXPECT_EQ(*file->getOr<uint32_t>("small", 7), 200u);
  EXPECT_FALSE(file->getOr<uint32_t>("real", 7)) << "a wrong type is an error also where there is a fallback";
  EXPECT_EQ(file->findTensor("absent"), nullptr);
  EXPECT_EQ(file->tensor("c.weight").error().code, ErrorCode::notFound);
}

TEST(GgufFile, ArraysAreSeenWithoutACopy) {
  const auto image = sampleImage();
  const auto file = parsed(image);
  const auto words = file->array<std::string>("words");
  ASSERT_TRUE(words);
  EXPECT_EQ(**words, (std::vector<std::string>{"one", "", "three"}));
  EXPECT_EQ(*words, *file->array<std::string>("words"));
  EXPECT_FALSE(file->array<uint32_t>("list")) << "the element type must be exact";
  EXPECT_EQ(file->array<int32_t>("small").error().code, ErrorCode::malformed);
}

TEST(GgufFile, OwnsItsMappingAndSurvivesMoves) {
  const test::TemporaryFolder folder;
  const auto path = folder / "m.gguf";
  ASSERT_TRUE(writeFileAtomically(path, [](const FileSink& sink) -> Status {
    sink(sampleImage());
    return {};
  }));
  auto opened = File::open(path);
  ASSERT_TRUE(opened) << opened.error().message();
  std::filesystem::remove(path);
  File moved = std::move(*opened);
  std::vector<File> files;
  files.push_back(std::move(moved));
  const auto other = sampleImage();
  files.push_back(*parsed(other));  // the vector grows: its elements move
  const File& file = files.front();
  EXPECT_EQ(*file.get<std::string>("general.architecture"), "llama");
  EXPECT_EQ(test::expanded(Format::f32, (*file.tensor("a.weight"))->data), (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(file.name(), path.string());
}

TEST(GgufFile, AlignmentOfTheFileIsUsed) {
  const auto image = ImageBuilder::withHeader(2, 1)
                         .key("general.alignment", u32Type)
                         .number<uint32_t>(128)
                         .tensor("a", {1}, 0, 0)
                         .tensor("b", {1}, 0, 128)
                         .data(132, 128);
  const auto file = parsed(image.bytes());
  ASSERT_TRUE(file) << file.error().message();
  EXPECT_EQ(file->alignment(), 128u);
  EXPECT_EQ((*file->tensor("a"))->data.data(), image.bytes().data() + image.bytes().size() - 132);
  EXPECT_EQ((*file->tensor("b"))->data.data(), (*file->tensor("a"))->data.data() + 128);
}

TEST(GgufFile, TensorsMayLieInAnyOrderAndWithGaps) {
  const auto image = ImageBuilder::withHeader(2, 0).tensor("a", {8}, 0, 96).tensor("b", {8}, 0, 0).data(128);
  const auto file = parsed(image.bytes());
  ASSERT_TRUE(file) << file.error().message();
  EXPECT_GT((*file->tensor("a"))->data.data(), (*file->tensor("b"))->data.data());
}

TEST(GgufFile, AFileWithoutTensorsNeedsNoPadding) {
  const auto image =
      ImageBuilder::withHeader(0, 1).key("words", arrayType).number(stringType).number<uint64_t>(0);
  const auto file = parsed(image.bytes());
  ASSERT_TRUE(file) << file.error().message();
  EXPECT_TRUE((*file->array<std::string>("words"))->empty());
}

TEST(GgufFile, VocabulariesOfOthersAreRead) {
  const std::filesystem::path folder = std::filesystem::path(ORTHROS_SHARED_FOLDER) / "tokenizers";
  if (!std::filesystem::is_directory(folder)) GTEST_SKIP() << folder << " is not here";
  size_t read = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".gguf") continue;
    const auto file = File::open(entry.path());
    ASSERT_TRUE(file) << file.error().message();
    EXPECT_GT((*file->array<std::string>("tokenizer.ggml.tokens"))->size(), 10000u);
    ++read;
  }
  EXPECT_GT(read, 0u);
}

}  // namespace
}  // namespace orthros::gguf
