// What the text formats of block events share: the lines' common parts, and the way from events to requests.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "traces/formats/block_events.h"
#include "traces/text_reader.h"

namespace traces {

class BlockTextReader : public TextReader {
 protected:
  BlockTextReader(std::unique_ptr<Input> input, const ReadOptions& options, std::string_view format, Clock clock);

  // Fills in time, device and what the action needs. False when the line holds no event that matters. Throws BadField.
  virtual bool parse_event(std::string_view line, BlockEvent& event) = 0;

  NameTable& process_names() { return builder_.process_names(); }
  // The tracer says that it lost events before the next one.
  void lose(std::uint64_t count);
  // The tracer says how many it lost in all.
  void lost_in_all(std::uint64_t count) { lost_in_all_ = std::max(lost_in_all_.value_or(0), count); }

 private:
  void parse(std::string_view line, Batch& batch) final;
  void finish(Batch& batch) final;
  void hand_on(Batch& batch, bool whole);

  EventOrder order_;
  RequestBuilder builder_;
  std::optional<std::uint64_t> loss_log_, lost_in_all_;
  std::uint64_t lost_before_next_ = 0;
};

// --- Parts of a line. All that parse throw BadField. ---

bool is_device(std::string_view word);  // "254,16"
std::uint32_t parse_device(std::string_view word);
bool is_decimal(std::string_view word);  // digits, a point, digits

// "Q RAM 520 + 8 [process]", as blkparse and the kernel's blk tracer print events behind device and time.
bool parse_blk_event(std::string_view text, NameTable& process_names, BlockEvent& event);

// Tracepoint `name` ("block_rq_issue") with its text: "254,16 R 8192 () 31616 + 16 [fio]", from Linux 6.5 on with the
// priority before the process.
bool parse_tracepoint(std::string_view name, std::string_view text, NameTable& process_names, BlockEvent& event);

}  // namespace traces
