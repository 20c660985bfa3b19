#include "experiments/table.h"

#include <fmt/format.h>

#include <algorithm>

namespace experiments {
namespace {

// Of UTF-8 text: continuation bytes take no room.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

std::string Table::text() const {
  std::vector<std::size_t> widths;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], width(row[c]));
  }
  std::string out;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (c > 0) line.append(2 + widths[c] - width(row[c]), ' ');
      line += row[c];
      if (c == 0) line.append(widths[c] - width(row[c]), ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

std::string grouped(std::uint64_t number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
  const auto share = ratio(part, whole);
  return share ? fmt::format("{:.1f}%", 100 * *share) : "-";
}

std::optional<double> ratio(std::uint64_t part, std::uint64_t whole) {
  if (!whole) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace experiments
