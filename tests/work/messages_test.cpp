#include "work/messages.hpp"

#include <gtest/gtest.h>

#include <random>

#include "work/control_executions.hpp"
#include "work/packed_bytes.hpp"

using namespace lockstep;

namespace {

Trace trace_of(uint32_t steps) {
  TraceBuilder builder;
  for (uint32_t i = 0; i < steps; ++i) {
    Step step{};
    step.thread = ThreadId{static_cast<uint16_t>(i % 2)};
    step.kind = OpKind::Rmw;
    step.enabled = 3;
    builder.steps.push_back(step);
  }
  return builder.build();
}

AnswerMessage an_answer() {
  AnswerMessage answer;
  answer.unit = 7;
  answer.worker = "host/12-ab";
  answer.machine = "host";
  answer.traces = {trace_of(3), trace_of(0), trace_of(20)};
  answer.threads = {{0, 0}, {0, 1}};
  answer.facts = {{17, FactKind::WeakOrder}};
  answer.libraries = {"/lib/libx.so"};
  answer.native_loops = {5};
  answer.resumed = 2;
  answer.microseconds = 99;
  return answer;
}

Job a_job() {
  Job job;
  job.version = "1";
  job.target.command = {"./prog", "x"};
  job.target.environment = std::vector<std::string>{"A=b"};
  job.target.isolation = Isolation::Fork;
  job.target.max_steps = 77;
  job.target.path_room = 256;
  job.program = {"/prog", std::string(64, 'a'), 3, 0755, 5};
  job.runtime = {"/rt.so", std::string(64, 'b'), 4, 0644, 6};
  job.folder_files = {{"input/x", std::string(64, '0'), 1, 0600, 7}};
  job.limits = {{3, 8 << 20}};
  return job;
}

}  // namespace

TEST(Messages, ArriveAsTheyWereSent) {
  const auto answer = unpack_answer(pack(an_answer()));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->unit, 7u);
  EXPECT_EQ(answer->worker, "host/12-ab");
  ASSERT_EQ(answer->traces.size(), 3u);
  EXPECT_EQ(hash_of(answer->traces[2]), hash_of(trace_of(20)));
  EXPECT_NE(hash_of(answer->traces[2]), hash_of(trace_of(19)));
  EXPECT_EQ(answer->facts, an_answer().facts);
  EXPECT_EQ(answer->microseconds, 99u);

  const auto job = unpack_job(pack(a_job()));
  ASSERT_TRUE(job);
  EXPECT_EQ(job->target.command, a_job().target.command);
  EXPECT_EQ(job->target.environment, a_job().target.environment);
  EXPECT_EQ(job->target.isolation, Isolation::Fork);
  EXPECT_EQ(job->target.max_steps, 77u);
  EXPECT_EQ(job->program.hash, std::string(64, 'a'));
  EXPECT_EQ(job->folder_files[0].path, "input/x");

  UnitMessage unit{3, {Plan{}, Plan{}}};
  unit.plans[1].deltas = {{4, 1}};
  const auto received = unpack_unit(pack(unit));
  ASSERT_TRUE(received);
  EXPECT_EQ(received->settings, 3u);
  EXPECT_EQ(received->plans[1].deltas, unit.plans[1].deltas);
}

// Every byte of what was compressed may be anything; nothing is read beyond the end.
TEST(Messages, DamagedOnesAreRefusedOrHarmless) {
  std::mt19937 draw(1);
  const std::string answer = *decompressed(pack(an_answer())), job = *decompressed(pack(a_job()));
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes = i % 2 ? answer : job;
    for (unsigned n = 1 + draw() % 4; n > 0; --n) bytes[draw() % bytes.size()] = static_cast<char>(draw());
    if (draw() % 4 == 0) bytes.resize(draw() % bytes.size());
    const std::string message = compressed(bytes);
    if (const auto read = unpack_answer(message))
      for (const Trace& trace : read->traces) (void)hash_of(trace);
    (void)unpack_job(message);
    (void)unpack_settings(message);
    (void)unpack_unit(message);
    (void)unpack_report(message);
  }
  EXPECT_FALSE(unpack_answer(""));
  EXPECT_FALSE(unpack_answer("nonsense"));
  EXPECT_FALSE(unpack_job(pack(an_answer())));
}

// It becomes the name of a file.
TEST(Messages, AHashIsHexadecimal) {
  Job job = a_job();
  job.program.hash = "../../" + std::string(58, 'a');
  EXPECT_FALSE(unpack_job(pack(job)));
}

TEST(ContentHash, IsSha256) {
  EXPECT_EQ(content_hash("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}
