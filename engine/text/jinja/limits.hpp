// Bounds that keep a hostile template from exhausting memory, time or the stack. Each one met is a named
// error.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/base/result.hpp"

namespace orthros::text::jinja {

inline constexpr size_t maxTextBytes = size_t{16} << 20;  // one text, and so the whole output
inline constexpr size_t maxSequenceItems = 1'000'000;     // items of one list
inline constexpr uint64_t maxValueWeight = 64'000'000;    // Value::weight of one container
inline constexpr uint32_t maxValueDepth = 64;             // containers inside containers
inline constexpr int64_t maxRangeItems = 100'000;         // range(), as in Jinja's sandbox

struct Limits {
  size_t sourceBytes = size_t{1} << 20;
  uint32_t nesting = 100;          // parentheses and blocks inside each other in the source
  uint32_t expressionDepth = 200;  // height of one expression's tree
  uint32_t evaluationDepth = 500;  // expressions, blocks and macro calls under way at once
  uint64_t loopIterations = 1'000'000;
  uint64_t work = 50'000'000;  // about one unit per expression and per 4 to 16 bytes handled
};

// What is left of Limits::work during one rendering.
class Work {
 public:
  explicit Work(uint64_t budget) : left_(budget) {}
  Status charge(uint64_t units) {
    if (units > left_) return fail(ErrorCode::unsupported, "", "takes more work than a chat template may");
    left_ -= units;
    return {};
  }

 private:
  uint64_t left_;
};

}  // namespace orthros::text::jinja
