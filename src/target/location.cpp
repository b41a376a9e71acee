// Evaluates DWARF location expressions.
#include "target/location.hpp"

#include <dwarf.h>
#include <algorithm>
#include <cstring>
#include <vector>

namespace lockstep::debug_info {
namespace {

// A stack machine for the operations that compilers write for variables; any other operation gives no place.
class Evaluation {
 public:
  explicit Evaluation(const FrameContext& context) : c_(context) {}

  std::optional<Place> run(const Dwarf_Op* ops, size_t count) {
    SplitObject object;  // for a variable kept in pieces
    bool in_pieces = false;
    for (size_t i = 0; i < count; ++i) {
      const Dwarf_Op& op = ops[i];
      if (op.atom >= DW_OP_reg0 && op.atom <= DW_OP_reg31) {
        place_.reset();
        if (const auto value = register_value(op.atom - DW_OP_reg0)) place_ = Place{false, *value};
        if (!place_ && !(i + 1 < count && ops[i + 1].atom == DW_OP_piece)) return std::nullopt;
      } else if (op.atom == DW_OP_stack_value) {
        if (stack_.empty()) return std::nullopt;
        place_ = Place{false, stack_.back()};
      } else if (op.atom == DW_OP_piece) {
        in_pieces = true;
        if (object.bytes.size() + op.number > kLargest) return std::nullopt;
        append(object, op.number);
      } else if (!execute(op)) {
        return std::nullopt;
      }
    }
    if (in_pieces) return Place{true, c_.memory.keep(std::move(object))};
    if (place_) return place_;
    if (stack_.empty()) return std::nullopt;
    return Place{true, stack_.back()};
  }

 private:
  static constexpr size_t kLargest = 4096;

  void append(SplitObject& object, size_t size) {
    if (!place_ && !stack_.empty()) place_ = Place{true, stack_.back()};
    std::vector<uint8_t> bytes(std::max<size_t>(size, 8));
    bool known = place_.has_value();
    if (known && place_->in_memory)
      known = c_.memory.read(place_->value, bytes.data(), size);
    else if (known)
      std::memcpy(bytes.data(), &place_->value, 8);
    object.add(bytes.data(), size, known && (place_->in_memory || size <= 8));
    stack_.clear();
    place_.reset();
  }
  std::optional<uint64_t> register_value(unsigned number) const {
    if (number >= kFrameRegisters || !c_.frame.known[number]) return std::nullopt;
    return c_.frame.registers[number];
  }
  bool push(std::optional<uint64_t> value) {
    if (value) stack_.push_back(*value);
    return value.has_value();
  }
  std::optional<uint64_t> frame_base() const {
    Dwarf_Attribute attribute;
    Dwarf_Op* ops = nullptr;
    size_t count = 0;
    if (c_.function == nullptr || dwarf_attr_integrate(c_.function, DW_AT_frame_base, &attribute) == nullptr ||
        dwarf_getlocation_addr(&attribute, c_.frame.pc - c_.bias, &ops, &count, 1) != 1)
      return std::nullopt;
    const auto place = Evaluation(c_).run(ops, count);
    return place ? std::optional(place->value) : std::nullopt;  // a register as frame base stands for its value
  }

  bool execute(const Dwarf_Op& op) {
    if (op.atom >= DW_OP_lit0 && op.atom <= DW_OP_lit31) return push(op.atom - DW_OP_lit0);
    if (op.atom >= DW_OP_breg0 && op.atom <= DW_OP_breg31)
      return push_sum(register_value(op.atom - DW_OP_breg0), op.number);
    switch (op.atom) {
      case DW_OP_addr: return push(op.number + c_.bias);
      case DW_OP_fbreg: return push_sum(frame_base(), op.number);
      case DW_OP_bregx: return push_sum(register_value(static_cast<unsigned>(op.number)), op.number2);
      case DW_OP_call_frame_cfa: return push(c_.frame.cfa ? std::optional(c_.frame.cfa) : std::nullopt);
      case DW_OP_const1u:
      case DW_OP_const1s:
      case DW_OP_const2u:
      case DW_OP_const2s:
      case DW_OP_const4u:
      case DW_OP_const4s:
      case DW_OP_const8u:
      case DW_OP_const8s:
      case DW_OP_constu:
      case DW_OP_consts: return push(op.number);
      case DW_OP_nop: return true;
      default: break;
    }
    if (stack_.empty()) return false;
    uint64_t& top = stack_.back();
    switch (op.atom) {
      case DW_OP_plus_uconst: top += op.number; return true;
      case DW_OP_deref: return replace(c_.memory.word(top));
      case DW_OP_deref_size: return replace(c_.memory.word(top, op.number));
      case DW_OP_dup: return push(uint64_t{top});
      case DW_OP_neg: top = -top; return true;
      default: return execute_binary(op.atom);
    }
  }

  bool execute_binary(uint8_t atom) {
    if (stack_.size() < 2) return false;
    const uint64_t right = stack_.back();
    stack_.pop_back();
    uint64_t& left = stack_.back();
    switch (atom) {
      case DW_OP_plus: left += right; return true;
      case DW_OP_minus: left -= right; return true;
      case DW_OP_mul: left *= right; return true;
      case DW_OP_and: left &= right; return true;
      case DW_OP_or: left |= right; return true;
      case DW_OP_shl: left <<= right & 63; return true;
      case DW_OP_shr: left >>= right & 63; return true;
      default: return false;
    }
  }
  bool replace(std::optional<uint64_t> value) {
    if (value) stack_.back() = *value;
    return value.has_value();
  }
  bool push_sum(std::optional<uint64_t> base, uint64_t offset) {
    return push(base ? std::optional(*base + offset) : std::nullopt);
  }

  const FrameContext& c_;
  std::vector<uint64_t> stack_;
  std::optional<Place> place_;  // of a value that is not in memory
};

}  // namespace

std::optional<Place> place_of(Dwarf_Die* variable, const FrameContext& context) {
  Dwarf_Attribute attribute;
  Dwarf_Op* ops = nullptr;
  size_t count = 0;
  if (dwarf_attr(variable, DW_AT_location, &attribute) == nullptr ||
      dwarf_getlocation_addr(&attribute, context.frame.pc - context.bias, &ops, &count, 1) != 1 || count == 0)
    return std::nullopt;
  return Evaluation(context).run(ops, count);
}

}  // namespace lockstep::debug_info
