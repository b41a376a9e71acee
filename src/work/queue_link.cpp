#include "work/queue_link.hpp"

#include <algorithm>

#include "work/queue_scripts.hpp"

namespace lockstep {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kTryAgain = std::chrono::milliseconds(250);
constexpr auto kLookAgain = std::chrono::milliseconds(500);

std::string stream_id(uint64_t number) { return std::to_string(number) + "-1"; }

// XREAD gives {{stream, {{id, {field, value...}}...}}}.
const std::vector<RedisReply>* entries_of(const RedisReply& reply) {
  if (reply.kind != RedisReply::List || reply.items.empty() || reply.items[0].items.size() < 2) return nullptr;
  return &reply.items[0].items[1].items;
}

}  // namespace

Result<std::unique_ptr<QueueLink>> QueueLink::open(const QueueAddress& address, const std::string& job_id,
                                                   const Job& job) {
  std::unique_ptr<QueueLink> link(new QueueLink(address, job_id, job));
  Result<std::unique_ptr<RedisConnection>> redis = RedisConnection::open(address);
  if (!redis) return redis.error();
  link->redis_ = std::move(*redis);
  if (!link->publish_job())
    return Error{ExitCode::Usage, "cannot use the queue " + address.display() + ": " + link->problem_};
  return link;
}

QueueLink::~QueueLink() {
  if (!is_up()) return;
  send({"SREM", QueueKeys(address_).jobs(), job_id_});
  send({"SET", keys_.over(), "1", "EX", "60"});
  const std::string settings = keys_.settings(settings_number_), current = keys_.current();
  command({"DEL", keys_.definition(), keys_.alive(), keys_.units(), keys_.answers(), keys_.workers(), keys_.wanted(),
           settings, current, keys_.refused()},
          std::chrono::milliseconds(1000));
}

bool QueueLink::publish_job() {
  const auto set = command({"SET", keys_.definition(), definition_, "EX", kKeepSeconds});
  if (set && set->kind == RedisReply::Problem) problem_ = set->text;
  const auto group = command({"XGROUP", "CREATE", keys_.units(), kGroup, "0", "MKSTREAM"});
  if (group && group->kind == RedisReply::Problem && !group->is_error("BUSYGROUP")) problem_ = group->text;
  if (!is_up() || !problem_.empty()) return false;
  if (!settings_.empty()) {
    send({"SET", keys_.settings(settings_number_), settings_, "EX", kKeepSeconds});
    send({"SET", keys_.current(), std::to_string(settings_number_), "EX", kKeepSeconds});
  }
  send({"SET", keys_.alive(), "1", "EX", kAliveSeconds});
  send({"EXPIRE", keys_.units(), kKeepSeconds});
  return command({"SADD", QueueKeys(address_).jobs(), job_id_}).has_value();
}

bool QueueLink::restore() {
  const Clock::time_point now = Clock::now();
  if (now - tried_ < kTryAgain) return false;
  tried_ = now;
  Result<std::unique_ptr<RedisConnection>> redis = RedisConnection::open(address_);
  if (!redis) {
    problem_ = redis.error().message;
    return false;
  }
  redis_ = std::move(*redis);
  problem_.clear();
  return publish_job();
}

void QueueLink::note_problem() {
  if (redis_ && redis_->is_lost() && problem_.empty()) problem_ = redis_->problem();
}
std::optional<RedisReply> QueueLink::command(const RedisConnection::Words& words, std::chrono::milliseconds patience) {
  if (!redis_) return std::nullopt;
  std::optional<RedisReply> reply = redis_->command(words, patience);
  note_problem();
  return reply;
}
void QueueLink::send(const RedisConnection::Words& words) {
  if (redis_) redis_->send(words);
  note_problem();
}

void QueueLink::publish(uint64_t number, const JobSettings& settings) {
  const std::string before = keys_.settings(settings_number_);
  settings_number_ = number;
  settings_ = pack(settings);
  send({"SET", keys_.settings(number), settings_, "EX", kKeepSeconds});
  send({"SET", keys_.current(), std::to_string(number), "EX", kKeepSeconds});
  send({"EXPIRE", before, "60"});  // for who has a unit made with it
}

void QueueLink::add_unit(uint64_t number, const UnitMessage& unit) {
  send({"XADD", keys_.units(), stream_id(number), "unit", pack(unit)});
}

void QueueLink::withdraw(uint64_t number) { send({"EVAL", kWithdraw, "1", keys_.units(), kGroup, stream_id(number)}); }

void QueueLink::forget_units() {
  send({"DEL", keys_.units()});
  send({"XGROUP", "CREATE", keys_.units(), kGroup, "0", "MKSTREAM"});
}

QueueLink::UnitState QueueLink::look_at(uint64_t number) {
  UnitState state;
  const auto reply = command({"EVAL", kLookAtUnit, "1", keys_.units(), kGroup, stream_id(number)});
  if (!reply || reply->kind != RedisReply::List || reply->items.empty()) return state;
  state.where = static_cast<UnitState::Where>(std::clamp<int64_t>(reply->items[0].integer, 0, 2));
  if (state.where != UnitState::Taken || reply->items.size() < 3) return state;
  state.silence = std::chrono::milliseconds(reply->items[1].integer);
  state.deliveries = static_cast<int>(reply->items[2].integer);
  return state;
}

std::vector<AnswerMessage> QueueLink::read_answers(std::chrono::milliseconds patience) {
  RedisConnection::Words words{"XREAD", "COUNT", "64"};
  const std::string wait = std::to_string(patience.count());
  if (patience.count() > 0) words.insert(words.end(), {"BLOCK", wait});
  const std::string answers = keys_.answers();
  words.insert(words.end(), {"STREAMS", answers, last_answer_});
  const auto reply = command(words, patience + RedisConnection::kPatience);
  std::vector<AnswerMessage> all;
  const std::vector<RedisReply>* entries = reply ? entries_of(*reply) : nullptr;
  if (!entries || entries->empty()) return all;
  RedisConnection::Words done{"XDEL", answers};
  for (const RedisReply& entry : *entries) {
    if (entry.items.size() < 2 || entry.items[1].items.size() < 2) continue;
    done.push_back(entry.items[0].text);
    if (auto answer = unpack_answer(entry.items[1].items[1].text)) all.push_back(std::move(*answer));
  }
  last_answer_ = entries->back().items.at(0).text;
  send(done);
  return all;
}

void QueueLink::refuse(const std::string& worker) { send({"SADD", keys_.refused(), worker}); }

const std::vector<MachineStatus>& QueueLink::machines() {
  const Clock::time_point now = Clock::now();
  if (now - looked_ < kLookAgain) return machines_;
  looked_ = now;
  const auto reply = command({"HGETALL", keys_.workers()});
  machines_.clear();
  workers_ = 0;
  if (!reply || reply->kind != RedisReply::List) return machines_;
  for (size_t i = 0; i + 1 < reply->items.size(); i += 2) {
    const std::string& worker = reply->items[i].text;
    const std::optional<WorkerReport> report = unpack_report(reply->items[i + 1].text);
    if (!report) continue;
    Sign& sign = signs_.try_emplace(worker, Sign{0, now}).first->second;
    if (sign.beat != report->beat) sign = {report->beat, now};
    if (now - sign.seen > std::chrono::milliseconds(kSilenceMilliseconds)) {
      send({"HDEL", keys_.workers(), worker});
      continue;
    }
    auto machine = std::ranges::find(machines_, report->machine, &MachineStatus::name);
    if (machine == machines_.end()) machine = machines_.insert(machine, MachineStatus{report->machine});
    ++workers_;
    ++machine->workers;
    machine->executions += report->executions;
    machine->busy += report->busy;
    machine->seconds += report->seconds;
  }
  return machines_;
}

}  // namespace lockstep
