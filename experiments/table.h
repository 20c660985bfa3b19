// Aligned text tables for people.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace experiments {

class Table {
 public:
  explicit Table(std::vector<std::string> header) : rows_{std::move(header)} {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  // Columns padded to their widest cell; the first to the left, the others to the right; two blanks between.
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

// "12,345,678"
std::string grouped(std::uint64_t number);
// "41.3%"; "-" of nothing.
std::string percent(std::uint64_t part, std::uint64_t whole);
// Absent of nothing.
std::optional<double> ratio(std::uint64_t part, std::uint64_t whole);

}  // namespace experiments
