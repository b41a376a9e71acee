#include "work/redis.hpp"

#include <hiredis/read.h>

#include "work/redis_socket.hpp"

namespace lockstep {
namespace {

using Clock = std::chrono::steady_clock;

// hiredis builds a reply from the leaves by these; the objects are ours.
RedisReply* place_for(const redisReadTask* task) {
  if (!task->parent) return new RedisReply;
  auto* parent = static_cast<RedisReply*>(task->parent->obj);
  return &parent->items[static_cast<size_t>(task->idx)];
}
void* make_text(const redisReadTask* task, char* text, size_t size) {
  RedisReply* reply = place_for(task);
  reply->kind = task->type == REDIS_REPLY_ERROR ? RedisReply::Problem : RedisReply::Text;
  reply->text.assign(text, size);
  return reply;
}
void* make_list(const redisReadTask* task, int size) {
  RedisReply* reply = place_for(task);
  reply->kind = RedisReply::List;
  reply->items.resize(static_cast<size_t>(size));
  return reply;
}
void* make_integer(const redisReadTask* task, long long value) {
  RedisReply* reply = place_for(task);
  reply->kind = RedisReply::Integer;
  reply->integer = value;
  return reply;
}
void* make_nil(const redisReadTask* task) { return place_for(task); }
void free_reply(void* reply) { delete static_cast<RedisReply*>(reply); }
redisReplyObjectFunctions kReplyFunctions{make_text, make_list, make_integer, make_nil, free_reply};

std::string in_wire_format(const RedisConnection::Words& words) {
  std::string out = "*" + std::to_string(words.size()) + "\r\n";
  for (const std::string_view word : words) {
    out += "$" + std::to_string(word.size()) + "\r\n";
    out += word;
    out += "\r\n";
  }
  return out;
}

}  // namespace

struct RedisConnection::Reader {
  redisReader* reader = redisReaderCreateWithFunctions(&kReplyFunctions);
  Reader() { reader->maxbuf = size_t{1} << 20; }
  ~Reader() { redisReaderFree(reader); }
};

RedisConnection::RedisConnection() : socket_(std::make_unique<RedisSocket>()), reader_(std::make_unique<Reader>()) {}
RedisConnection::~RedisConnection() = default;

Result<std::unique_ptr<RedisConnection>> RedisConnection::open(const QueueAddress& address) {
  std::unique_ptr<RedisConnection> connection(new RedisConnection);
  if (const std::string problem = connection->socket_->open(address); !problem.empty())
    return Error{ExitCode::Usage, "cannot reach Redis at " + address.server() + ": " + problem};
  if (!connection->log_in(address)) return Error{ExitCode::Usage, connection->problem_};
  return connection;
}

bool RedisConnection::log_in(const QueueAddress& address) {
  Words words{"AUTH"};
  if (!address.user.empty()) words.push_back(address.user);
  words.push_back(address.password);
  const bool wanted = !address.password.empty() || !address.user.empty();
  const std::optional<RedisReply> reply = wanted ? command(words) : command({"PING"});
  if (!reply) {
    problem_ = "cannot reach Redis at " + address.server() + ": " + problem_;
  } else if (reply->is_error("NOAUTH")) {
    problem_ = "Redis at " + address.server() + " wants a password; give it as redis://user:password@host:port/name";
  } else if (reply->is_error("WRONGPASS") || reply->is_error("ERR AUTH") || reply->is_error("ERR invalid password")) {
    problem_ = "Redis at " + address.server() + " refuses the user or the password of the address";
  } else if (reply->kind == RedisReply::Problem) {
    problem_ = "Redis at " + address.server() + " says: " + reply->text;
  }
  return problem_.empty();
}

bool RedisConnection::write_all(std::string_view bytes) {
  if (is_lost()) return false;
  if (const std::string problem = socket_->write(bytes, kPatience); !problem.empty()) problem_ = problem;
  return !is_lost();
}

bool RedisConnection::send(const Words& words) {
  if (!write_all(in_wire_format(words))) return false;
  ++unread_;
  return true;
}

std::optional<RedisReply> RedisConnection::command(const Words& words, std::chrono::milliseconds patience) {
  if (!write_all(in_wire_format(words))) return std::nullopt;
  const Clock::time_point deadline = Clock::now() + patience;
  for (; unread_ > 0; --unread_)
    if (!read_reply(deadline)) return std::nullopt;
  return read_reply(deadline);
}

std::optional<RedisReply> RedisConnection::read_reply(Clock::time_point deadline) {
  for (;;) {
    void* object = nullptr;
    if (redisReaderGetReply(reader_->reader, &object) != REDIS_OK) {
      problem_ = "it does not speak Redis's protocol";
      return std::nullopt;
    }
    if (object) {
      const std::unique_ptr<RedisReply> reply(static_cast<RedisReply*>(object));
      return std::move(*reply);
    }
    char bytes[1 << 16];
    const std::string problem = socket_->read_some(bytes, sizeof bytes, deadline);
    if (!problem.empty()) {
      problem_ = problem;
      return std::nullopt;
    }
    redisReaderFeed(reader_->reader, bytes, socket_->got());
  }
}

}  // namespace lockstep
