#include "crew/crew_messages.hpp"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "search/base/saved_state.hpp"

namespace lockstep {

std::string pack(const CrewOrder& order) {
  StateWriter out;
  out.put_all(order.threads);
  out.put(order.unit.number);
  out.put(order.unit.rank);
  out.put(order.unit.size);
  out.put_text(order.unit.bytes);
  return std::move(out.bytes());
}

std::optional<CrewOrder> unpack_order(const std::string& bytes) {
  StateReader in(bytes);
  CrewOrder order;
  order.threads = in.get_all<ThreadTable::Entry>();
  order.unit.number = in.get<uint64_t>();
  order.unit.rank = in.get<uint64_t>();
  order.unit.size = in.get<uint64_t>();
  order.unit.bytes = in.get_text();
  if (!in.good() || !in.at_end()) return std::nullopt;
  return order;
}

std::string pack(const ProgramNews& news) {
  StateWriter out;
  out.put(news.threads_before);
  out.put_all(news.threads);
  out.put_all(std::vector<Fact>(news.facts.begin(), news.facts.end()));
  out.put<uint64_t>(news.libraries.size());
  for (const std::string& library : news.libraries) out.put_text(library);
  out.put_all(news.native_loops);
  out.put(news.resumed);
  return std::move(out.bytes());
}

std::optional<ProgramNews> unpack_news(const std::string& bytes) {
  StateReader in(bytes);
  ProgramNews news;
  news.threads_before = in.get<uint64_t>();
  news.threads = in.get_all<ThreadTable::Entry>();
  for (const Fact& fact : in.get_all<Fact>()) {
    if (fact.kind >= FactKind::kCount) in.reject();
    news.facts.insert(fact);
  }
  for (auto count = in.get<uint64_t>(); count > 0 && in.good(); --count) news.libraries.insert(in.get_text());
  news.native_loops = in.get_all<uint64_t>();
  news.resumed = in.get<uint64_t>();
  if (!in.good() || !in.at_end() || news.threads_before > news.threads.size()) return std::nullopt;
  return news;
}

bool take_over(const ProgramNews& news, bool is_first, Target& target) {
  const bool met_new = news.threads.size() > news.threads_before;
  if (met_new && !(is_first && news.threads_before == target.threads().size())) return false;
  if (met_new) target.adopt_threads(news.threads);
  target.adopt(news.facts, news.libraries, news.resumed);
  target.adopt_loops(news.native_loops);
  return true;
}

namespace {

bool send_all(int socket, const char* data, size_t size) {
  while (size > 0) {
    const ssize_t sent = ::send(socket, data, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    data += sent;
    size -= static_cast<size_t>(sent);
  }
  return true;
}

bool receive_all(int socket, char* data, size_t size) {
  while (size > 0) {
    const ssize_t got = ::recv(socket, data, size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    data += got;
    size -= static_cast<size_t>(got);
  }
  return true;
}

}  // namespace

bool send_message(int socket, const std::string& bytes) {
  const uint64_t size = bytes.size();
  return send_all(socket, reinterpret_cast<const char*>(&size), sizeof size) &&
         send_all(socket, bytes.data(), bytes.size());
}

bool receive_message(int socket, std::string& bytes) {
  uint64_t size = 0;
  if (!receive_all(socket, reinterpret_cast<char*>(&size), sizeof size)) return false;
  bytes.resize(size);
  return receive_all(socket, bytes.data(), size);
}

bool receive_available(int socket, std::string& buffer) {
  constexpr size_t kPiece = 1 << 16;
  for (;;) {
    const size_t before = buffer.size();
    buffer.resize(before + kPiece);
    const ssize_t got = ::recv(socket, buffer.data() + before, kPiece, MSG_DONTWAIT);
    buffer.resize(before + (got > 0 ? static_cast<size_t>(got) : 0));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
    if (got == 0) return false;
  }
}

std::optional<std::string> take_message(std::string& buffer) {
  uint64_t size = 0;
  if (buffer.size() < sizeof size) return std::nullopt;
  std::memcpy(&size, buffer.data(), sizeof size);
  if (buffer.size() - sizeof size < size) return std::nullopt;
  std::string message = buffer.substr(sizeof size, size);
  buffer.erase(0, sizeof size + size);
  return message;
}

}  // namespace lockstep
