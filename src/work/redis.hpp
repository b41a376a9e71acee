// A connection to a Redis (or Valkey) server. hiredis reads the replies; the socket is ours, so that it may speak TLS.
#pragma once
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.hpp"
#include "work/queue_address.hpp"

namespace lockstep {

class RedisSocket;

struct RedisReply {
  enum Kind : uint8_t { Nil, Problem, Text, Integer, List };
  Kind kind = Nil;
  int64_t integer = 0;
  std::string text;  // of Text and Problem
  std::vector<RedisReply> items;

  bool is_error(std::string_view code) const { return kind == Problem && text.starts_with(code); }
};

class RedisConnection {
 public:
  using Words = std::vector<std::string_view>;

  // Connects and logs in. The error is one sentence that names the server.
  static Result<std::unique_ptr<RedisConnection>> open(const QueueAddress& address);
  ~RedisConnection();
  RedisConnection(const RedisConnection&) = delete;

  // One command and its reply. None: the connection is lost, see problem(); it stays lost.
  std::optional<RedisReply> command(const Words& words, std::chrono::milliseconds patience = kPatience);
  // Sends a command whose reply does not matter: errors are ignored. Replies come in order, so command() skips these.
  bool send(const Words& words);

  bool is_lost() const { return !problem_.empty(); }
  const std::string& problem() const { return problem_; }

  static constexpr std::chrono::milliseconds kPatience{5000};

 private:
  struct Reader;
  RedisConnection();
  bool write_all(std::string_view bytes);
  std::optional<RedisReply> read_reply(std::chrono::steady_clock::time_point deadline);
  bool log_in(const QueueAddress& address);

  std::unique_ptr<RedisSocket> socket_;
  std::unique_ptr<Reader> reader_;
  uint64_t unread_ = 0;  // replies that nobody waits for
  std::string problem_;
};

}  // namespace lockstep
