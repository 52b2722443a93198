// orthros-cli as a person calls it: exit codes, messages, JSON.
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>

namespace {

using nlohmann::json;

struct Outcome {
  int code = -1;
  std::string out;
  std::string err;
};

class CliTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "orthros-cli-test-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Outcome run(const std::string& arguments, const std::string& input = {}) const {
    const std::string errors = (folder_ / "stderr").string();
    std::ofstream(folder_ / "stdin") << input;
    const std::string command = std::string("'") + ORTHROS_CLI + "' " + arguments + " 2>'" + errors + "' <'" +
                                (folder_ / "stdin").string() + "'";
    Outcome outcome;
    FILE* pipe = popen(command.c_str(), "r");
    if (!pipe) return outcome;
    std::array<char, 4096> buffer;
    while (const size_t got = fread(buffer.data(), 1, buffer.size(), pipe))
      outcome.out.append(buffer.data(), got);
    const int status = pclose(pipe);
    outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    std::ifstream stream(errors);
    outcome.err.assign(std::istreambuf_iterator<char>(stream), {});
    return outcome;
  }

  json runJson(const std::string& arguments) const {
    const Outcome outcome = run(arguments + " --json");
    EXPECT_EQ(outcome.code, 0) << arguments << ": " << outcome.err;
    const json parsed = json::parse(outcome.out, nullptr, false);
    EXPECT_FALSE(parsed.is_discarded()) << outcome.out;
    return parsed;
  }

  std::string path(const char* name) const { return (folder_ / name).string(); }
  std::string makeTiny() const {
    const std::string file = path("tiny.gguf");
    EXPECT_EQ(run("synth '" + file + "'").code, 0);
    return "'" + file + "'";
  }
  bool hasDevice() const { return run("devices").code == 0; }

  std::filesystem::path folder_;
};

TEST_F(CliTest, UsageErrorsExitWith2) {
  for (const char* arguments :
       {"", "no-such-command", "devices --no-such-option", "tokenize", "tokenize default",
        "tokenize default --text a --file b", "run default", "logits default",
        "logits default --text a --case b", "run default --prompt a --temperature -1",
        "plan default --plan vanilla", "inspect", "bench default -p x", "run default --prompt a --kv f64",
        "run default --adapter x --no-adapter --prompt a", "synth f --shape huge",
        "logits default --text a --name b"}) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments << "\n" << outcome.out << outcome.err;
    EXPECT_FALSE(outcome.err.empty()) << arguments;
    EXPECT_TRUE(outcome.out.empty()) << arguments << outcome.out;
  }
}

TEST_F(CliTest, HelpAndVersionExitWith0) {
  EXPECT_EQ(run("--help").code, 0);
  EXPECT_NE(run("--help").out.find("bench"), std::string::npos);
  EXPECT_EQ(run("run --help").code, 0);
  EXPECT_TRUE(run("--version").out.starts_with("orthros "));
}

TEST_F(CliTest, FailuresExitWith1AndNameThingAndReason) {
  for (const char* arguments : {"inspect /no/such/file.gguf", "tokenize /no/such/file.gguf --text a",
                                "run /no/such/file.gguf --prompt a", "logits /no/such/file.gguf --text a"}) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 1) << arguments;
    EXPECT_NE(outcome.err.find("/no/such/file.gguf"), std::string::npos) << outcome.err;
    EXPECT_TRUE(outcome.err.starts_with("orthros-cli: ")) << outcome.err;
  }
  std::ofstream(path("text.gguf")) << "this is no model";
  const Outcome text = run("inspect '" + path("text.gguf") + "'");
  EXPECT_EQ(text.code, 1);
  EXPECT_NE(text.err.find("text.gguf"), std::string::npos) << text.err;
}

TEST_F(CliTest, TheDefaultModelsAbsenceTellsTheNextStep) {
  const Outcome outcome = run("tokenize default --text a");
  if (outcome.code == 0) GTEST_SKIP() << "the default model is here";
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("app/run.sh"), std::string::npos) << outcome.err;
}

TEST_F(CliTest, SynthThenInspect) {
  const std::string file = path("model.gguf");
  const json made = runJson("synth '" + file + "' --layers 3 --format Q8_0 --context 512 --seed 4");
  EXPECT_EQ(made["bytes"], std::filesystem::file_size(file));
  const json seen = runJson("inspect '" + file + "'");
  EXPECT_EQ(seen["model"]["layers"], 3);
  EXPECT_EQ(seen["model"]["contextTokens"], 512);
  EXPECT_EQ(seen["parameters"], made["parameters"]);
  EXPECT_EQ(seen["metadata"]["general.architecture"], "llama");
  EXPECT_FALSE(seen["tensors"].empty());
  EXPECT_EQ(seen["plan"]["name"], "vanilla");
  const Outcome text = run("inspect '" + file + "' --tensors");
  EXPECT_EQ(text.code, 0);
  EXPECT_NE(text.out.find("token_embd.weight"), std::string::npos);
  EXPECT_EQ(run("synth '" + path("b.gguf") + "' --heads 3 --kv-heads 2").code, 1);
}

TEST_F(CliTest, TokenizePlainAndSpecial) {
  const std::string model = makeTiny();
  EXPECT_EQ(runJson("tokenize " + model + " --text ''")["tokens"], json::array());
  const json plain = runJson("tokenize " + model + " --text 'a<|im_end|>'");
  const json special = runJson("tokenize " + model + " --text 'a<|im_end|>' --special");
  EXPECT_EQ(special["tokens"].size(), 2u);
  EXPECT_GT(plain["tokens"].size(), 2u);
  std::ofstream(path("text.txt")) << "a<|im_end|>";
  EXPECT_EQ(runJson("tokenize " + model + " --file '" + path("text.txt") + "'"), plain);
}

TEST_F(CliTest, DevicesListsWhatIsThere) {
  const Outcome outcome = run("devices --json");
  if (outcome.code != 0) {
    EXPECT_EQ(outcome.code, 1);
    EXPECT_FALSE(outcome.err.empty());
    GTEST_SKIP() << outcome.err;
  }
  const json devices = json::parse(outcome.out)["devices"];
  ASSERT_FALSE(devices.empty());
  int chosen = 0;
  for (const json& device : devices) chosen += device["default"].get<bool>();
  EXPECT_EQ(chosen, 1);
  EXPECT_EQ(run("run " + makeTiny() + " --prompt a --device ffffffffffffffffffffffffffffffff").code, 1);
}

TEST_F(CliTest, LogitsOfATextAndOfACase) {
  if (!hasDevice()) GTEST_SKIP() << "no Vulkan device";
  const std::string model = makeTiny();
  const json text =
      runJson("logits " + model + " --plan vanilla --text 'hello hello' --top 5 --max-tokens 3");
  ASSERT_EQ(text["top"].size(), 5u);
  EXPECT_GE(text["top"][0]["logit"], text["top"][4]["logit"]);
  EXPECT_EQ(text["greedy"][0], text["top"][0]["id"]);
  EXPECT_EQ(text["greedy"].size(), 3u);
  EXPECT_GT(text["logsumexp"], text["top"][0]["logit"]);
  EXPECT_GT(text["mean_nll"], 0.0);

  const json ids = runJson("tokenize " + model + " --text 'hello hello'")["tokens"];
  const auto caseWith = [&](const json& spans, uint32_t window) {
    std::ofstream(path("case.json")) << json{{"ids", ids}, {"spans", spans},    {"window", window},
                                             {"sinks", 0}, {"weights", "base"}, {"rope", "none"}};
    return runJson("logits " + model + " --case '" + path("case.json") + "' --top 5");
  };
  const auto rows = ids.size();
  const json full = caseWith({{0, rows, "D"}}, 1);
  EXPECT_EQ(full["top"], text["top"]);
  EXPECT_NE(caseWith({{0, rows, "P"}}, 1)["top"], text["top"]) << "a window of one row reads something else";
}

TEST_F(CliTest, RunAnswersAndWritesARecord) {
  if (!hasDevice()) GTEST_SKIP() << "no Vulkan device";
  const std::string model = makeTiny();
  std::ofstream(path("doc.txt")) << std::string(600, 'd');
  const std::string arguments = "run " + model + " --plan orthros --document '" + path("doc.txt") +
                                "' --prompt 'What?' --max-tokens 6 --temperature 0 --record '" +
                                path("r.json") + "'";
  const json record = runJson(arguments);
  EXPECT_EQ(record["plan"]["name"], "orthros");
  EXPECT_EQ(record["plan"]["foreign"], true);
  EXPECT_GT(record["prefill"]["rows"], 0);
  EXPECT_GT(record["tail"]["rows"], 0);
  EXPECT_GT(record["lengths"]["prompt"], 600);
  EXPECT_LE(record["lengths"]["generated"], 6);
  EXPECT_EQ(record["measured"], record["predicted"]) << "dispatches, pairs, FLOP and bytes";
  std::ifstream stream(path("r.json"));
  EXPECT_EQ(json::parse(stream), record);
  const Outcome again = run(arguments);
  EXPECT_EQ(again.code, 0);
  EXPECT_EQ(again.out, record["answer"].get<std::string>() + "\n");
  EXPECT_NE(again.err.find("first token"), std::string::npos);
}

TEST_F(CliTest, TooLongNamesTheLimit) {
  if (!hasDevice()) GTEST_SKIP() << "no Vulkan device";
  const std::string model = makeTiny();
  std::ofstream(path("doc.txt")) << std::string(2000, 'd');
  const Outcome outcome =
      run("run " + model + " --context 300 --document '" + path("doc.txt") + "' --prompt a");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("300"), std::string::npos) << outcome.err;
  EXPECT_TRUE(outcome.out.empty());
  EXPECT_EQ(run("run " + model + " --context 99999999 --prompt a").code, 1);
}

TEST_F(CliTest, ChatKeepsTheConversation) {
  if (!hasDevice()) GTEST_SKIP() << "no Vulkan device";
  const Outcome outcome =
      run("chat " + makeTiny() + " --max-tokens 4 --json", "first question\n\nsecond\n/quit\nnever\n");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  std::vector<json> records;
  std::istringstream stream(outcome.out);
  for (json one; stream >> std::ws && stream.peek() == '{' && (stream >> one);) records.push_back(one);
  ASSERT_EQ(records.size(), 2u) << outcome.out;
  EXPECT_GT(records[1]["lengths"]["reused"], records[0]["lengths"]["prompt"].get<int>() - 1);
}

TEST_F(CliTest, BenchAndPlanGiveTables) {
  if (!hasDevice()) GTEST_SKIP() << "no Vulkan device";
  const std::string model = makeTiny();
  const json bench = runJson("bench " + model + " --plans vanilla,orthros -p 64 -n 2 -d 0,32 -w 96 -r 2");
  EXPECT_EQ(bench["rows"].size(), 10u);
  for (const json& row : bench["rows"]) EXPECT_GT(row["tokens_per_second"], 0.0);
  EXPECT_EQ(bench["speed_up"].size(), 5u);
  const Outcome table = run("bench " + model + " --plans vanilla -p 32 -n 1 -r 1");
  const json limited = runJson("bench " + model + " --limits --plans vanilla -p 32 -n 1 -r 1");
  EXPECT_GT(limited["limits"]["flop_per_second"], 0.0);
  EXPECT_GT(limited["limits"]["bytes_per_second"], 0.0);
  EXPECT_GT(limited["limits"]["read_bytes_per_second"], 0.0);
  EXPECT_NE(table.out.find(" pp32 |"), std::string::npos) << table.out;
  EXPECT_EQ(run("bench " + model + " -p 99999999").code, 1);

  const json plan = runJson("plan " + model + " --plan orthros --length 1000");
  EXPECT_EQ(plan["pairs"]["closedForm"], plan["pairs"]["rowByRow"]);
  EXPECT_GT(plan["prefill"]["flop"], 0);
  EXPECT_GT(plan["prefill"]["ns"], 0) << "the probe gave rates";
  EXPECT_GT(plan["memory"]["total"], 0);
}

TEST_F(CliTest, SelftestPasses) {
  if (!hasDevice()) GTEST_SKIP() << "no Vulkan device";
  const json result = runJson("selftest");
  EXPECT_EQ(result["passed"], true) << result.dump(1);
  EXPECT_GE(result["tests"].size(), 4u);
}

}  // namespace
