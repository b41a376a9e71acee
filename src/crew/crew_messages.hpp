// What passes between the coordinator and a worker of its crew.
#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/channel.hpp"
#include "search/base/unit_list.hpp"
#include "target/target.hpp"

namespace lockstep {

struct CrewOrder {
  std::vector<ThreadTable::Entry> threads;  // all that have a number
  Unit unit;
};
std::string pack(const CrewOrder& order);
std::optional<CrewOrder> unpack_order(const std::string& bytes);

// What the program showed while a unit was explored (UnitResult::target).
struct ProgramNews {
  uint64_t threads_before = 0;              // how many of them had a number when it began
  std::vector<ThreadTable::Entry> threads;  // afterwards
  std::set<Fact> facts;
  std::set<std::string> libraries;
  std::vector<uint64_t> native_loops;
  uint64_t resumed = 0;  // executions
};
std::string pack(const ProgramNews& news);
std::optional<ProgramNews> unpack_news(const std::string& bytes);
// Threads get their numbers in the order of the executions. False: it met threads without one, and is not the first of
// all that are open; then nothing of it counts.
bool take_over(const ProgramNews& news, bool is_first, Target& target);

// A message is its length and its bytes. False: nobody reads or writes there any more.
bool send_message(int socket, const std::string& bytes);
bool receive_message(int socket, std::string& bytes);
// Takes what has come, without waiting. False: there will be no more.
bool receive_available(int socket, std::string& buffer);
std::optional<std::string> take_message(std::string& buffer);  // if it is there as a whole

}  // namespace lockstep
