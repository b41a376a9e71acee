// Symbols against programs built by both compilers, with and without optimisation, debug information and symbols.
#include "target/symbols.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <sstream>

#include "report/user_frames.hpp"
#include "target/demangle.hpp"

namespace lockstep {
namespace {

struct Facts {
  std::vector<Module> modules;
  std::map<std::string, uint64_t> address;
  std::vector<uint64_t> stack;  // of a thread
};

Facts ask(const std::string& program) {
  Facts facts;
  FILE* pipe = popen(program.c_str(), "r");
  char line[4096];
  bool mappings = true;
  while (pipe && std::fgets(line, sizeof line, pipe)) {
    if (std::strcmp(line, "--\n") == 0) {
      mappings = false;
      continue;
    }
    unsigned long begin = 0, end = 0, offset = 0;
    char path[2048] = "", what[64] = "";
    void* address = nullptr;
    if (mappings) {
      std::sscanf(line, "%lx-%lx %*s %lx %*s %*s %2047s", &begin, &end, &offset, path);
      facts.modules.push_back({begin, end, offset, path});
    } else if (std::sscanf(line, "%63s %p", what, &address) == 2) {
      facts.address[what] = reinterpret_cast<uint64_t>(address);
      if (std::strcmp(what, "stack") == 0) facts.stack.push_back(reinterpret_cast<uint64_t>(address));
    }
  }
  if (pipe) pclose(pipe);
  return facts;
}

class SymbolsOf : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    program = std::string(LOCKSTEP_FIXTURES) + "/" + GetParam();
    if (!std::filesystem::exists(program)) GTEST_SKIP() << program << " was not built";
    facts = ask(program);
    ASSERT_FALSE(facts.address.empty());
    symbols = open_symbols({facts.modules, LOCKSTEP_SOURCE_DIR});
  }
  bool has(const char* feature) const { return std::string(GetParam()).find(feature) != std::string::npos; }
  std::string described(const char* what) { return symbols->describe(ObjectId{facts.address.at(what)}); }
  std::string program;
  Facts facts;
  std::unique_ptr<Symbols> symbols;
};

TEST_P(SymbolsOf, FramesHaveFunctionFileAndLine) {
  const auto inlined = symbols->resolve(facts.address.at("inlined"));
  ASSERT_FALSE(inlined.empty());
  EXPECT_EQ(inlined.back().module, GetParam());
  if (has("debug")) {
    ASSERT_EQ(inlined.size(), 2u);
    EXPECT_EQ(inlined[0].where.function, "inner()");
    EXPECT_EQ(inlined[0].where.file, "tests/target/symbols_fixture.cpp");
    EXPECT_EQ(inlined[0].where.line, 36);
    EXPECT_EQ(inlined[1].where.function, "outer(int)");
    EXPECT_EQ(inlined[1].where.line, 39);
    const auto lambda = symbols->resolve(facts.address.at("lambda"));
    EXPECT_EQ(lambda[0].where.line, 62);
    EXPECT_TRUE(lambda[0].where.function.starts_with("main::lambda")) << lambda[0].where.function;
    const auto generic = symbols->resolve(facts.address.at("template"));
    EXPECT_EQ(generic[0].where.line, 45);
    EXPECT_EQ(generic[0].where.function, "twice(long)");
  } else if (has("symtab")) {
    EXPECT_EQ(inlined[0].where.function, "outer(int)");
    EXPECT_EQ(inlined[0].where.line, 0);
  } else {
    EXPECT_TRUE(inlined[0].where.function.starts_with(std::string(GetParam()) + "+0x")) << inlined[0].where.function;
  }
}

// Between the user's function and the kernel lie std::thread's own frames, from headers, libstdc++ and libc.
TEST_P(SymbolsOf, StackOfAThreadIsTheUsersFunction) {
  ASSERT_GE(facts.stack.size(), 3u);
  const auto frames = user_frames(facts.stack, *symbols);
  ASSERT_FALSE(frames.empty());
  if (has("stripped")) return;
  EXPECT_EQ(frames.front().where.function, "worker(int)");
  EXPECT_EQ(frames.back().where.function, "worker(int)") << "standard library frames must not count as the user's";
}

TEST_P(SymbolsOf, GlobalsAreNamedDownToTheMember) {
  if (has("debug")) {
    EXPECT_EQ(described("accounts[2].lock"), "bank::accounts[2].lock");
    EXPECT_EQ(described("accounts[1].balance"), "bank::accounts[1].balance");
    EXPECT_EQ(described("queue.head.first"), "bank::queue.head.first");
    EXPECT_EQ(described("locks[1]"), "bank::locks[1]");
    EXPECT_EQ(described("table[1][2]"), "bank::table[1][2]");
    EXPECT_EQ(described("hidden_counter"), "hidden_counter");
  } else if (has("symtab")) {
    EXPECT_EQ(described("queue.head.first"), "bank::queue+16");
    EXPECT_EQ(described("hidden_counter"), "hidden_counter");
  } else {
    EXPECT_TRUE(described("queue.head.first").starts_with(std::string(GetParam()) + "+0x"));
  }
}

INSTANTIATE_TEST_SUITE_P(Builds, SymbolsOf,
                         testing::Values("g++-O0-debug", "g++-O2-debug", "g++-O0-debug4", "g++-O2-debug-static-address",
                                         "g++-O2-symtab", "g++-O2-stripped", "clang++-O0-debug", "clang++-O2-debug",
                                         "clang++-O2-debug4", "clang++-O2-symtab", "clang++-O2-stripped"),
                         [](const auto& info) {
                           std::string name = info.param;
                           for (char& c : name)
                             if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
                           return name;
                         });

TEST(Symbols, MemoryOutsideModulesIsNamedByItsPlace) {
  auto symbols = open_symbols({});
  EXPECT_EQ(symbols->describe(ObjectId{kArenaBase + 0x40}), "heap block of main+0x40");
  EXPECT_EQ(symbols->describe(ObjectId{kArenaBase + (uint64_t{3} << kArenaShift) + 0x10}),
            "heap block of thread 3+0x10");
  EXPECT_EQ(symbols->describe(ObjectId{0x1234}), "0x1234");
  EXPECT_EQ(symbols->describe(ObjectId{0x7fff'ffff'e000}), "a local of main");
  EXPECT_FALSE(symbols->is_named(ObjectId{kArenaBase + 0x40}));
  EXPECT_EQ(symbols->resolve(0x1235)[0].where.function, "0x1234");
  EXPECT_EQ(symbols->resolve(0).size(), 1u);
}

TEST(Symbols, MissingFilesLeaveModuleAndOffset) {
  auto symbols = open_symbols({{{0x400000, 0x500000, 0, "/nonexistent/prog"}}, ""});
  EXPECT_EQ(symbols->resolve(0x400101)[0].where.function, "prog+0x100");
}

TEST(ReadableName, SaysWhatAPersonWouldSay) {
  const std::pair<const char*, const char*> cases[] = {
      {"main", "main"},
      {"_Z8transferii", "transfer(int, int)"},
      {"_ZN5QueueIiSaIiEE4pushEi", "Queue::push(int)"},
      {"_ZN12_GLOBAL__N_16helperEv", "helper()"},
      {"_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector::push_back(int const&)"},
      {"_ZlsRSoRK5Point", "operator<<(std::ostream&, Point const&)"},
      {"_ZZ4mainENKUlvE_clEv", "main::lambda#1"},
      {"_ZZ4mainENK3$_1clEv", "main::lambda#2"},
      {"_Z5twiceIlET_S0_", "twice(long)"},
      {"_ZZN4Bank3runEiENKUliE0_clEi", "Bank::run::lambda#2"},
      {"_Znwm", "operator new(unsigned long)"},
      {"_ZGVZ4mainE1x", "guard of main::x"},
      {"_Z3runPFvRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEERKSt6vectorIiSaIiEEE", "run"},
      {"_Znot mangled", "_Znot mangled"},
  };
  for (const auto& [mangled, readable] : cases) EXPECT_EQ(readable_name(mangled), readable) << mangled;
}

}  // namespace
}  // namespace lockstep
