#include "engine/text/pretokenizer.hpp"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <algorithm>
#include <string>
#include <utility>

#include <pcre2.h>

namespace orthros::text {
namespace {

// PCRE2's own \s also takes U+180E, which stopped being white space in Unicode 6.3.
std::string withUnicodeWhiteSpace(std::string_view pattern) {
  std::string result;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const bool escape = pattern[i] == '\\' && i + 1 < pattern.size();
    if (escape && (pattern[i + 1] == 's' || pattern[i + 1] == 'S')) {
      result += pattern[++i] == 's' ? "\\p{wspace}" : "\\P{wspace}";
    } else {
      result += pattern[i];
      if (escape) result += pattern[++i];
    }
  }
  return result;
}

std::string messageOf(int pcreError) {
  PCRE2_UCHAR buffer[256];
  const int length = pcre2_get_error_message(pcreError, buffer, sizeof buffer);
  return std::string(reinterpret_cast<const char*>(buffer), static_cast<size_t>(std::max(length, 0)));
}

template <auto release>
struct Releaser {
  template <class T>
  void operator()(T* pointer) const {
    release(pointer);
  }
};
using CodePointer = std::unique_ptr<pcre2_code, Releaser<pcre2_code_free>>;
using MatchDataPointer = std::unique_ptr<pcre2_match_data, Releaser<pcre2_match_data_free>>;
using MatchContextPointer = std::unique_ptr<pcre2_match_context, Releaser<pcre2_match_context_free>>;

// What one call needs to match: not shared between threads.
struct Matcher {
  MatchDataPointer data;
  MatchContextPointer context;

  static Result<Matcher> create(size_t textBytes) {
    Matcher matcher{MatchDataPointer(pcre2_match_data_create(1, nullptr)),
                    MatchContextPointer(pcre2_match_context_create(nullptr))};
    if (!matcher.data || !matcher.context) {
      return fail(ErrorCode::outOfMemory, "pre-tokenizer", "no memory for matching");
    }
    // Every pattern of the table passes over a run of characters a few times at most.
    constexpr uint64_t kFloor = 1'000'000, kStepsPerByte = 16;
    const uint64_t limit = std::min<uint64_t>(kFloor + kStepsPerByte * textBytes, UINT32_MAX);
    pcre2_set_match_limit(matcher.context.get(), static_cast<uint32_t>(limit));
    constexpr uint32_t kHeapKibibytes = 64 * 1024;
    pcre2_set_heap_limit(matcher.context.get(), kHeapKibibytes);
    return matcher;
  }
};

}  // namespace

class PreTokenizer::Pattern {
 public:
  static Result<Pattern> compile(std::string_view source) {
    const std::string pattern = withUnicodeWhiteSpace(source);
    int error = 0;
    PCRE2_SIZE offset = 0;
    CodePointer code(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(),
                                   PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C, &error, &offset,
                                   nullptr));
    if (!code) {
      return fail(ErrorCode::internal, "pre-tokenizer pattern " + pattern,
                  messageOf(error) + " at byte " + std::to_string(offset));
    }
    // Only faster: where the system forbids generated code, PCRE2 interprets.
    const bool compiled = pcre2_jit_compile(code.get(), PCRE2_JIT_COMPLETE) == 0;
    return Pattern(std::move(code), compiled);
  }

  // Appends the matches in `piece` and the text between them.
  Status split(std::string_view piece, const Matcher& matcher, std::vector<std::string_view>& words) const {
    size_t from = 0;  // of the text that is in no word yet
    while (from < piece.size()) {
      ORTHROS_ASSIGN(const bool found, match(piece, from, matcher));
      const PCRE2_SIZE* span = pcre2_get_ovector_pointer(matcher.data.get());
      if (!found || span[1] == span[0]) break;
      if (span[0] > from) words.push_back(piece.substr(from, span[0] - from));
      words.push_back(piece.substr(span[0], span[1] - span[0]));
      from = span[1];
    }
    if (from < piece.size()) words.push_back(piece.substr(from));
    return {};
  }

 private:
  Pattern(CodePointer code, bool compiled) : code_(std::move(code)), compiled_(compiled) {}

  Result<bool> match(std::string_view piece, size_t from, const Matcher& matcher) const {
    const auto subject = reinterpret_cast<PCRE2_SPTR>(piece.data());
    int result = PCRE2_ERROR_JIT_STACKLIMIT;
    if (compiled_) {
      result = pcre2_jit_match(code_.get(), subject, piece.size(), from, 0, matcher.data.get(),
                               matcher.context.get());
    }
    if (result == PCRE2_ERROR_JIT_STACKLIMIT) {
      result = pcre2_match(code_.get(), subject, piece.size(), from, PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT,
                           matcher.data.get(), matcher.context.get());
    }
    if (result >= 0) return true;
    if (result == PCRE2_ERROR_NOMATCH) return false;
    return fail(ErrorCode::internal, "pre-tokenizer", "a pattern gave up on the text: " + messageOf(result),
                "Split the text into smaller parts");
  }

  CodePointer code_;
  bool compiled_ = false;  // to machine code
};

PreTokenizer::PreTokenizer() = default;
PreTokenizer::PreTokenizer(PreTokenizer&&) noexcept = default;
PreTokenizer& PreTokenizer::operator=(PreTokenizer&&) noexcept = default;
PreTokenizer::~PreTokenizer() = default;

Result<PreTokenizer> PreTokenizer::create(const PreTokenizerSpec& spec) {
  PreTokenizer result;
  for (const std::string_view source : spec.patterns) {
    ORTHROS_ASSIGN(Pattern pattern, Pattern::compile(source));
    result.patterns_.push_back(std::move(pattern));
  }
  return result;
}

Result<std::vector<std::string_view>> PreTokenizer::split(std::string_view text) const {
  ORTHROS_ASSIGN(const Matcher matcher, Matcher::create(text.size()));
  std::vector<std::string_view> words = {text};
  if (text.empty()) words.clear();
  for (const Pattern& pattern : patterns_) {
    std::vector<std::string_view> finer;
    finer.reserve(std::max(words.size(), text.size() / 8));
    for (const std::string_view word : words) ORTHROS_TRY(pattern.split(word, matcher, finer));
    words = std::move(finer);
  }
  return words;
}

}  // namespace orthros::text
