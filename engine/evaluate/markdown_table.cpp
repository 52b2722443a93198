#include "engine/evaluate/markdown_table.hpp"

#include <algorithm>
#include <charconv>

namespace orthros::evaluate {
namespace {

// Characters, counting every UTF-8 character as one column.
size_t widthOf(const std::string& text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string escaped(const std::string& cell) {
  std::string text;
  for (const char c : cell) text += c == '|' ? std::string("\\|") : std::string(1, c);
  return text;
}

std::string padded(const std::string& text, size_t width, MarkdownTable::Align align) {
  const std::string space(width - std::min(width, widthOf(text)), ' ');
  return align == MarkdownTable::Align::right ? space + text : text + space;
}

}  // namespace

void MarkdownTable::addRow(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  for (std::string& cell : cells) cell = escaped(cell);
  rows_.push_back(std::move(cells));
}

std::string MarkdownTable::text() const {
  std::vector<size_t> widths;
  for (size_t i = 0; i < columns_.size(); ++i) {
    size_t width = std::max<size_t>(3, widthOf(columns_[i].title));
    for (const auto& row : rows_) width = std::max(width, widthOf(row[i]));
    widths.push_back(width);
  }
  std::string titles = "|", rule = "|";
  for (size_t i = 0; i < columns_.size(); ++i) {
    titles += " " + padded(columns_[i].title, widths[i], columns_[i].align) + " |";
    const bool right = columns_[i].align == Align::right;
    rule += " " + std::string(widths[i] - (right ? 1 : 0), '-') + (right ? ": |" : " |");
  }
  std::string text = titles + "\n" + rule + "\n";
  for (const auto& row : rows_) {
    text += "|";
    for (size_t i = 0; i < columns_.size(); ++i)
      text += " " + padded(row[i], widths[i], columns_[i].align) + " |";
    text += "\n";
  }
  return text;
}

std::string fixed(double value, int digits) {
  char buffer[400];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed, digits);
  return {buffer, end.ptr};
}

}  // namespace orthros::evaluate
