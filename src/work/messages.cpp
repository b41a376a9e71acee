#include "work/messages.hpp"

#include "search/base/saved_state.hpp"
#include "search/base/saved_trace.hpp"
#include "work/packed_bytes.hpp"

namespace lockstep {
namespace {

constexpr uint32_t kMessageVersion = 2;

void put_texts(StateWriter& out, const std::vector<std::string>& texts) {
  out.put<uint64_t>(texts.size());
  for (const std::string& text : texts) out.put_text(text);
}
std::vector<std::string> get_texts(StateReader& in) {
  std::vector<std::string> texts;
  for (auto count = in.get<uint64_t>(); count > 0 && in.good(); --count) texts.push_back(in.get_text());
  return texts;
}

void put_file(StateWriter& out, const QueuedFile& file) {
  out.put_text(file.path);
  out.put_text(file.hash);
  out.put(file.size);
  out.put(file.mode);
  out.put(file.mtime);
}
QueuedFile get_file(StateReader& in) {
  QueuedFile file;
  file.path = in.get_text();
  file.hash = in.get_text();
  file.size = in.get<uint64_t>();
  file.mode = in.get<uint32_t>();
  file.mtime = in.get<int64_t>();
  // It becomes the name of a file in the cache.
  if (file.hash.size() != 64 || file.hash.find_first_not_of("0123456789abcdef") != std::string::npos) in.reject();
  return file;
}
void put_files(StateWriter& out, const std::vector<QueuedFile>& files) {
  out.put<uint64_t>(files.size());
  for (const QueuedFile& file : files) put_file(out, file);
}
std::vector<QueuedFile> get_files(StateReader& in) {
  std::vector<QueuedFile> files;
  for (auto count = in.get<uint64_t>(); count > 0 && in.good(); --count) files.push_back(get_file(in));
  return files;
}

// In the order in which they are written; the same for reading and writing.
template <class Target, class F>
void for_each_number(Target& t, F&& visit) {
  visit(t.isolation);
  visit(t.backend);
  visit(t.points);
  visit(t.timeouts);
  visit(t.spin_rounds);
  visit(t.max_delay_ms);
  visit(t.spurious);
  visit(t.expected_exit);
  visit(t.compares_output);
  visit(t.prime);
  visit(t.detect_races);
  visit(t.check_locks);
  visit(t.check_yields);
  visit(t.find_leaks);
  visit(t.checkpoints);
  visit(t.max_steps);
  visit(t.max_records);
  visit(t.watchdog);
  visit(t.explore_call);
  visit(t.path_room);
}

void put_target(StateWriter& out, const TargetOptions& target) {
  put_texts(out, target.command);
  put_texts(out, target.environment.value_or(std::vector<std::string>{}));
  for_each_number(target, [&out](const auto& value) { out.put(value); });
}
TargetOptions get_target(StateReader& in) {
  TargetOptions target;
  target.command = get_texts(in);
  target.environment = get_texts(in);
  for_each_number(target, [&in](auto& value) { value = in.get<std::decay_t<decltype(value)>>(); });
  if (target.command.empty() || target.isolation > Isolation::Fork || target.backend > Backend::OsThread ||
      target.points > Points::All || target.timeouts > Timeouts::Always || target.checkpoints > CheckpointUse::Always)
    in.reject();
  return target;
}

std::string finished(StateWriter& out) { return compressed(out.bytes()); }
void begin(StateWriter& out) { out.put(kMessageVersion); }

template <class Message, class Read>
std::optional<Message> unpacked(std::string_view bytes, Read&& read) {
  const std::optional<std::string> plain = decompressed(bytes);
  if (!plain) return std::nullopt;
  StateReader in(*plain);
  if (in.get<uint32_t>() != kMessageVersion) return std::nullopt;
  Message message;
  read(in, message);
  if (!in.good() || !in.at_end()) return std::nullopt;
  return message;
}

}  // namespace

std::string pack(const Job& job) {
  StateWriter out;
  begin(out);
  out.put_text(job.version);
  out.put_text(job.machine);
  put_target(out, job.target);
  out.put_text(job.input);
  out.put(job.has_input);
  out.put_text(job.folder);
  put_file(out, job.program);
  put_file(out, job.runtime);
  put_files(out, job.libraries);
  put_files(out, job.folder_files);
  out.put_all(job.limits);
  return finished(out);
}
std::optional<Job> unpack_job(std::string_view bytes) {
  return unpacked<Job>(bytes, [](StateReader& in, Job& job) {
    job.version = in.get_text();
    job.machine = in.get_text();
    job.target = get_target(in);
    job.input = in.get_text();
    job.has_input = in.get<bool>();
    job.folder = in.get_text();
    job.program = get_file(in);
    job.runtime = get_file(in);
    job.libraries = get_files(in);
    job.folder_files = get_files(in);
    job.limits = in.get_all<ResourceLimit>();
  });
}

std::string pack(const JobSettings& settings) {
  StateWriter out;
  begin(out);
  out.put_all(settings.promoted.places);
  out.put_all(settings.promoted.aliases);
  out.put_all(settings.trusted);
  out.put_all(settings.preemptible);
  out.put_all(settings.native_loops);
  out.put_all(settings.threads);
  out.put(settings.spurious);
  out.put(settings.checkpoints);
  out.put<uint64_t>(settings.controls.size());
  for (const Control& control : settings.controls) {
    put_plan(out, control.plan);
    out.put(control.hash);
  }
  out.put_text(settings.search);
  return finished(out);
}
std::optional<JobSettings> unpack_settings(std::string_view bytes) {
  return unpacked<JobSettings>(bytes, [](StateReader& in, JobSettings& settings) {
    settings.promoted.places = in.get_all<uint64_t>();
    settings.promoted.aliases = in.get_all<Alias>();
    settings.trusted = in.get_all<CodeRange>();
    settings.preemptible = in.get_all<CodeRange>();
    settings.native_loops = in.get_all<uint64_t>();
    settings.threads = in.get_all<ThreadTable::Entry>();
    settings.spurious = in.get<uint32_t>();
    settings.checkpoints = in.get<CheckpointUse>();
    for (auto count = in.get<uint64_t>(); count > 0 && in.good(); --count) {
      Control& control = settings.controls.emplace_back();
      control.plan = get_plan(in);
      in.get_bytes(control.hash, sizeof control.hash);
    }
    settings.search = in.get_text();
    if (settings.threads.size() > kMaxThreads || settings.checkpoints > CheckpointUse::Always) in.reject();
  });
}

std::string pack(const UnitMessage& unit) {
  StateWriter out;
  begin(out);
  out.put(unit.settings);
  out.put<uint64_t>(unit.plans.size());
  for (const Plan& plan : unit.plans) put_plan(out, plan);
  out.put_text(unit.order);
  return finished(out);
}
std::optional<UnitMessage> unpack_unit(std::string_view bytes) {
  return unpacked<UnitMessage>(bytes, [](StateReader& in, UnitMessage& unit) {
    unit.settings = in.get<uint64_t>();
    for (auto count = in.get<uint64_t>(); count > 0 && in.good(); --count) unit.plans.push_back(get_plan(in));
    unit.order = in.get_text();
  });
}

std::string pack(const AnswerMessage& answer) {
  StateWriter out;
  begin(out);
  out.put(answer.kind);
  out.put(answer.unit);
  out.put_text(answer.worker);
  out.put_text(answer.machine);
  out.put<uint64_t>(answer.traces.size());
  for (const Trace& trace : answer.traces) put_trace(out, trace);
  out.put_text(answer.result);
  out.put_all(answer.threads);
  out.put_all(std::vector<Fact>(answer.facts.begin(), answer.facts.end()));
  put_texts(out, {answer.libraries.begin(), answer.libraries.end()});
  out.put_all(answer.native_loops);
  out.put(answer.resumed);
  out.put(answer.microseconds);
  out.put_text(answer.text);
  return finished(out);
}
std::optional<AnswerMessage> unpack_answer(std::string_view bytes) {
  return unpacked<AnswerMessage>(bytes, [](StateReader& in, AnswerMessage& answer) {
    answer.kind = in.get<AnswerMessage::Kind>();
    answer.unit = in.get<uint64_t>();
    answer.worker = in.get_text();
    answer.machine = in.get_text();
    for (auto count = in.get<uint64_t>(); count > 0 && in.good(); --count) answer.traces.push_back(get_trace(in));
    answer.result = in.get_text();
    answer.threads = in.get_all<ThreadTable::Entry>();
    for (const Fact& fact : in.get_all<Fact>()) {
      if (fact.kind >= FactKind::kCount) in.reject();
      answer.facts.insert(fact);
    }
    for (std::string& library : get_texts(in)) answer.libraries.insert(std::move(library));
    answer.native_loops = in.get_all<uint64_t>();
    answer.resumed = in.get<uint64_t>();
    answer.microseconds = in.get<uint64_t>();
    answer.text = in.get_text();
    if (answer.kind > AnswerMessage::Refused) in.reject();
  });
}

std::string pack(const WorkerReport& report) {
  StateWriter out;
  begin(out);
  out.put(report.beat);
  out.put_text(report.machine);
  out.put(report.executions);
  out.put(report.busy);
  out.put(report.seconds);
  return finished(out);
}
std::optional<WorkerReport> unpack_report(std::string_view bytes) {
  return unpacked<WorkerReport>(bytes, [](StateReader& in, WorkerReport& report) {
    report.beat = in.get<uint64_t>();
    report.machine = in.get_text();
    report.executions = in.get<uint64_t>();
    report.busy = in.get<double>();
    report.seconds = in.get<double>();
  });
}

}  // namespace lockstep
