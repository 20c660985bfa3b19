// "did you mean" for mistyped words.
#pragma once

#include <algorithm>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sim {

// Insertions, deletions and replacements that turn one word into the other (Levenshtein).
inline std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

// "; did you mean 'curve'?" when a name is at most two edits away, else "".
inline std::string did_you_mean(std::string_view word, std::span<const std::string_view> names) {
  std::size_t best = 3;
  std::string hint;
  for (const std::string_view name : names) {
    if (const std::size_t distance = edit_distance(word, name); distance < best) {
      best = distance;
      hint = "; did you mean '" + std::string(name) + "'?";
    }
  }
  return hint;
}

}  // namespace sim
