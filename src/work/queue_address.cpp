#include "work/queue_address.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

namespace lockstep {
namespace {

constexpr const char* kForm = "redis://[user:password@]host:port/name";

Error wrong_address(const std::string& what) { return {ExitCode::Usage, what + "; write it as " + kForm}; }

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    unsigned value = 0;
    if (i + 2 >= text.size()) return std::nullopt;
    const auto [end, error] = std::from_chars(text.data() + i + 1, text.data() + i + 3, value, 16);
    if (error != std::errc{} || end != text.data() + i + 3) return std::nullopt;
    out += static_cast<char>(value);
    i += 2;
  }
  return out;
}

bool is_name(std::string_view name) {
  return !name.empty() && name.size() <= 100 &&
         std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '_' || c == '.'; });
}

std::optional<Error> read_user(std::string_view text, QueueAddress& address) {
  const size_t colon = text.find(':');
  const auto user = percent_decoded(text.substr(0, colon));
  const auto password = colon == text.npos ? std::string() : percent_decoded(text.substr(colon + 1));
  if (!user || !password) return wrong_address("has a '%' in user or password without two hexadecimal digits after it");
  address.user = *user;
  address.password = *password;
  return std::nullopt;
}

std::optional<Error> read_host(std::string_view text, QueueAddress& address) {
  std::string_view port;
  if (text.starts_with('[')) {  // an IPv6 address
    const size_t end = text.find(']');
    if (end == text.npos) return wrong_address("has a '[' without a ']'");
    address.host = text.substr(1, end - 1);
    port = text.substr(end + 1);
  } else {
    const size_t colon = std::min(text.find(':'), text.size());
    address.host = text.substr(0, colon);
    port = text.substr(colon);
  }
  if (address.host.empty()) return wrong_address("has no host");
  if (port.empty()) return std::nullopt;
  unsigned number = 0;
  const auto [end, error] = std::from_chars(port.data() + 1, port.data() + port.size(), number);
  if (port[0] != ':' || error != std::errc{} || end != port.data() + port.size() || number == 0 || number > 65535)
    return wrong_address("has a port that is not a number from 1 to 65535");
  address.port = static_cast<uint16_t>(number);
  return std::nullopt;
}

}  // namespace

std::string QueueAddress::server() const {
  const bool brackets = host.find(':') != std::string::npos;
  return (brackets ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

std::string QueueAddress::display() const {
  return std::string(tls ? "rediss://" : "redis://") + server() + "/" + name;
}

Result<QueueAddress> parse_queue_address(const std::string& text) {
  QueueAddress address;
  std::string_view rest = text;
  if (rest.starts_with("rediss://"))
    address.tls = true;
  else if (!rest.starts_with("redis://"))
    return wrong_address("does not begin with redis:// or rediss://");
  rest.remove_prefix(address.tls ? 9 : 8);
  const size_t slash = rest.rfind('/');
  if (slash == rest.npos || !is_name(rest.substr(slash + 1)))
    return wrong_address("has no queue name at its end (letters, digits, '-', '_', '.')");
  address.name = rest.substr(slash + 1);
  rest = rest.substr(0, slash);
  const size_t at = rest.rfind('@');
  if (at != rest.npos)
    if (auto error = read_user(rest.substr(0, at), address)) return *error;
  if (auto error = read_host(at == rest.npos ? rest : rest.substr(at + 1), address)) return *error;
  return address;
}

}  // namespace lockstep
