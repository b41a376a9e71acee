// Resolves addresses by DWARF, symbol tables and modules.
#include "target/symbols.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <unordered_map>

#include "model/text_lines.hpp"
#include "target/debug_info.hpp"
#include "target/demangle.hpp"
#include "target/loaded_modules.hpp"
#include "target/variables.hpp"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

std::string hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

class DwarfSymbols final : public Symbols {
 public:
  explicit DwarfSymbols(SymbolsOptions options)
      : options_(std::move(options)), modules_(report_modules(options_.modules)), dwfl_(modules_.get()) {}
  DwarfSymbols(const DwarfSymbols&) = delete;
  DwarfSymbols& operator=(const DwarfSymbols&) = delete;

  std::vector<Frame> resolve(uint64_t return_address) override {
    auto [at, fresh] = frames_.try_emplace(return_address);
    if (fresh) at->second = find_frames(return_address);
    return at->second;
  }

  std::string describe(ObjectId object) override {
    const auto address = static_cast<uint64_t>(object);
    if (std::string given = given_name(address); !given.empty()) return given;
    auto [at, fresh] = objects_.try_emplace(address);
    if (fresh) at->second = find_object(address);
    return at->second;
  }

  bool is_named(ObjectId object) override {
    return !given_name(static_cast<uint64_t>(object)).empty() || module_at(static_cast<uint64_t>(object)) != nullptr ||
           index_of_token(static_cast<uint64_t>(object));
  }

 private:
  struct Info {
    explicit Info(Dwfl_Module* module) : units(module) {}
    debug_info::Units units;
    std::unique_ptr<debug_info::Variables> variables;  // built on first use
  };

  static bool index_of_token(uint64_t address) { return address >> 48 == 0xffff; }

  Dwfl_Module* module_at(uint64_t address) { return dwfl_ ? dwfl_addrmodule(dwfl_, address) : nullptr; }

  Info& info(Dwfl_Module* module) {
    auto& slot = info_[module];
    if (!slot) slot = std::make_unique<Info>(module);
    return *slot;
  }

  static std::string file_name(Dwfl_Module* module, Dwarf_Addr* begin = nullptr) {
    const char* name = dwfl_module_info(module, nullptr, begin, nullptr, nullptr, nullptr, nullptr, nullptr);
    return name ? fs::path(name).filename().string() : "?";
  }

  std::string shown(const std::string& file) const {
    std::string path = fs::path(file).lexically_normal().string();
    if (options_.cwd.empty() || !path.starts_with(options_.cwd + "/")) return path;
    return path.substr(options_.cwd.size() + 1);
  }

  std::vector<Frame> find_frames(uint64_t return_address) {
    // The instruction after the call may belong to another line or even another function, so the address before it is
    // used.
    const uint64_t pc = return_address - 1;
    Dwfl_Module* module = module_at(pc);
    if (module == nullptr) return {Frame{return_address, {unmapped(pc), "", 0}, ""}};
    const std::string file = file_name(module);
    std::vector<Frame> frames;
    Info& known = info(module);
    if (Dwarf_Die* unit = known.units.at(pc)) {
      const Dwarf_Addr address = pc - known.units.bias();
      auto where = debug_info::line_at(unit, address);
      auto chain = known.units.functions_at(unit, address);
      for (auto scope = chain.rbegin(); scope != chain.rend(); ++scope) {  // innermost first
        Frame frame{return_address, {}, file};
        frame.where.function = debug_info::name_of(&scope->die);
        if (frame.where.function.empty()) frame.where.function = symbol_name(module, pc);
        if (where) frame.where.file = shown(where->file), frame.where.line = where->line;
        frames.push_back(std::move(frame));
        where = debug_info::call_site(unit, &scope->die);
      }
      if (frames.empty() && where)
        frames.push_back({return_address, {symbol_name(module, pc), shown(where->file), where->line}, file});
    }
    if (frames.empty()) frames.push_back({return_address, {symbol_name(module, pc), "", 0}, file});
    return frames;
  }

  std::string symbol_name(Dwfl_Module* module, uint64_t pc) {
    GElf_Off offset = 0;
    GElf_Sym symbol;
    const char* name = dwfl_module_addrinfo(module, pc, &offset, &symbol, nullptr, nullptr, nullptr);
    // In a stripped file without local symbols, the nearest name may be far off. Then no name is given.
    if (name != nullptr && name[0] != '\0' && (symbol.st_size == 0 || offset < symbol.st_size))
      return readable_name(name);
    Dwarf_Addr begin = 0;
    std::string file = file_name(module, &begin);
    return file + "+" + hex(pc - begin);
  }

  std::string unmapped(uint64_t address) const {
    for (const Module& module : options_.modules)
      if (address >= module.begin && address < module.end && !module.path.empty() && module.path[0] == '/')
        return fs::path(module.path).filename().string() + "+" + hex(address - module.begin + module.file_offset);
    return hex(address);
  }

  std::string given_name(uint64_t address) const { return options_.given_name ? options_.given_name(address) : ""; }
  static std::string thread(uint64_t index) { return index == 0 ? "main" : "thread " + std::to_string(index); }

  std::string find_object(uint64_t address) {
    if (index_of_token(address)) return thread(address & 0xffff);
    if (address >= kArenaBase && address < kArenaBase + (uint64_t{kMaxThreads} << kArenaShift)) {
      const uint64_t offset = address - kArenaBase;
      return "heap block of " + thread(offset >> kArenaShift) + "+" + hex(offset & ((uint64_t{1} << kArenaShift) - 1));
    }
    if (Dwfl_Module* module = module_at(address)) return find_global(module, address);
    for (const Module& mapped : options_.modules)
      if (mapped.path == "[stack]" && address >= mapped.begin && address < mapped.end) return "a local of main";
    // Without address randomisation the initial stack lies at the end of the address space, and grows at run time.
    if (address >= 0x7fff'0000'0000 && address < 0x7fff'ffff'f000) return "a local of main";
    return unmapped(address);
  }

  std::string find_global(Dwfl_Module* module, uint64_t address) {
    Info& known = info(module);
    if (!known.units.empty()) {
      if (!known.variables) known.variables = std::make_unique<debug_info::Variables>(known.units);
      if (auto path = known.variables->path_to(address)) return *path;
    }
    GElf_Off offset = 0;
    GElf_Sym symbol;
    const char* name = dwfl_module_addrinfo(module, address, &offset, &symbol, nullptr, nullptr, nullptr);
    if (name != nullptr && name[0] != '\0' && offset < std::max<uint64_t>(symbol.st_size, 1))
      return readable_name(name) + offset_suffix(offset);
    Dwarf_Addr begin = 0;
    const std::string file = file_name(module, &begin);
    return file + "+" + hex(address - begin);
  }

  SymbolsOptions options_;
  DwflHandle modules_;
  Dwfl* dwfl_;
  std::unordered_map<Dwfl_Module*, std::unique_ptr<Info>> info_;
  std::unordered_map<uint64_t, std::vector<Frame>> frames_;
  std::unordered_map<uint64_t, std::string> objects_;
};

}  // namespace

std::unique_ptr<Symbols> open_symbols(SymbolsOptions options) {
  return std::make_unique<DwarfSymbols>(std::move(options));
}

}  // namespace lockstep
