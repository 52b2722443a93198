// A string that remembers which of its bytes came out of the conversation and which out of the template. The
// origin survives concatenation, slicing, trimming, splitting and replacing exactly; a result whose bytes
// cannot be traced one by one counts as content when any input did. Only template text may become control
// tokens.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/text/jinja/limits.hpp"

namespace orthros::text::jinja {

enum class Origin : uint8_t { templateText, content };

// Immutable; a copy shares the bytes.
class Text {
 public:
  Text() = default;
  Text(std::string bytes, Origin origin);
  // `bytes` computed from `inputs` by a transformation that cannot be traced byte by byte.
  static Text derived(std::string bytes, std::initializer_list<const Text*> inputs);

  std::string_view bytes() const { return body_ ? std::string_view(body_->bytes) : std::string_view(); }
  size_t size() const { return bytes().size(); }
  bool empty() const { return bytes().empty(); }
  bool hasContent() const { return body_ && !body_->content.empty(); }
  // The bytes [begin, end); the bounds are clamped to the text.
  Text slice(size_t begin, size_t end) const;

  // Calls visit(std::string_view, Origin) for each longest run of one origin inside [begin, end), in order.
  template <class Visitor>
  void forEachRun(size_t begin, size_t end, Visitor&& visit) const {
    if (!body_) return;
    const std::string_view all = body_->bytes;
    size_t at = begin;
    for (const Range& range : body_->content) {
      if (range.end <= at) continue;
      if (range.begin >= end) break;
      if (range.begin > at) visit(all.substr(at, range.begin - at), Origin::templateText);
      at = range.begin > at ? range.begin : at;
      const size_t stop = range.end < end ? range.end : end;
      visit(all.substr(at, stop - at), Origin::content);
      at = stop;
    }
    if (at < end) visit(all.substr(at, end - at), Origin::templateText);
  }
  template <class Visitor>
  void forEachRun(Visitor&& visit) const {
    forEachRun(0, size(), visit);
  }

 private:
  friend class TextBuilder;
  struct Range {  // bytes [begin, end) of content
    size_t begin = 0;
    size_t end = 0;
  };
  struct Body {
    std::string bytes;
    std::vector<Range> content;  // ascending, not touching
  };
  explicit Text(Body body) : body_(std::make_shared<const Body>(std::move(body))) {}

  std::shared_ptr<const Body> body_;
};

// Collects pieces. Grows to `limit` bytes at most: later pieces are dropped and finish() is an error.
class TextBuilder {
 public:
  explicit TextBuilder(size_t limit = maxTextBytes) : limit_(limit) {}
  void append(std::string_view bytes, Origin origin);
  void append(std::string_view templateText) { append(templateText, Origin::templateText); }
  void append(const Text& text) { append(text, 0, text.size()); }
  void append(const Text& text, size_t begin, size_t end);
  void repeat(const Text& text, uint64_t times);
  bool overflowed() const { return overflowed_; }
  size_t size() const { return body_.bytes.size(); }
  Result<Text> finish();

 private:
  friend class Text;

  Text::Body body_;
  size_t limit_;
  bool overflowed_ = false;
};

}  // namespace orthros::text::jinja
