// Which accesses the write handling and the stages of requests let into the caches: the same for every size, and for
// all policies whose name stands for the same stages, so it is found out once.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "policies/admission.h"
#include "policies/policy.h"
#include "traces/trace.h"

namespace experiments {

// What one admission lets each request do; empty when every access of every request is admitted.
using Verdicts = traces::Column<policies::Treatments>;

class Admissions {
 public:
  // `stages` stand in front of every policy, before those of its own. Throws what RequestStages throws.
  Admissions(std::span<const policies::Choice> choices, policies::Writes writes,
             std::span<const policies::Stage> stages, std::span<const std::string> stream_names);

  std::size_t count() const { return admissions_.size(); }
  std::size_t of_choice(std::size_t choice) const { return of_choice_[choice]; }
  const std::vector<policies::Stage>& stages(std::size_t admission) const { return admissions_[admission].stages; }
  // Whether the cache sees every access and may keep every miss.
  bool open(std::size_t admission) const;

  // By admission, of the trace's next piece.
  std::vector<Verdicts> judge(const traces::Trace& piece);

 private:
  struct Admission {
    std::vector<policies::Stage> stages;
    std::unique_ptr<policies::RequestStages> requests;
  };
  std::vector<Admission> admissions_;
  std::vector<std::size_t> of_choice_;
};

}  // namespace experiments
