#include "policies/admission.h"

namespace policies {

class Gate::MissStage {
 public:
  virtual ~MissStage() = default;
  virtual bool admits(BlockId, std::uint32_t resident) = 0;
};

Gate::Gate(std::span<const Stage>, std::uint32_t capacity, std::uint32_t) : capacity_(capacity) {}
Gate::~Gate() = default;

bool Gate::every_stage_admits(BlockId block, std::uint32_t resident) {
  for (const auto& stage : stages_) {
    if (!stage->admits(block, resident)) return false;
  }
  return true;
}

}  // namespace policies
