// Parses paths in an asserted expression and reads their values.
#include "target/expression.hpp"

#include <algorithm>
#include <cctype>

#include "target/std_containers.hpp"
#include "target/types.hpp"

namespace lockstep::debug_info {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// An object in memory, or a value without an address.
struct Value {
  Dwarf_Die type;
  bool in_memory = true;
  uint64_t bits = 0;
};

class ExpressionReader {
 public:
  ExpressionReader(std::string_view text, const std::vector<VisibleVariable>& locals,
                   std::span<const Variables::Variable> globals, const ProcessMemory& memory)
      : text_(text), locals_(locals), globals_(globals), memory_(memory) {}

  std::vector<Operand> read() {
    while (at_ < text_.size()) {
      if (text_[at_] == '"' || text_[at_] == '\'') {
        skip_quoted();
      } else if (is_word(text_[at_])) {
        const bool member = at_ > 0 && (text_[at_ - 1] == '.' || text_.substr(0, at_).ends_with("->"));
        operand(member);
      } else {
        ++at_;
      }
    }
    return std::move(operands_);
  }

 private:
  std::string_view word() {
    const size_t begin = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  void skip_quoted() {
    const char quote = text_[at_++];
    while (at_ < text_.size() && text_[at_] != quote) at_ += text_[at_] == '\\' ? 2 : 1;
    ++at_;
  }
  bool take(std::string_view token) {
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }

  void operand(bool is_member) {
    const size_t begin = at_;
    const std::string_view name = word();
    if (is_member || std::isdigit(static_cast<unsigned char>(name[0]))) return;
    std::optional<Value> value = variable(name);
    if (value) value = dereferenced(*value);
    size_t end = at_;
    while (value) {
      const size_t before = at_;
      bool scalar_call = false;
      value = part(*value, scalar_call);
      if (at_ == before) break;
      if (!scalar_call) end = at_;
      if (!value) return;
    }
    if (value) show(std::string(text_.substr(begin, end - begin)), *value);
  }

  // Parses one more part of a path: a member, an element, or a call that only reads. Consumes nothing at the end of the
  // path.
  std::optional<Value> part(Value value, bool& call) {
    if (take(".load()") || take(".get()")) {
      call = true;
      return value;
    }
    if (take(".size()")) {
      const auto count = value.in_memory ? element_count(&value.type, value.bits, memory_) : std::nullopt;
      if (!count) return std::nullopt;
      counted_ = true;
      return Value{value.type, false, *count};
    }
    if (take("->")) return member(pointee(value), word());
    if (take(".")) return member(value, word());
    if (!text_.substr(at_).starts_with("[")) return value;
    const size_t close = text_.find(']', at_);
    if (close == std::string_view::npos) return std::nullopt;
    const std::string_view index = text_.substr(at_ + 1, close - at_ - 1);
    at_ = close + 1;
    return element(value, index);
  }

  std::optional<Value> variable(std::string_view name) {
    for (const VisibleVariable& local : locals_)
      if (local.name == name) return Value{local.type, local.place.in_memory, local.place.value};
    for (const VisibleVariable& local : locals_)
      if (local.is_this || local.is_closure)
        if (auto found = captured(local, name)) return found;
    for (const Variables::Variable& global : globals_)
      if (global.name == name || global.name.ends_with("::" + std::string(name)))
        return Value{global.type, true, global.begin};
    return std::nullopt;
  }
  std::optional<Value> captured(const VisibleVariable& self, std::string_view name) {
    const auto object = pointee({self.type, self.place.in_memory, self.place.value});
    if (!object) return std::nullopt;
    if (!self.is_closure) return member(object, name);
    for (const std::string& spelled : {std::string(name), "__" + std::string(name)})
      if (auto found = member(object, spelled)) return found;
    return std::nullopt;
  }

  std::optional<Value> dereferenced(Value value) {
    return is_reference(&value.type) ? pointee(value) : std::optional(value);
  }
  std::optional<Value> pointee(Value value) {
    Dwarf_Die target;
    if (!is_pointer(&value.type)) {  // maybe a smart pointer
      std::optional<Value> found;
      if (value.in_memory)
        visit_elements(&value.type, value.bits, 0, memory_, [&](const Element& e) {
          if (e.pointee) found = Value{e.type, true, e.address};
        });
      return found;
    }
    const auto address = value.in_memory ? memory_.word(value.bits) : value.bits;
    if (!address || *address == 0 || !type_of(&value.type, &target)) return std::nullopt;
    return Value{target, true, *address};
  }
  std::optional<Value> member(std::optional<Value> object, std::string_view name) {
    if (!object || !object->in_memory || !is_class(&object->type)) return std::nullopt;
    for (Member& m : members_of(&object->type)) {
      if (m.name == name) return dereferenced({m.type, true, object->bits + m.offset});
      if (m.name.empty())
        if (auto found = member(Value{m.type, true, object->bits + m.offset}, name)) return found;
    }
    return std::nullopt;
  }
  std::optional<Value> element(Value value, std::string_view index) {
    if (!value.in_memory || index.empty() || !std::all_of(index.begin(), index.end(), ::isdigit)) return std::nullopt;
    const uint64_t n = std::stoull(std::string(index));
    if (is_pointer(&value.type)) {
      auto first = pointee(value);
      if (first) first->bits += n * size_of(&first->type);
      return first;
    }
    if (plain_name(&value.type).starts_with("array<"))
      for (Member& m : members_of(&value.type))
        if (m.name == "_M_elems") value.type = m.type;
    if (auto shape = shape_of(&value.type); shape && shape->counts.size() == 1)
      return n < shape->counts[0] ? std::optional(Value{shape->element, true, value.bits + n * shape->element_size})
                                  : std::nullopt;
    std::optional<Value> found;
    visit_elements(&value.type, value.bits, 0, memory_, [&](const Element& e) {
      if (e.suffix == "[" + std::string(index) + "]") found = Value{e.type, true, e.address};
    });
    return found;
  }

  void show(std::string name, const Value& value) {
    std::string shown;
    Dwarf_Die type = value.type;
    const ValueType as = value_type(&type);
    if (counted_) {
      shown = std::to_string(value.bits);
    } else if (as.kind != ValueType::Unknown && as.size <= 8) {
      const auto bits = value.in_memory ? memory_.word(value.bits, as.size) : value.bits;
      if (bits) shown = value_text(*bits, as);
    }
    counted_ = false;
    const auto same = [&name](const Operand& o) { return o.name == name; };
    if (!shown.empty() && std::none_of(operands_.begin(), operands_.end(), same)) operands_.push_back({name, shown});
  }

  std::string_view text_;
  const std::vector<VisibleVariable>& locals_;
  std::span<const Variables::Variable> globals_;
  const ProcessMemory& memory_;
  size_t at_ = 0;
  bool counted_ = false;  // the value is a number of elements
  std::vector<Operand> operands_;
};

}  // namespace

std::string_view asserted_expression(std::string_view message) {
  constexpr std::string_view kBefore = "assertion failed: ";
  return message.starts_with(kBefore) ? message.substr(kBefore.size()) : std::string_view{};
}

std::vector<Operand> operands_of(std::string_view expression, const std::vector<VisibleVariable>& locals,
                                 std::span<const Variables::Variable> globals, const ProcessMemory& memory) {
  return ExpressionReader(expression, locals, globals, memory).read();
}

}  // namespace lockstep::debug_info
