#include "engine/text/jinja/text.hpp"

#include <algorithm>

namespace orthros::text::jinja {

Text::Text(std::string bytes, Origin origin) {
  if (bytes.empty()) return;
  Body body;
  if (origin == Origin::content) body.content.push_back({0, bytes.size()});
  body.bytes = std::move(bytes);
  body_ = std::make_shared<const Body>(std::move(body));
}

Text Text::derived(std::string bytes, std::initializer_list<const Text*> inputs) {
  const bool content =
      std::any_of(inputs.begin(), inputs.end(), [](const Text* t) { return t->hasContent(); });
  return Text(std::move(bytes), content ? Origin::content : Origin::templateText);
}

Text Text::slice(size_t begin, size_t end) const {
  end = std::min(end, size());
  if (begin >= end) return {};
  if (begin == 0 && end == size()) return *this;
  TextBuilder builder;
  builder.append(*this, begin, end);
  return Text(std::move(builder.body_));
}

void TextBuilder::append(std::string_view bytes, Origin origin) {
  if (bytes.empty() || overflowed_) return;
  if (bytes.size() > limit_ - body_.bytes.size()) {
    overflowed_ = true;
    return;
  }
  const size_t begin = body_.bytes.size();
  body_.bytes.append(bytes);
  if (origin != Origin::content) return;
  if (!body_.content.empty() && body_.content.back().end == begin) {
    body_.content.back().end = body_.bytes.size();
  } else {
    body_.content.push_back({begin, body_.bytes.size()});
  }
}

void TextBuilder::append(const Text& text, size_t begin, size_t end) {
  text.forEachRun(begin, std::min(end, text.size()),
                  [this](std::string_view run, Origin origin) { append(run, origin); });
}

void TextBuilder::repeat(const Text& text, uint64_t times) {
  if (text.empty()) return;
  for (uint64_t i = 0; i < times && !overflowed_; ++i) append(text);
}

Result<Text> TextBuilder::finish() {
  if (overflowed_) {
    return fail(ErrorCode::unsupported, "",
                "builds a text of more than " + std::to_string(limit_) + " bytes");
  }
  if (body_.bytes.empty()) return Text();
  return Text(std::move(body_));
}

}  // namespace orthros::text::jinja
