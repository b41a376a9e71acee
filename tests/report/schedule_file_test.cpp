// Schedule files: what is written is what is read, and nothing else is believed.
#include "report/schedule_file.hpp"

#include <gtest/gtest.h>

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "fake_trace.hpp"
#include "report/schedule_json.hpp"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using schedule_json::Json;

ScheduleFile sample() {
  BankDeadlock bank;
  ScheduleFile file;
  file.program = {"./bank_test", "--accounts", "2 of \"them\"\n"};
  file.cwd = "/home/user/bank";
  file.build = {"00ff", 12345, 1700000000};
  file.isolation = Isolation::Reset;
  file.points = Points::Sync;
  file.spin_rounds = 30;
  file.max_delay_ms = 250;
  file.bug = finding_of(FindingKind::Deadlock, bank.trace);
  file.bug.message = "deadlock \xff";
  file.bug.fingerprint = "0123456789abcdef";
  file.bug.location = {"transfer(int, int)", "src/bank.cpp", 32};
  file.bug.plan.seed = ~uint64_t{0};
  file.threads = {{0, 0}, {0, 0}, {0, 1}};
  file.operations = record_operations(TraceNames(bank.trace, bank.symbols));
  file.operations_total = file.operations.size();
  return file;
}

class Folder {
 public:
  Folder() {
    char name[] = "/tmp/lockstep-test-XXXXXX";
    path_ = mkdtemp(name);
  }
  ~Folder() { fs::remove_all(path_); }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

TEST(ScheduleFile, WithoutALimitOfDelaysHasNone) {
  Folder folder;
  ScheduleFile written = sample();
  written.max_delay_ms = kAnyDelay;
  ASSERT_FALSE(save_schedule(written, folder / "bug.lockstep"));
  EXPECT_EQ(load_schedule(folder / "bug.lockstep")->max_delay_ms, kAnyDelay);
}

TEST(ScheduleFile, ReadsBackWhatItWrote) {
  Folder folder;
  const ScheduleFile written = sample();
  ASSERT_FALSE(save_schedule(written, folder / "bug.lockstep"));
  const auto read = load_schedule(folder / "bug.lockstep");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->program, written.program);
  EXPECT_EQ(read->cwd, written.cwd);
  EXPECT_TRUE(same_program(read->build, written.build));
  EXPECT_EQ(read->isolation, written.isolation);
  EXPECT_EQ(read->points, written.points);
  EXPECT_EQ(read->spin_rounds, 30u);
  EXPECT_EQ(read->max_delay_ms, 250u);
  EXPECT_EQ(read->bug.kind, FindingKind::Deadlock);
  EXPECT_EQ(read->bug.message, "deadlock \xef\xbf\xbd");
  EXPECT_EQ(read->bug.plan.deltas, written.bug.plan.deltas);
  EXPECT_EQ(read->bug.plan.seed, written.bug.plan.seed);
  EXPECT_EQ(read->bug.location.line, 32);
  EXPECT_EQ(read->threads.size(), 3u);
  EXPECT_EQ(schedule_text(*read), schedule_text(*read));
  EXPECT_FALSE(first_departure(*read, written.operations, written.operations_total));
}

TEST(ScheduleFile, NamesTheFirstDeparture) {
  const ScheduleFile recording = sample();
  auto now = recording.operations;
  now[2].object = "accounts[7]";
  auto departure = first_departure(recording, now, now.size());
  ASSERT_TRUE(departure);
  EXPECT_EQ(departure->operation, 3u);
  EXPECT_EQ(departure->recorded, "thread 1 lock accounts[0] at bank.cpp:31");
  EXPECT_EQ(departure->happened, "thread 1 lock accounts[7] at bank.cpp:31");
  now = recording.operations;
  now[1].place = "elsewhere.cpp:1";  // lines move when a program is edited
  EXPECT_FALSE(first_departure(recording, now, now.size()));
  now.pop_back();
  departure = first_departure(recording, now, now.size());
  ASSERT_TRUE(departure);
  EXPECT_EQ(departure->happened, "ends");
}

TEST(ScheduleFile, NamesACallThatReturnsSomethingElse) {
  ScheduleFile recording = sample();
  recording.operations[1] = {ThreadId{1}, OpKind::State, 1 + ENOENT, "files", "load.cpp:7"};
  auto now = recording.operations;
  EXPECT_FALSE(first_departure(recording, now, now.size()));
  now[1].value = 1;
  const auto departure = first_departure(recording, now, now.size());
  ASSERT_TRUE(departure);
  EXPECT_TRUE(departure->returned);
  EXPECT_EQ(departure->recorded, "thread 1 state files at load.cpp:7, fails: ENOENT");
  EXPECT_EQ(departure->happened, "thread 1 state files at load.cpp:7, succeeds");
  recording.operations[1].value = 0;  // an older recording
  EXPECT_FALSE(first_departure(recording, now, now.size()));
}

TEST(ScheduleFile, LeavesNothingBehindWhenItCannotBeSaved) {
  Folder folder;
  const auto error = save_schedule(sample(), folder / "missing/bug.lockstep");
  ASSERT_TRUE(error);
  EXPECT_NE(error->message.find("No such file"), std::string::npos);
  signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit none{0, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &none);
  EXPECT_TRUE(save_schedule(sample(), folder / "full"));
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_TRUE(fs::is_empty(folder / "."));
}

TEST(ScheduleFile, DoesNotFollowLinks) {
  Folder folder;
  std::ofstream(folder / "precious") << "keep this";
  for (const std::string& name : {std::string("bug"), "bug." + std::to_string(getpid()) + ".tmp"}) {
    fs::create_symlink(folder / "precious", folder / name);
    EXPECT_FALSE(save_schedule(sample(), folder / "bug"));
    EXPECT_EQ(fs::file_size(folder / "precious"), 9u) << name;
    fs::remove(folder / "bug");
  }
}

// A valid file with one thing changed and the checksum made right again.
std::string with(const std::function<void(Json&)>& change) {
  Json json = Json::parse(schedule_text(sample()));
  change(json);
  json[schedule_json::kChecksum] = schedule_json::checksum_of(json);
  return schedule_json::dump(json);
}

TEST(ScheduleFile, HostileContentIsOneSentence) {
  const std::string good = schedule_text(sample());
  std::string bad_sum = good;
  bad_sum.replace(bad_sum.find("./bank_test"), 11, "./evil_test");
  const std::pair<std::string, const char*> cases[] = {
      {"", "truncated"},
      {"hello", "not a Lockstep schedule"},
      {"[]", "no \"lockstep-schedule\""},
      {"{}", "no \"lockstep-schedule\""},
      {good.substr(0, good.size() / 2), "truncated"},
      {bad_sum, "checksum"},
      {std::string(100'000, '['), "not a Lockstep schedule"},
      {"{\"a\":" + std::string(100'000, '[') + std::string(100'000, ']') + "}", "not a Lockstep schedule"},
      {with([](Json& j) { j["lockstep-schedule"] = 99; }), "version 99"},
      {with([](Json& j) { j["lockstep-schedule"] = "1"; }), "version"},
      {with([](Json& j) { j["program"] = Json::array(); }), "\"program\" is empty"},
      {with([](Json& j) { j["options"]["spin_rounds"] = -1; }), "spin_rounds"},
      {with([](Json& j) { j["program"] = "prog"; }), "\"program\" is not a list"},
      {with([](Json& j) { j["program"][0] = std::string("a\0b", 3); }), "zero byte"},
      {with([](Json& j) { j.erase("deltas"); }), "\"deltas\" is missing"},
      {with([](Json& j) {
         j["deltas"] = {{5, 1}, {5, 2}};
       }),
       "ascending"},
      {with([](Json& j) {
         j["deltas"] = {{2, 9}};
       }),
       "\"deltas\" is not a number from 0 to 2"},
      {with([](Json& j) {
         j["deltas"] = {{-1, 1}};
       }),
       "\"deltas\""},
      {with([](Json& j) {
         j["deltas"] = {{1e300, 1}};
       }),
       "\"deltas\""},
      {with([](Json& j) {
         j["deltas"] = {{4294967295u, 1}};
       }),
       "\"deltas\""},
      {with([](Json& j) {
         j["deltas"] = {{1, 2, 3}};
       }),
       "\"deltas\""},
      {with([](Json& j) { j["threads"] = Json::array(); }), "\"threads\" is empty"},
      {with([](Json& j) { j["threads"][1][0] = 2; }), "\"threads\""},
      {with([](Json& j) {
         for (unsigned i = 0; i <= kMaxThreads; ++i) j["threads"].push_back({0, 0});
       }),
       "\"threads\""},
      {with([](Json& j) { j["operations"][0][0] = 77; }), "\"operations\""},
      {with([](Json& j) { j["operations"][0][1] = "explode"; }), "\"operations\""},
      {with([](Json& j) { j["operations_total"] = 0; }), "\"operations_total\""},
      {with([](Json& j) { j["options"]["max_steps"] = 0; }), "\"max_steps\""},
      {with([](Json& j) { j["options"]["isolation"] = "prison"; }), "\"isolation\""},
      {with([](Json& j) { j["options"] = 3; }), "\"options\""},
      {with([](Json& j) { j["seed"] = -5; }), "\"seed\""},
      {with([](Json& j) { j["kind"] = nullptr; }), "\"kind\""},
      {with([](Json& j) { j["location"]["line"] = 1ull << 40; }), "\"line\""},
  };
  ASSERT_TRUE(parse_schedule(good, "bug.lockstep"));
  for (const auto& [text, says] : cases) {
    const auto result = parse_schedule(text, "bug.lockstep");
    ASSERT_FALSE(result) << text.substr(0, 200);
    EXPECT_EQ(result.error().code, ExitCode::Usage);
    EXPECT_NE(result.error().message.find(says), std::string::npos) << result.error().message;
    EXPECT_TRUE(result.error().message.starts_with("bug.lockstep "));
    EXPECT_EQ(result.error().message.find('\n'), std::string::npos);
  }
}

TEST(ScheduleFile, ManyKeysDoNotTakeForever) {
  std::string text = "{\"lockstep-schedule\": 1";
  for (int i = 0; i < 500'000; ++i) text += ", \"k" + std::to_string(i) + "\": 0";
  EXPECT_FALSE(parse_schedule(text + "}", "f"));
}

TEST(ScheduleFile, OddFilesAreOneSentence) {
  Folder folder;
  EXPECT_NE(load_schedule(folder / "none").error().message.find("No such file"), std::string::npos);
  EXPECT_NE(load_schedule(folder / "").error().message.find("directory"), std::string::npos);
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_NE(load_schedule(folder / "pipe").error().message.find("regular"), std::string::npos);
  std::ofstream(folder / "big") << "x";
  fs::resize_file(folder / "big", kScheduleFileLimit + 1);  // sparse
  EXPECT_NE(load_schedule(folder / "big").error().message.find("256 MiB"), std::string::npos);
}

// Random damage with a right checksum where the JSON survives: must end in a value or a sentence, never in a crash.
TEST(ScheduleFile, SurvivesMutations) {
  const std::string good = schedule_text(sample());
  std::mt19937 random(1);  // NOLINT: the same every time
  auto pick = [&](size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random); };
  const std::string tokens[] = {"[",    "]",  "{",       "}",    ",",   ":", "-1", "1e999", "18446744073709551616",
                                "null", "\"", "\\u0000", "\xff", "true"};
  size_t accepted = 0;
  for (int round = 0; round < 3'000; ++round) {
    std::string text = good;
    for (size_t edits = 1 + pick(3); edits-- > 0;) {
      const size_t at = pick(text.size());
      switch (pick(4)) {
        case 0: text[at] = static_cast<char>(random()); break;
        case 1: text.erase(at, 1 + pick(20)); break;
        case 2: text.insert(at, tokens[pick(std::size(tokens))]); break;
        default: text.resize(at + 1); break;
      }
    }
    Json json = Json::parse(text, nullptr, false);
    if (!json.is_discarded() && json.is_object()) {
      json[schedule_json::kChecksum] = schedule_json::checksum_of(json);
      text = schedule_json::dump(json);
    }
    const auto result = parse_schedule(text, "f");
    accepted += static_cast<bool>(result);
    if (!result) {
      EXPECT_EQ(result.error().code, ExitCode::Usage);
    }
  }
  EXPECT_LT(accepted, 2'900u);
}

}  // namespace
}  // namespace lockstep
