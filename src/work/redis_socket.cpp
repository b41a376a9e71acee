#include "work/redis_socket.hpp"

#include <netdb.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace lockstep {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kConnectPatience = std::chrono::seconds(5);
constexpr const char* kTooSlow = "no answer in time";
constexpr const char* kClosed = "it closed the connection";

std::string tls_problem(ssl_st* tls) {
  if (const long verified = SSL_get_verify_result(tls); verified != X509_V_OK)
    return std::string("its certificate is not trusted (") + X509_verify_cert_error_string(verified) +
           "); SSL_CERT_FILE names a file with trusted ones";
  char text[256] = "TLS failed";
  if (const unsigned long code = ERR_get_error()) ERR_error_string_n(code, text, sizeof text);
  return text;
}

}  // namespace

RedisSocket::~RedisSocket() {
  if (tls_) SSL_free(tls_);
  if (context_) SSL_CTX_free(context_);
  if (fd_ >= 0) ::close(fd_);
}

std::string RedisSocket::wait_for(short events, Clock::time_point deadline) const {
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left < 0) return kTooSlow;
    pollfd wanted{fd_, events, 0};
    const int ready = ::poll(&wanted, 1, static_cast<int>(std::min<long>(left + 1, 1000)));
    if (ready > 0) return {};
    if (ready < 0 && errno != EINTR) return std::strerror(errno);
  }
}

std::string RedisSocket::connect_to(const QueueAddress& address) {
  addrinfo hints{}, *found = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  if (const int code = ::getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &found))
    return ::gai_strerror(code);
  std::string problem = "no address";
  for (const addrinfo* one = found; one && !problem.empty(); one = one->ai_next) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = ::socket(one->ai_family, one->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, one->ai_protocol);
    problem.clear();
    if (fd_ < 0 || (::connect(fd_, one->ai_addr, one->ai_addrlen) != 0 && errno != EINPROGRESS)) {
      problem = std::strerror(errno);
      continue;
    }
    problem = wait_for(POLLOUT, Clock::now() + kConnectPatience);
    int code = 0;
    socklen_t size = sizeof code;
    if (problem.empty() && ::getsockopt(fd_, SOL_SOCKET, SO_ERROR, &code, &size) == 0 && code != 0)
      problem = std::strerror(code);
  }
  ::freeaddrinfo(found);
  return problem;
}

std::string RedisSocket::start_tls(const std::string& host) {
  context_ = SSL_CTX_new(TLS_client_method());
  if (!context_ || SSL_CTX_set_default_verify_paths(context_) != 1) return "TLS cannot be used";
  SSL_CTX_set_verify(context_, SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_mode(context_, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  tls_ = SSL_new(context_);
  X509_VERIFY_PARAM* expected = SSL_get0_param(tls_);
  if (X509_VERIFY_PARAM_set1_ip_asc(expected, host.c_str()) != 1) {
    SSL_set1_host(tls_, host.c_str());
    SSL_set_tlsext_host_name(tls_, host.c_str());
  }
  SSL_set_fd(tls_, fd_);
  const Clock::time_point deadline = Clock::now() + kConnectPatience;
  for (int done = SSL_connect(tls_); done != 1; done = SSL_connect(tls_)) {
    const int why = SSL_get_error(tls_, done);
    if (why != SSL_ERROR_WANT_READ && why != SSL_ERROR_WANT_WRITE) return tls_problem(tls_);
    if (std::string problem = wait_for(why == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT, deadline); !problem.empty())
      return problem;
  }
  return {};
}

std::string RedisSocket::open(const QueueAddress& address) {
  if (std::string problem = connect_to(address); !problem.empty()) return problem;
  const int on = 1;
  ::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  ::setsockopt(fd_, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  return address.tls ? start_tls(address.host) : std::string();
}

std::string RedisSocket::write(std::string_view bytes, std::chrono::milliseconds patience) {
  Clock::time_point deadline = Clock::now() + patience;
  while (!bytes.empty()) {
    short wanted = POLLOUT;
    ssize_t done = 0;
    if (tls_) {
      done = SSL_write(tls_, bytes.data(), static_cast<int>(std::min<size_t>(bytes.size(), 1 << 20)));
      const int why = done > 0 ? SSL_ERROR_NONE : SSL_get_error(tls_, static_cast<int>(done));
      if (why == SSL_ERROR_WANT_READ) wanted = POLLIN;
      if (done <= 0 && why != SSL_ERROR_WANT_READ && why != SSL_ERROR_WANT_WRITE) return kClosed;
    } else {
      done = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (done < 0 && errno != EAGAIN && errno != EINTR) return std::strerror(errno);
    }
    if (done > 0) {
      bytes.remove_prefix(static_cast<size_t>(done));
      deadline = Clock::now() + patience;
    } else if (std::string problem = wait_for(wanted, deadline); !problem.empty()) {
      return problem;
    }
  }
  return {};
}

std::string RedisSocket::read_some(char* to, size_t room, Clock::time_point deadline) {
  for (;;) {
    short wanted = POLLIN;
    const ssize_t done = tls_ ? SSL_read(tls_, to, static_cast<int>(room)) : ::recv(fd_, to, room, 0);
    if (done > 0) {
      got_ = static_cast<size_t>(done);
      return {};
    }
    if (tls_) {
      const int why = SSL_get_error(tls_, static_cast<int>(done));
      if (why == SSL_ERROR_WANT_WRITE) wanted = POLLOUT;
      if (why != SSL_ERROR_WANT_READ && why != SSL_ERROR_WANT_WRITE) return kClosed;
    } else if (done == 0) {
      return kClosed;
    } else if (errno != EAGAIN && errno != EINTR) {
      return std::strerror(errno);
    }
    if (std::string problem = wait_for(wanted, deadline); !problem.empty()) return problem;
  }
}

}  // namespace lockstep
