// Options: one table, three sources, clear errors.
#include <gtest/gtest.h>
#include <regex>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "cli/option_values.hpp"
#include "cli/parse.hpp"

namespace lockstep {
namespace {

using std::chrono::milliseconds;

class OptionsTest : public testing::Test {
 protected:
  OptionsTest() {
    char name[] = "/tmp/lockstep-test-XXXXXX";
    folder_ = mkdtemp(name);
    around.file = folder_ + "/lockstep.toml";
  }
  ~OptionsTest() override { std::filesystem::remove_all(folder_); }
  void file(const std::string& text) { std::ofstream(around.file) << text; }
  Result<ParsedCommand> parse(std::vector<std::string> words) { return parse_command_line(words, around); }
  Options run(std::vector<std::string> words) {
    words.insert(words.begin(), "run");
    Result<ParsedCommand> parsed = parse(words);
    EXPECT_TRUE(parsed) << parsed.error().message;
    if (!parsed || !std::holds_alternative<RunCommand>(*parsed)) return {};
    return std::get<RunCommand>(*parsed).options;
  }
  std::string error(const std::vector<std::string>& words) {
    const Result<ParsedCommand> parsed = parse(words);
    if (parsed) return "";
    EXPECT_EQ(parsed.error().code, ExitCode::Usage);
    EXPECT_EQ(parsed.error().message.find('\n'), std::string::npos) << parsed.error().message;
    return parsed.error().message;
  }
  Surroundings around;

 private:
  std::string folder_;
};

TEST_F(OptionsTest, EverythingAfterTheProgramIsItsOwn) {
  const Options o = run({"--seed", "3", "./prog", "--seed", "9", "--", "-x"});
  EXPECT_EQ(o.command, (std::vector<std::string>{"./prog", "--seed", "9", "--", "-x"}));
  EXPECT_EQ(o.strategy.seed, 3u);
  EXPECT_EQ(run({"--quiet", "--", "--odd-name", "-y"}).command, (std::vector<std::string>{"--odd-name", "-y"}));
}

TEST_F(OptionsTest, OptionsOfLockstepBehindTheProgramGetAHint) {
  const auto hint = [&](const std::vector<std::string>& words) { return std::get<RunCommand>(*parse(words)).hint; };
  EXPECT_EQ(hint({"run", "./prog", "5", "--time=30s"}),
            "--time after PROGRAM is given to the program; for Lockstep put it before ./prog");
  EXPECT_EQ(hint({"run", "--time", "30s", "./prog", "--gtest_filter=*", "--html", "x"}), "");
  EXPECT_EQ(hint({"run", "--", "./prog", "--time", "30s"}), "");  // says so himself
}

TEST_F(OptionsTest, SpinRoundsAreANumberOrNotGiven) {
  EXPECT_FALSE(run({"./prog"}).spin_rounds);
  EXPECT_EQ(run({"--spin-rounds", "30", "./prog"}).spin_rounds, 30u);
  file("spin-rounds = 4\n");
  EXPECT_EQ(run({"./prog"}).spin_rounds, 4u);
  for (const char* wrong : {"0", "-1", "many", "1000001"})
    EXPECT_NE(error({"run", "--spin-rounds", wrong, "./prog"}).find("--spin-rounds"), std::string::npos) << wrong;
}

TEST_F(OptionsTest, MaxDelayIsADurationOrNone) {
  EXPECT_EQ(run({"./prog"}).max_delay_ms, 10u);
  EXPECT_EQ(run({"--max-delay", "1.5s", "./prog"}).max_delay_ms, 1500u);
  EXPECT_EQ(run({"--max-delay", "none", "./prog"}).max_delay_ms, kAnyDelay);
  for (const char* wrong : {"10", "-1ms", "never", "2000h"})
    EXPECT_NE(error({"run", "--max-delay", wrong, "./prog"}).find("--max-delay"), std::string::npos) << wrong;
}

TEST_F(OptionsTest, EveryOptionArrives) {
  const Options o = run({"--strategy=pct:depth=3",
                         "--preemptions",
                         "2",
                         "--points",
                         "sync",
                         "--executions",
                         "10",
                         "--time",
                         "5m",
                         "--steps",
                         "77",
                         "--memory-budget",
                         "1GiB",
                         "--require-complete",
                         "--workers",
                         "4",
                         "--isolation",
                         "fork",
                         "--backend",
                         "os-thread",
                         "--keep-going",
                         "--seed",
                         "18446744073709551615",
                         "--out",
                         "o",
                         "--json",
                         "-",
                         "--quiet",
                         "--color",
                         "never",
                         "--progress",
                         "always",
                         "--error",
                         "lock-order",
                         "--error",
                         "nondeterminism",
                         "p"});
  EXPECT_EQ(o.strategy.spec, "pct:depth=3");
  EXPECT_EQ(o.strategy.preemptions, 2u);
  EXPECT_EQ(o.strategy.seed, ~uint64_t{0});
  EXPECT_EQ(o.strategy.max_steps, 77u);
  EXPECT_EQ(o.points, Points::Sync);
  EXPECT_EQ(o.executions, 10u);
  EXPECT_EQ(o.time, milliseconds(300'000));
  EXPECT_EQ(o.memory_budget, 1u << 30);
  EXPECT_TRUE(o.require_complete && o.keep_going && o.quiet);
  EXPECT_EQ(o.workers, 4u);
  EXPECT_EQ(o.isolation, Isolation::Fork);
  EXPECT_EQ(o.backend, Backend::OsThread);
  EXPECT_EQ(o.out, "o");
  EXPECT_EQ(o.json, "-");
  EXPECT_EQ(o.color, When::Never);
  EXPECT_EQ(o.progress, When::Always);
  EXPECT_EQ(o.errors.size(), 2u);
}

TEST_F(OptionsTest, CommandLineOverEnvironmentOverFile) {
  file("seed = 1\nworkers = 1\nstrategy = 'dfs'\nkeep-going = true\nerror = ['lock-order']\n");
  around.environment = "seed=2:strategy=\"random:seed=5\":quiet";
  const Options o = run({"--seed", "3", "p"});
  EXPECT_EQ(o.strategy.seed, 3u);
  EXPECT_EQ(o.strategy.spec, "random:seed=5");
  EXPECT_EQ(o.workers, 1u);
  EXPECT_TRUE(o.keep_going);
  EXPECT_TRUE(o.quiet);
  EXPECT_EQ(o.errors.size(), 1u);
  around.environment = "keep-going=false";
  EXPECT_FALSE(run({"p"}).keep_going);
}

TEST_F(OptionsTest, LastOneWins) { EXPECT_EQ(run({"--seed", "1", "--seed", "2", "p"}).strategy.seed, 2u); }

TEST_F(OptionsTest, PreemptionsNone) {
  around.environment = "preemptions=2";
  EXPECT_EQ(run({"p"}).strategy.preemptions, 2u);
  const Options o = run({"--preemptions", "none", "p"});
  EXPECT_FALSE(o.strategy.preemptions);
  EXPECT_TRUE(o.strategy.preemptions_none);
}

TEST_F(OptionsTest, WorkersMayAllBeElsewhere) {
  around.environment = "queue=\"redis://host/q\"";
  const Options o = run({"--workers", "0", "p"});
  EXPECT_EQ(o.workers, 0u);
  EXPECT_EQ(o.queue, "redis://host/q");
  around.environment.clear();
  EXPECT_EQ(error({"run", "--workers", "0", "p"}), "--workers 0 needs --queue, whose workers run the program");
  EXPECT_EQ(error({"work"}), "no queue given; use 'lockstep work --queue redis://host:port/name'");
  EXPECT_EQ(error({"work", "--queue", "redis://h/q", "--workers", "0"}),
            "--workers: '0' is not a whole number of at least 1");
  EXPECT_EQ(error({"work", "--queue", "redis://h/q", "--time", "3s"}),
            "--time is not an option of this command; see --help");
}

TEST_F(OptionsTest, MistakesAreOneSentence) {
  EXPECT_EQ(
      error({}),
      "no command given; use run, replay, explain, debug, shrink, resume, work or list, or see 'lockstep --help'");
  EXPECT_EQ(error({"explode"}),
            "unknown command 'explode'; use run, replay, explain, debug, shrink, resume, work or list");
  EXPECT_EQ(error({"--what"}), "unknown option --what; see 'lockstep --help'");
  EXPECT_EQ(error({"run"}), "no program given; use 'lockstep run [options] PROGRAM [ARGS...]'");
  EXPECT_EQ(error({"run", "--"}), "no program given; use 'lockstep run [options] PROGRAM [ARGS...]'");
  EXPECT_EQ(error({"run", "--stratgy", "dfs", "p"}), "unknown option --stratgy; did you mean --strategy?");
  EXPECT_EQ(error({"run", "--xyzzy", "p"}), "unknown option --xyzzy; see --help");
  EXPECT_EQ(error({"run", "-x", "p"}), "unknown option -x; see --help");
  EXPECT_EQ(error({"run", "--times", "3", "p"}), "--times is not an option of this command; see --help");
  EXPECT_EQ(error({"run", "--seed"}), "--seed needs a value: N|random");
  EXPECT_EQ(error({"run", "--seed", "--quiet", "p"}), "--seed needs a value: N|random");
  EXPECT_EQ(error({"run", "--preemptions", "two", "p"}), "--preemptions: 'two' is not a whole number or 'none'");
  EXPECT_EQ(error({"run", "--preemptions", "-1", "p"}), "--preemptions: '-1' is not a whole number or 'none'");
  EXPECT_EQ(error({"run", "--executions", "0", "p"}), "--executions: '0' is not a whole number of at least 1");
  EXPECT_EQ(error({"run", "--executions", "99999999999999999999", "p"}),
            "--executions: '99999999999999999999' is not a whole number of at least 1");
  EXPECT_EQ(error({"run", "--time", "soon", "p"}), "--time: 'soon' is not a duration such as 30s, 5m or 1h");
  EXPECT_EQ(error({"run", "--memory-budget", "lots", "p"}),
            "--memory-budget: 'lots' is not a size such as 512MiB or 2GiB");
  EXPECT_EQ(error({"run", "--isolation", "prison", "p"}),
            "--isolation: 'prison' is not one of: auto, loop, reset, fork");
  EXPECT_EQ(
      error({"run", "--error", "deadlock", "p"}),
      "--error: 'deadlock' is not one of: livelock, lock-order, lock-discipline, sc-violation, nondeterminism, timing");
  EXPECT_NE(error({"run", "--quiet=maybe", "p"}), "");
  EXPECT_EQ(error({"replay"}), "no schedule given; use 'lockstep replay FILE'");
  EXPECT_EQ(error({"replay", "f", "--"}), "no program given after --");
  EXPECT_NE(error({"replay", "f", "g"}), "");
  EXPECT_EQ(error({"list"}),
            "nothing to list; use 'lockstep list strategies', ranks, analyses, intercepts or tests PROGRAM");
  EXPECT_EQ(error({"list", "bugs"}),
            "cannot list 'bugs'; use strategies, ranks, analyses, intercepts or tests PROGRAM");
}

TEST_F(OptionsTest, MistakesInTheEnvironment) {
  auto with = [&](const char* text) {
    around.environment = text;
    return error({"run", "p"});
  };
  EXPECT_EQ(with("sed=1"), "LOCKSTEP_OPTIONS: unknown key 'sed'; did you mean 'seed'?");
  EXPECT_EQ(with("seed"), "LOCKSTEP_OPTIONS: seed needs a value: seed=N|random");
  EXPECT_EQ(with("seed=x"), "LOCKSTEP_OPTIONS: seed: 'x' is not a whole number of at least 0");
  EXPECT_EQ(with("strategy=\"pct"), "LOCKSTEP_OPTIONS: missing closing quote");
  EXPECT_EQ(with("::seed=1:"), "");
}

TEST_F(OptionsTest, MistakesInTheFile) {
  file("speed = 1\n");
  EXPECT_NE(error({"run", "p"}).find("unknown key 'speed'; did you mean 'seed'?"), std::string::npos);
  file("seed = [1]\n");
  EXPECT_NE(error({"run", "p"}).find("seed: value must be text, a whole number, true or false"), std::string::npos);
  file("[run]\nseed = 1\n");
  EXPECT_NE(error({"run", "p"}).find("unknown key 'run'"), std::string::npos);
  file("seed = \n");
  EXPECT_NE(error({"run", "p"}).find(".toml:1: "), std::string::npos);
}

TEST_F(OptionsTest, ReplayTakesAFileAndMaybeAProgram) {
  const auto parsed =
      parse({"replay", "bug.lockstep", "--times", "5", "--json=out.json", "--", "./prog", "--times", "7"});
  ASSERT_TRUE(parsed);
  const Options& o = std::get<ReplayCommand>(*parsed).options;
  EXPECT_EQ(o.schedule, "bug.lockstep");
  EXPECT_EQ(o.times, 5u);
  EXPECT_EQ(o.json, "out.json");
  EXPECT_EQ(o.command, (std::vector<std::string>{"./prog", "--times", "7"}));
}

// Whoever resumes an exploration parses its words again, and must not draw another seed.
TEST_F(OptionsTest, ADrawnSeedIsWrittenDown) {
  using Words = std::vector<std::string>;
  const auto kept = [](Words words, Words command) {
    Options options;
    options.seed_drawn = true;
    options.strategy.seed = 7;
    options.arguments = std::move(words);
    options.command = std::move(command);
    keep_drawn_seed(options);
    return options.arguments;
  };
  EXPECT_EQ(kept({"run", "--seed", "random", "p"}, {"p"}), (Words{"run", "--seed", "7", "p"}));
  EXPECT_EQ(kept({"run", "--seed=random", "--", "p"}, {"p"}), (Words{"run", "--seed=7", "--", "p"}));
  EXPECT_EQ(kept({"run", "p", "--seed", "random"}, {"p", "--seed", "random"}),
            (Words{"run", "--seed=7", "p", "--seed", "random"}));
}

TEST_F(OptionsTest, HelpNamesEveryOption) {
  const auto parsed = parse({"run", "--help"});
  ASSERT_TRUE(parsed);
  const std::string text = std::get<ShowText>(*parsed).text;
  for (const OptionInfo& info : option_table())
    EXPECT_EQ(std::regex_search(text, std::regex(std::string("--") + info.name + "(?![a-z-])")),
              (info.commands & kRun) != 0)
        << info.name;
  EXPECT_NE(std::get<ShowText>(*parse({"--version"})).text.find("lockstep "), std::string::npos);
  EXPECT_NE(std::get<ShowText>(*parse({"--help"})).text.find("replay"), std::string::npos);
}

TEST(Values, Durations) {
  EXPECT_EQ(parse_duration("500ms"), milliseconds(500));
  EXPECT_EQ(parse_duration("30s"), milliseconds(30'000));
  EXPECT_EQ(parse_duration("1.5h"), milliseconds(5'400'000));
  for (const char* bad : {"", "s", "30", "-1s", "1e9s", "30 s", "1.2.3s", "99999999999999999999h", "nan", "5x"})
    EXPECT_FALSE(parse_duration(bad)) << bad;
}

TEST(Values, Sizes) {
  EXPECT_EQ(parse_size("2GiB"), 2ull << 30);
  EXPECT_EQ(parse_size("1000"), 1000u);
  EXPECT_EQ(parse_size("64MB"), 64'000'000u);
  for (const char* bad : {"", "GiB", "-1", "1 GiB", "2gib", "9999999999TiB"}) EXPECT_FALSE(parse_size(bad)) << bad;
}

TEST(Budgets, DefaultsFollowTheStrategy) {
  auto budget = [](const char* spec, std::optional<uint64_t> executions = {}) {
    Options options;
    options.strategy.spec = spec;
    options.executions = executions;
    return budget_of(options, **make_strategy(options.strategy));
  };
  EXPECT_EQ(budget("auto").time, milliseconds(60'000));
  EXPECT_FALSE(budget("auto").executions);
  EXPECT_EQ(budget("random").executions, 100'000u);
  EXPECT_FALSE(budget("dfs").executions);
  EXPECT_FALSE(budget("dfs").time);
  EXPECT_FALSE(budget("auto", 5).time);
}

}  // namespace
}  // namespace lockstep
