// Tables that read well as plain text and as Markdown.
#pragma once

#include <string>
#include <vector>

namespace orthros::evaluate {

class MarkdownTable {
 public:
  enum class Align { left, right };
  struct Column {
    std::string title;
    Align align = Align::left;
  };

  explicit MarkdownTable(std::vector<Column> columns) : columns_(std::move(columns)) {}
  // Missing cells are empty, surplus ones are dropped; "|" is escaped.
  void addRow(std::vector<std::string> cells);
  // Ends with a line feed.
  std::string text() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// With `digits` digits after the point, no exponent and a point whatever the locale.
std::string fixed(double value, int digits);

}  // namespace orthros::evaluate
