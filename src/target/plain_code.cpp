// Finds uninstrumented functions and names those that ran.
#include "target/plain_code.hpp"

#include <algorithm>
#include <filesystem>

#include "target/code_exemptions.hpp"
#include "target/demangle.hpp"
#include "target/target.hpp"

namespace lockstep {
namespace {

using Kind = UninstrumentedFunction::Kind;

std::string base_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

// The name without parameters.
std::string function_name(const std::string& linkage_name) {
  const std::string name = readable_name(linkage_name);
  const std::string call = "operator()";
  const size_t at = name.find(call);
  return name.substr(0, name.find('(', at == std::string::npos ? 0 : at + call.size()));
}

PlainFunction::Kind wire(Kind kind) {
  switch (kind) {
    case Kind::Program: return PlainFunction::kProgram;
    case Kind::Template: return PlainFunction::kTemplate;
    case Kind::Framework: return PlainFunction::kFramework;
  }
  return PlainFunction::kProgram;
}

bool has_code(const FileInstrumentation& file) {
  return !file.readable || std::any_of(file.functions.begin(), file.functions.end(),
                                       [](const UninstrumentedFunction& f) { return f.kind != Kind::Framework; });
}

}  // namespace

std::string in_words(const PlainCode& code) {
  if (code.function.empty()) return code.file.empty() ? code.module : code.file;
  return code.function + " (" + (code.file.empty() ? code.module : code.file) + ")";
}

CodeToWatch PlainCodeFinder::find(const std::vector<Module>& modules, std::set<std::string>& known, size_t room) {
  std::map<std::string, uint64_t> fresh;  // path -> start of the file in memory
  std::set<std::string> executable;
  for (const Module& m : modules) {
    if (m.path.empty() || m.path.front() != '/' || known.contains(m.path)) continue;
    auto [at, first] = fresh.try_emplace(m.path, m.begin - m.file_offset);
    at->second = std::min(at->second, m.begin - m.file_offset);
    if (m.executable) executable.insert(m.path);
  }
  CodeToWatch found;
  for (const auto& [path, begin] : fresh) {
    known.insert(path);
    const std::string module = base_name(path);
    if (!executable.contains(path) || exempts_module(module) != Exemption::None) continue;
    const FileInstrumentation& code = files_->of(path);
    if (!code.readable || found.functions.size() + code.functions.size() > room) {
      unknown_.insert({"", "", module, true});
      continue;
    }
    const uint64_t base = code.position_independent ? begin : 0;
    for (const UninstrumentedFunction& f : code.functions) {
      found.functions.push_back({base + f.begin, static_cast<uint32_t>(f.end - f.begin), wire(f.kind)});
      if (f.kind != Kind::Framework) functions_.emplace(base + f.begin, Function{&f, module});
    }
    for (const FollowedInstruction& f : code.followed) {
      LockedInstruction i = f.instruction;
      i.address += base;
      if (i.relative) i.displacement += static_cast<int64_t>(base);
      found.locked.push_back(i);
      functions_.emplace(i.address, Function{&f.function, module});
    }
  }
  return found;
}

std::vector<PlainCode> PlainCodeFinder::ran(const std::set<Fact>& facts, const std::set<std::string>& libraries) {
  std::set<PlainCode> found = unknown_;
  std::set<std::string> modules;
  for (const Fact& fact : facts) {
    if (fact.kind != FactKind::PlainCode) continue;
    if (fact.place == 0)  // it is not known which functions ran
      for (const auto& [address, f] : functions_) found.insert({f.code->file, "", f.module, true});
    const auto [begin, end] = functions_.equal_range(fact.place);
    for (auto at = begin; at != end; ++at) {
      found.insert({at->second.code->file, function_name(at->second.code->name), at->second.module, false});
      modules.insert(at->second.module);
    }
  }
  for (const std::string& path : libraries) {
    std::error_code error;
    const std::string real = std::filesystem::weakly_canonical(path, error).string();
    const std::string module = base_name(real);
    if (exempts_module(module) != Exemption::None || modules.contains(module)) continue;
    if (path.empty() || has_code(files_->of(real)))
      found.insert({"", "", path.empty() ? "a library loaded by dlopen" : module, true});
  }
  return {found.begin(), found.end()};
}

}  // namespace lockstep
