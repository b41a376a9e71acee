// Threads that wait for each other through descriptors.
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstring>

#include "conformance.hpp"

static int p[2], q[2];

CASE(io_pipe) {
  assert(pipe(p) == 0 && pipe(q) == 0);
  int sum = 0;
  together(
      [] {
        for (char c = 1; c <= 3; ++c) {
          char back = 0;
          assert(write(p[1], &c, 1) == 1 && read(q[0], &back, 1) == 1 && back == c);
        }
      },
      [&] {
        for (int i = 0; i < 3; ++i) {
          char c = 0;
          assert(read(p[0], &c, 1) == 1);
          sum += c;
          assert(write(q[1], &c, 1) == 1);
        }
      });
  SHOW(sum);
  fcntl(p[0], F_SETFL, O_NONBLOCK);
  char c;
  ERRNO(read(p[0], &c, 1));
}

CASE(io_pipe_full) {  // writing blocks, too
  assert(pipe(p) == 0);
  fcntl(p[1], F_SETPIPE_SZ, 4096);
  static char block[4096];
  long total = 0;
  together(
      [] {
        for (int i = 0; i < 3; ++i) assert(write(p[1], block, sizeof block) == sizeof block);
        close(p[1]);
      },
      [&] {
        char in[4096];
        for (long n; (n = read(p[0], in, sizeof in)) > 0;) total += n;
      });
  SHOW(total);
}

CASE(io_vectors) {
  assert(pipe(p) == 0);
  char a[2] = {}, b[2] = {};
  together(
      [] {
        char x[] = "ab", y[] = "cd";
        iovec out[] = {{x, 2}, {y, 2}};
        assert(writev(p[1], out, 2) == 4);
      },
      [&] {
        iovec in[] = {{a, 2}, {b, 2}};
        assert(readv(p[0], in, 2) == 4);
      });
  std::printf("%.2s%.2s\n", a, b);
}

CASE(io_close) {
  assert(pipe(p) == 0);
  together([] { close(p[1]); },
           [] {
             char c;
             assert(read(p[0], &c, 1) == 0);
           });
  std::puts("end of file");
}

CASE(io_shutdown) {
  assert(socketpair(AF_UNIX, SOCK_STREAM, 0, p) == 0);
  together([] { shutdown(p[1], SHUT_WR); },
           [] {
             char c;
             assert(read(p[0], &c, 1) == 0);
           });
  std::puts("end of file");
}

CASE(io_socketpair) {
  assert(socketpair(AF_UNIX, SOCK_STREAM, 0, p) == 0);
  char got = 0;
  together(
      [] {
        char c = 7;
        assert(send(p[0], &c, 1, 0) == 1);
      },
      [&] { assert(recv(p[1], &got, 1, 0) == 1); });
  SHOW(got);
  ERRNO(recv(p[1], &got, 1, MSG_DONTWAIT));
}

CASE(io_messages) {
  assert(socketpair(AF_UNIX, SOCK_DGRAM, 0, p) == 0);
  char got[2] = {};
  together(
      [] {
        char c = 3;
        assert(sendto(p[0], &c, 1, 0, nullptr, 0) == 1);
      },
      [&] { assert(recvfrom(p[1], got, 1, 0, nullptr, nullptr) == 1); });
  together(
      [] {
        char c = 4;
        iovec v{&c, 1};
        msghdr m{};
        m.msg_iov = &v;
        m.msg_iovlen = 1;
        assert(sendmsg(p[0], &m, 0) == 1);
      },
      [&] {
        iovec v{got + 1, 1};
        msghdr m{};
        m.msg_iov = &v;
        m.msg_iovlen = 1;
        assert(recvmsg(p[1], &m, 0) == 1);
      });
  SHOW(got[0] * 10 + got[1]);
}

CASE(io_listen) {
  const int server = socket(AF_UNIX, SOCK_STREAM, 0);
  static sockaddr_un name;
  name.sun_family = AF_UNIX;  // no path: the kernel chooses an abstract name
  static socklen_t length;
  length = sizeof name;
  assert(bind(server, reinterpret_cast<sockaddr*>(&name), sizeof(sa_family_t)) == 0 && listen(server, 5) == 0);
  assert(getsockname(server, reinterpret_cast<sockaddr*>(&name), &length) == 0);
  auto call = [] {
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert(connect(fd, reinterpret_cast<sockaddr*>(&name), length) == 0);
    char c = 5;
    assert(write(fd, &c, 1) == 1 && read(fd, &c, 1) == 1 && c == 6);
  };
  together(call, [server] {
    const int fd = accept(server, nullptr, nullptr);
    char c = 0;
    assert(fd >= 0 && read(fd, &c, 1) == 1 && ++c == 6 && write(fd, &c, 1) == 1);
  });
  together(call, [server] {
    const int fd = accept4(server, nullptr, nullptr, SOCK_CLOEXEC);
    char c = 0;
    assert(fd >= 0 && read(fd, &c, 1) == 1 && ++c == 6 && write(fd, &c, 1) == 1);
  });
  std::puts("answered");
}

CASE(io_eventfd) {
  const int fd = eventfd(0, 0);
  eventfd_t value = 0;
  together([fd] { eventfd_write(fd, 5); }, [fd, &value] { assert(eventfd_read(fd, &value) == 0); });
  SHOW(value);
}

CASE(io_poll) {
  assert(pipe(p) == 0 && pipe(q) == 0);
  together(
      [] {
        char c = 1;
        assert(write(q[1], &c, 1) == 1);
      },
      [] {
        pollfd fds[] = {{p[0], POLLIN, 0}, {q[0], POLLIN, 0}};
        assert(poll(fds, 2, -1) == 1 && fds[1].revents & POLLIN && !fds[0].revents);
        timespec hour{3600, 0};
        assert(ppoll(fds, 2, &hour, nullptr) == 1);
        pollfd never{p[0], POLLIN, 0};
        SHOW(poll(&never, 1, 5));
        SHOW(poll(&never, 1, 0));
        timespec soon{0, 1000};
        SHOW(ppoll(&never, 1, &soon, nullptr));
      });
}

CASE(io_select) {
  assert(pipe(p) == 0);
  together(
      [] {
        char c = 1;
        assert(write(p[1], &c, 1) == 1);
      },
      [] {
        fd_set set;
        FD_ZERO(&set);
        FD_SET(p[0], &set);
        assert(select(p[0] + 1, &set, nullptr, nullptr, nullptr) == 1 && FD_ISSET(p[0], &set));
        assert(pselect(p[0] + 1, &set, nullptr, nullptr, nullptr, nullptr) == 1);
        char c;
        assert(read(p[0], &c, 1) == 1);
        timeval soon{0, 1000};
        SHOW(select(p[0] + 1, &set, nullptr, nullptr, &soon));
        FD_SET(p[0], &set);
        timespec also{0, 1000};
        SHOW(pselect(p[0] + 1, &set, nullptr, nullptr, &also, nullptr));
      });
}

CASE(io_epoll) {
  assert(pipe(p) == 0);
  const int e = epoll_create1(0);
  epoll_event in{};
  in.events = EPOLLIN;
  in.data.u32 = 9;
  together([e, &in] { assert(epoll_ctl(e, EPOLL_CTL_ADD, p[0], &in) == 0); },
           [] {
             char c = 1;
             assert(write(p[1], &c, 1) == 1);
           },
           [e] {
             epoll_event out{};
             assert(epoll_wait(e, &out, 1, -1) == 1 && out.data.u32 == 9);
             assert(epoll_pwait(e, &out, 1, -1, nullptr) == 1);
             char c;
             assert(read(p[0], &c, 1) == 1);
             SHOW(epoll_wait(e, &out, 1, 2));
             SHOW(epoll_pwait(e, &out, 1, 0, nullptr));
           });
}

// Each in a page of its own that nobody has written to.
alignas(4096) static char fresh[9][4096];
CASE(io_into_global_memory) {
  ERRNO(stat("/", reinterpret_cast<struct stat*>(fresh[0])));
  ERRNO(lstat("/", reinterpret_cast<struct stat*>(fresh[1])));
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  ERRNO(fstat(fd, reinterpret_cast<struct stat*>(fresh[2])));
  SHOW(getcwd(fresh[3], 4096) == fresh[3]);
  SHOW(readlink("/proc/self/exe", fresh[4], 4096) > 0);
  ERRNO(uname(reinterpret_cast<utsname*>(fresh[5])));
  socklen_t size = 100;
  ERRNO(getsockname(fd, reinterpret_cast<sockaddr*>(fresh[6]), &size));
  size = sizeof(int);
  ERRNO(getsockopt(fd, SOL_SOCKET, SO_TYPE, fresh[7], &size));
  alignas(4096) static int more[2048];
  ERRNO(pipe(more + 1024));
}

CASE(io_more_than_fits) {  // one write, many parts; and a read that wants all of it
  assert(pipe(p) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, q) == 0);
  static char big[300'000], back[300'000];
  memset(big, 'x', sizeof big);
  together([] { SHOW(write(p[1], big, sizeof big)); },
           [] {
             long total = 0;
             char part[5000];
             while (total < static_cast<long>(sizeof big)) total += read(p[0], part, sizeof part);
           });
  together([] { SHOW(send(q[1], big, sizeof big, 0) == sizeof big && close(q[1]) == 0); },
           [] { assert(recv(q[0], back, sizeof back, MSG_WAITALL) == sizeof back && back[sizeof back - 1] == 'x'); });
}
