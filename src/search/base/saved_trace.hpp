// A trace as part of a saved search.
#pragma once
#include "model/trace.hpp"
#include "search/base/saved_state.hpp"

namespace lockstep {

inline void put_trace(StateWriter& out, TraceView trace) {
  const uint32_t bytes = trace.header().bytes;  // a multiple of 8
  out.put<uint64_t>(bytes / 8);
  out.put_bytes(&trace.header(), bytes);
}
inline void put_no_trace(StateWriter& out) { out.put<uint64_t>(0); }

inline Trace get_trace(StateReader& in) {  // empty if there is none
  const auto words = in.get_all<uint64_t>();
  if (words.empty()) return {};
  const TraceView view(words.data());
  if (8 * words.size() >= sizeof(TraceHeader) && view.header().bytes == 8 * words.size()) return Trace(view);
  in.reject();
  return {};
}

}  // namespace lockstep
