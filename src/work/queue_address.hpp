// Where a queue is: redis://[user:password@]host[:port]/name, or rediss:// for TLS.
#pragma once
#include <cstdint>
#include <string>

#include "model/result.hpp"

namespace lockstep {

struct QueueAddress {
  bool tls = false;
  std::string user, password;  // percent-decoded; empty: none
  std::string host;
  uint16_t port = 6379;
  std::string name;  // letters, digits and "-_."

  std::string server() const;   // "host:port", for messages
  std::string display() const;  // the whole address without the password
};

// An error says what is wrong with the text, as in "--queue <what is wrong>"; it never repeats the password.
Result<QueueAddress> parse_queue_address(const std::string& text);

}  // namespace lockstep
