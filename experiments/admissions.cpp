#include "experiments/admissions.h"

#include <algorithm>

namespace experiments {

Admissions::Admissions(std::span<const policies::Choice> choices, policies::Writes writes,
                       std::span<const policies::Stage> stages, std::span<const std::string> stream_names) {
  for (const policies::Choice& choice : choices) {
    std::vector<policies::Stage> all(stages.begin(), stages.end());
    for (policies::Stage& own : policies::parse_stages(choice.admission())) all.push_back(std::move(own));
    const auto same = [&](const Admission& known) {
      return std::ranges::equal(known.stages, all, {}, &policies::Stage::text, &policies::Stage::text);
    };
    const auto at = std::find_if(admissions_.begin(), admissions_.end(), same);
    of_choice_.push_back(static_cast<std::size_t>(at - admissions_.begin()));
    if (at != admissions_.end()) continue;
    auto requests = std::make_unique<policies::RequestStages>(writes, all, stream_names);
    admissions_.push_back({std::move(all), std::move(requests)});
  }
}

bool Admissions::open(std::size_t admission) const {
  return admissions_[admission].requests->admit_all() && policies::Gate(admissions_[admission].stages, 1, 1).open();
}

std::vector<Verdicts> Admissions::judge(const traces::Trace& piece) {
  std::vector<Verdicts> verdicts(admissions_.size());
  for (std::size_t a = 0; a < admissions_.size(); ++a) {
    policies::RequestStages& requests = *admissions_[a].requests;
    if (requests.admit_all()) continue;
    verdicts[a].reserve(piece.size());
    for (std::size_t r = 0; r < piece.size(); ++r) {
      verdicts[a].push_back(requests.treat({.offset = piece.offsets()[r].bytes,
                                            .length = piece.lengths()[r],
                                            .stream = piece.streams()[r],
                                            .write = piece.ops()[r] == traces::Op::write}));
    }
  }
  return verdicts;
}

}  // namespace experiments
