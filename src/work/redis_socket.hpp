// A stream of bytes to a server, with or without TLS. Every function gives what went wrong; empty: nothing.
#pragma once
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "work/queue_address.hpp"

struct ssl_st;
struct ssl_ctx_st;

namespace lockstep {

class RedisSocket {
 public:
  RedisSocket() = default;
  ~RedisSocket();
  RedisSocket(const RedisSocket&) = delete;

  std::string open(const QueueAddress& address);
  std::string write(std::string_view bytes, std::chrono::milliseconds patience);
  std::string read_some(char* to, size_t room, std::chrono::steady_clock::time_point deadline);
  size_t got() const { return got_; }  // bytes of the last read_some()

 private:
  std::string connect_to(const QueueAddress& address);
  std::string start_tls(const std::string& host);
  std::string wait_for(short events, std::chrono::steady_clock::time_point deadline) const;

  int fd_ = -1;
  ssl_ctx_st* context_ = nullptr;
  ssl_st* tls_ = nullptr;
  size_t got_ = 0;
};

}  // namespace lockstep
