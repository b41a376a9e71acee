// Classifies the functions of an ELF file by units, calls and memory use.
#include "target/instrumentation.hpp"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "model/channel.hpp"
#include "target/code_exemptions.hpp"
#include "target/elf_file.hpp"
#include "target/locked_instructions.hpp"
#include "target/memory_use.hpp"

namespace lockstep {
namespace {

using Function = ElfFile::Function;

// --- compile units ---

struct Unit {
  std::string path;
  bool instrumented;  // the compiler recorded the option, or a function of the unit calls the instrumentation
};

class Units {
 public:
  Units() = default;
  Units(const std::string& path, uint64_t lowest) {
    const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return;
    if (Dwarf* debug = dwarf_begin(descriptor, DWARF_C_READ)) {
      read(debug, lowest);
      dwarf_end(debug);
    }
    close(descriptor);
  }

  bool empty() const { return units_.empty(); }
  Unit* at(uint64_t address) {
    const auto after = std::upper_bound(ranges_.begin(), ranges_.end(), address,
                                        [](uint64_t a, const Range& r) { return a < r.begin; });
    if (after == ranges_.begin() || address >= std::prev(after)->end) return nullptr;
    return &units_[std::prev(after)->unit];
  }

 private:
  struct Range {
    uint64_t begin, end;
    size_t unit;
  };

  static std::string text(Dwarf_Die* die, unsigned attribute) {
    Dwarf_Attribute found;
    const char* value = dwarf_formstring(dwarf_attr(die, attribute, &found));
    return value ? value : "";
  }

  void read(Dwarf* debug, uint64_t lowest) {
    Dwarf_CU* unit = nullptr;
    Dwarf_Die die, split;
    uint8_t type = 0;
    while (dwarf_get_units(debug, unit, &unit, nullptr, &type, &die, &split) == 0) {
      if (type != DW_UT_compile && type != DW_UT_skeleton) continue;
      const size_t number = units_.size();
      units_.push_back(
          {text(&die, DW_AT_name), text(&die, DW_AT_producer).find("-fsanitize=thread") != std::string::npos});
      Dwarf_Addr base = 0, begin = 0, end = 0;
      // Functions that the linker took from another object have ranges that begin near 0.
      for (ptrdiff_t offset = 0; (offset = dwarf_ranges(&die, offset, &base, &begin, &end)) > 0;)
        if (begin < end && begin >= lowest) ranges_.push_back({begin, end, number});
    }
    std::sort(ranges_.begin(), ranges_.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
  }

  std::vector<Unit> units_;
  std::vector<Range> ranges_;  // ascending
};

// --- calls to other modules ---

class Imports {
 public:
  explicit Imports(const ElfFile& file) {
    const std::map<uint64_t, std::string> slots = file.imported_functions();
    for (const auto& [slot, name] : slots) {
      if (is_instrumentation(name)) instrumentation_.insert(slot);
      if (name == "__cxa_throw") throw_.insert(slot);
      if (exempts_function(name) == Exemption::Framework) framework_.insert(slot);
    }
    file.for_each_section([&](const Elf64_Shdr& section, std::span<const uint8_t> code) {
      if (file.name(section).starts_with(".plt")) read_linkage_table(section.sh_addr, code);
    });
  }

  bool calls_instrumentation(std::span<const uint8_t> code, uint64_t address) const {
    return refers(code, address, instrumentation_);
  }
  bool throws(std::span<const uint8_t> code, uint64_t address) const { return refers(code, address, throw_); }
  bool calls_framework(std::span<const uint8_t> code, uint64_t address, const std::set<uint64_t>& own) const {
    return refers(code, address, framework_) || refers(code, address, own);
  }
  bool any_instrumentation() const { return !instrumentation_.empty(); }

 private:
  static bool is_instrumentation(const std::string& name) { return name.starts_with("__tsan_"); }

  static uint64_t target(std::span<const uint8_t> code, uint64_t address, size_t at) {
    int32_t distance = 0;
    std::memcpy(&distance, code.data() + at, sizeof distance);
    return address + at + sizeof distance + static_cast<uint64_t>(int64_t{distance});
  }

  // An entry of the linkage table can be called instead of the slot that it jumps through: jmp *slot(%rip).
  void read_linkage_table(uint64_t address, std::span<const uint8_t> code) {
    constexpr size_t kEntry = 16, kShort = 8;
    for (size_t at = 0; at + 6 <= code.size(); ++at) {
      if (code[at] != 0xff || code[at + 1] != 0x25) continue;
      const uint64_t slot = target(code, address, at + 2);
      for (auto* places : {&instrumentation_, &framework_, &throw_}) {
        if (!places->contains(slot)) continue;
        places->insert(address + at / kEntry * kEntry);
        places->insert(address + at / kShort * kShort);
      }
    }
  }

  // True if one of the places is the target of a direct call or jump, or the slot of an indirect one. Four bytes hit a
  // place by accident with negligible probability, so the code is not decoded.
  static bool refers(std::span<const uint8_t> code, uint64_t address, const std::set<uint64_t>& places) {
    if (places.empty()) return false;
    const uint64_t low = *places.begin(), high = *places.rbegin();
    for (size_t at = 1; at + 4 <= code.size(); ++at) {
      const uint64_t place = target(code, address, at);
      if (place >= low && place <= high && places.contains(place)) return true;
    }
    return false;
  }

  std::set<uint64_t> instrumentation_, framework_, throw_;  // slots and entries of the linkage table
};

// --- one file ---

bool is_thunk(const std::string& name) {
  return name.starts_with("_ZTh") || name.starts_with("_ZTv") || name.starts_with("_ZTc");
}

bool is_cold_part(const std::string& name) {
  return name.ends_with(".cold") || name.find(".cold.") != std::string::npos;
}

class Classifier {
 public:
  explicit Classifier(const std::string& path) : file_(path), imports_(file_) {
    read_sections();
    units_ = Units(path, lowest_code());
    for (const std::string& library : file_.needed())
      has_shared_library_ |= library.starts_with("libstdc++.so") || library.starts_with("libc++.so");
  }

  FileInstrumentation result() {
    FileInstrumentation found;
    found.position_independent = file_.position_independent();
    std::vector<Function> functions = file_.all_functions();
    functions.erase(std::unique(functions.begin(), functions.end(),
                                [](const Function& a, const Function& b) { return a.begin == b.begin; }),
                    functions.end());
    found.readable = file_.good() && !functions.empty();
    find_library(functions);
    std::vector<Function> instrumented;
    std::ranges::copy_if(functions, std::back_inserter(instrumented),
                         [this](const Function& f) { return is_instrumented(f); });
    follow(instrumented, found);
    std::erase_if(functions, [&](const Function& f) {
      return std::ranges::binary_search(instrumented, f.begin, {}, &Function::begin);
    });
    for (const Function& f : functions)
      if (exemption(f) == Exemption::Framework) framework_.insert(f.begin);
    for (const Function& f : functions)
      if (const auto kind = kind_of(f)) found.functions.push_back({f.begin, f.end, f.name, source(f), *kind});
    std::erase_if(functions, [this](const Function& f) { return !trusts_unit(f) || exemption(f) != Exemption::None; });
    follow(functions, found);
    // One breakpoint at an address: the function is named then.
    std::erase_if(found.followed, [&](const FollowedInstruction& i) {
      return std::ranges::binary_search(found.functions, i.instruction.address, {}, &UninstrumentedFunction::begin);
    });
    return found;
  }

 private:
  // Finds code sections, and memory that is never written once main has begun: constants and addresses that the loader
  // fills in.
  void read_sections() {
    file_.for_each_section([&](const Elf64_Shdr& section, std::span<const uint8_t> bytes) {
      const std::string_view name = file_.name(section);
      const CodeRange range{section.sh_addr, section.sh_addr + section.sh_size};
      const bool constant =
          !(section.sh_flags & SHF_WRITE) || name.starts_with(".got") || name.starts_with(".data.rel.ro");
      if (section.sh_flags & SHF_ALLOC && constant) constants_.push_back(range);
      const bool functions = !name.starts_with(".plt") && name != ".init" && name != ".fini";
      if (section.sh_flags & SHF_EXECINSTR && functions) code_.push_back({range.begin, bytes});
    });
  }
  // Finds code linked from the static C++ library and libgcc. These come last, so it is everything between the
  // functions that only they define.
  void find_library(const std::vector<Function>& functions) {
    for (const Function& f : functions) {
      if (has_shared_library_ || !is_runtime_function(f.name) || units_.at(f.begin)) continue;
      library_ = {std::min(library_.begin, f.begin), std::max(library_.end, f.end)};
    }
  }
  uint64_t lowest_code() const {
    uint64_t lowest = ~0ull;
    for (const Section& section : code_) lowest = std::min(lowest, section.address);
    return lowest;
  }

  std::span<const uint8_t> code_of(const Function& f) const {
    for (const Section& section : code_)
      if (f.begin >= section.address && f.begin < section.address + section.bytes.size() && f.begin < f.end)
        return section.bytes.subspan(f.begin - section.address,
                                     std::min(f.end, section.address + section.bytes.size()) - f.begin);
    return {};
  }

  bool is_constant(uint64_t address) const {
    return std::any_of(constants_.begin(), constants_.end(),
                       [=](const CodeRange& r) { return address >= r.begin && address < r.end; });
  }

  bool is_instrumented(const Function& f) {
    if (!imports_.calls_instrumentation(code_of(f), f.begin)) return false;
    if (Unit* unit = units_.at(f.begin)) unit->instrumented = true;
    return true;
  }

  void follow(const std::vector<Function>& functions, FileInstrumentation& found) {
    for (const Function& f : functions)
      for (const LockedInstruction& i : locked_instructions(code_of(f), f.begin))
        found.followed.push_back({i, {f.begin, f.end, f.name, source(f), UninstrumentedFunction::Kind::Program}});
  }

  // The function belongs to an instrumented unit, as far as is known.
  bool trusts_unit(const Function& f) {
    const Unit* unit = units_.at(f.begin);
    return unit ? unit->instrumented : units_.empty() && imports_.any_instrumentation();
  }

  std::string source(const Function& f) {
    const Unit* unit = units_.at(f.begin);
    return unit ? unit->path.substr(unit->path.find_last_of('/') + 1) : "";
  }

  Exemption exemption(const Function& f) {
    if (const Exemption by_name = exempts_function(f.name); by_name != Exemption::None) return by_name;
    if (const Unit* unit = units_.at(f.begin)) return exempts_source(unit->path);
    // Linked from the compiler's own archives: __udivti3 and the like, and the C++ library if it is static.
    if (f.hidden && f.name.starts_with("__")) return Exemption::Always;
    const bool has_library = library_.begin < library_.end;
    const bool of_library = is_standard_function(f.name) || (f.begin >= library_.begin && f.begin < library_.end);
    return has_library && of_library ? Exemption::Always : Exemption::None;
  }

  // nullopt: the function need not be reported.
  std::optional<UninstrumentedFunction::Kind> kind_of(const Function& f) {
    using Kind = UninstrumentedFunction::Kind;
    const Exemption exempt = exemption(f);
    if (exempt == Exemption::Framework) return Kind::Framework;
    const std::span<const uint8_t> code = code_of(f);
    // A thunk only jumps to a function; a cold part is entered from its function.
    if (exempt == Exemption::Always || code.empty() || f.begin == file_.entry() || is_thunk(f.name) ||
        is_cold_part(f.name))
      return std::nullopt;
    if (f.name == "main" && imports_.calls_framework(code, f.begin, framework_)) return Kind::Framework;
    MemoryUseOptions options;
    options.constant = [this](uint64_t address) { return is_constant(address); };
    options.trust_tables = trusts_unit(f);
    options.judges_callees = options.trust_tables;
    options.throws = imports_.throws(code, f.begin);
    if (!may_touch_shared_memory(code, f.begin, options)) return std::nullopt;
    return !units_.at(f.begin) && is_standard_function(f.name) ? Kind::Template : Kind::Program;
  }

  struct Section {
    uint64_t address;
    std::span<const uint8_t> bytes;
  };
  ElfFile file_;
  std::vector<Section> code_;
  std::vector<CodeRange> constants_;
  Imports imports_;
  Units units_;
  bool has_shared_library_ = false;  // the C++ library is a shared object
  CodeRange library_{~0ull, 0};
  std::set<uint64_t> framework_;  // start addresses of functions of test frameworks
};

}  // namespace

FileInstrumentation find_uninstrumented(const std::string& path) { return Classifier(path).result(); }

const FileInstrumentation& InstrumentationCache::of(const std::string& path) {
  auto [at, fresh] = files_.try_emplace(path);
  if (fresh) at->second = find_uninstrumented(path);
  return at->second;
}

const NondeterministicInstructions& InstrumentationCache::nondeterministic(const std::string& path) {
  auto [at, fresh] = nondeterministic_.try_emplace(path);
  if (fresh) at->second = find_nondeterministic_instructions(path);
  return at->second;
}

}  // namespace lockstep
