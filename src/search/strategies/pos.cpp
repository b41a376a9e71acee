#include "search/strategies/pos.hpp"

namespace lockstep {

std::unique_ptr<Search> make_pos(const PosOptions& options) { return make_walk(Policy::Pos, options); }

}  // namespace lockstep
