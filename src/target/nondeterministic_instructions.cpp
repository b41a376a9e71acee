// Searches code for rdrand, rdseed, rdtsc and rdtscp.
#include "target/nondeterministic_instructions.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "target/elf_file.hpp"
#include "target/instrumentation.hpp"
#include "target/target.hpp"
#include "target/uninstrumented_sync.hpp"
#include "target/x86_instruction.hpp"

namespace lockstep {
namespace {

bool is_random(std::span<const uint8_t> code) {  // rdrand, rdseed; rdpid has the prefix f3
  return code.size() >= 3 && code[0] == 0x0f && code[1] == 0xc7 && code[2] >= 0xf0;
}
bool is_counter(std::span<const uint8_t> code) {
  return code.size() >= 2 && code[0] == 0x0f &&
         (code[1] == 0x31 || (code.size() >= 3 && code[1] == 0x01 && code[2] == 0xf9));
}

// True if these bytes occur anywhere. Nearly no program has them, and searching bytes is fast.
bool may_have(std::span<const uint8_t> code) {
  for (size_t at = 0; at < code.size(); ++at) {
    const void* next = std::memchr(code.data() + at, 0x0f, code.size() - at);
    if (!next) return false;
    at = static_cast<size_t>(static_cast<const uint8_t*>(next) - code.data());
    if (is_random(code.subspan(at)) || is_counter(code.subspan(at))) return true;
  }
  return false;
}

// The address in the program of an instruction's end in the file; 0: not mapped.
uint64_t loaded_at(uint64_t end, const ElfFile& file, const std::string& path, const std::vector<Module>& modules) {
  const auto offset = file.offset_of(end - 1);
  for (const Module& m : modules)
    if (offset && m.path == path && *offset >= m.file_offset && *offset - m.file_offset < m.end - m.begin)
      return m.begin + (*offset - m.file_offset) + 1;
  return 0;
}

}  // namespace

NondeterministicInstructions find_nondeterministic_instructions(std::span<const uint8_t> code) {
  NondeterministicInstructions found;
  for (size_t at = 0; at < code.size();) {
    const Instruction i = decode_instruction(code.subspan(at));
    const size_t length = i.length ? i.length : 1;
    std::span<const uint8_t> bytes = code.subspan(at, std::min(length, code.size() - at));
    at += length;
    const bool repeat_prefix = !bytes.empty() && bytes[0] == 0xf3;
    // Skips prefixes: size, REX.
    while (!bytes.empty() && (bytes[0] == 0x66 || (bytes[0] & 0xf0) == 0x40)) bytes = bytes.subspan(1);
    if (repeat_prefix) continue;
    if (is_random(bytes)) found.random.push_back(at);
    if (is_counter(bytes)) found.counter.push_back(at);
  }
  return found;
}

NondeterministicInstructions find_nondeterministic_instructions(const std::string& path) {
  NondeterministicInstructions found;
  const ElfFile file(path);
  std::vector<ElfFile::Function> functions;
  file.for_each_section([&](const Elf64_Shdr& section, std::span<const uint8_t> code) {
    if (!(section.sh_flags & SHF_EXECINSTR) || !may_have(code)) return;
    if (functions.empty()) functions = file.functions();
    const auto look = [&](uint64_t begin, uint64_t end) {
      const std::span<const uint8_t> bytes = code.subspan(begin - section.sh_addr, end - begin);
      if (!may_have(bytes)) return;
      const NondeterministicInstructions here = find_nondeterministic_instructions(bytes);
      for (uint64_t at : here.random) found.random.push_back(begin + at);
      for (uint64_t at : here.counter) found.counter.push_back(begin + at);
    };
    bool named = false;
    for (const ElfFile::Function& f : functions) {
      if (f.begin < section.sh_addr || f.end > section.sh_addr + section.sh_size || f.begin >= f.end) continue;
      named = true;
      look(f.begin, f.end);
    }
    if (!named) look(section.sh_addr, section.sh_addr + section.sh_size);
  });
  return found;
}

std::set<Fact> nondeterministic_facts(const std::vector<Module>& modules, bool counter_is_controlled,
                                      InstrumentationCache& files) {
  std::set<Fact> facts;
  std::set<std::string> seen;
  for (const Module& module : modules) {
    if (module.path.empty() || module.path.front() != '/' || is_system_library(module.path) ||
        !seen.insert(module.path).second)
      continue;
    const NondeterministicInstructions& found = files.nondeterministic(module.path);
    if (found.random.empty() && found.counter.empty()) continue;
    const ElfFile file(module.path);
    for (uint64_t at : found.random)
      facts.insert({loaded_at(at, file, module.path, modules), FactKind::RandomInstruction});
    if (counter_is_controlled) continue;
    for (uint64_t at : found.counter) facts.insert({loaded_at(at, file, module.path, modules), FactKind::CycleCounter});
  }
  return facts;
}

void CodeFacts::add_to(std::set<Fact>& facts, const std::vector<Module>& modules, InstrumentationCache& files) {
  std::set<std::string> paths;
  for (const Module& module : modules) paths.insert(module.path);
  const Fact uncontrolled{0, FactKind::CycleCounter};  // judging by its bytes
  if (paths != paths_) found_ = nondeterministic_facts(modules, !facts.contains(uncontrolled), files);
  paths_ = std::move(paths);
  const bool reads_counter =
      std::any_of(found_.begin(), found_.end(), [](const Fact& fact) { return fact.kind == FactKind::CycleCounter; });
  if (!reads_counter && facts.size() < FactTable::kMost) facts.erase(uncontrolled);
  facts.insert(found_.begin(), found_.end());
}

}  // namespace lockstep
