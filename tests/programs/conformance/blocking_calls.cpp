// Calls that wait in the kernel: a thread waits there until another lets it go on.
#include <fcntl.h>
#include <mqueue.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include "conformance.hpp"

static char place[] = "/tmp/lockstep-blocking-XXXXXX";
template <class F>
static void in_folder(F body) {
  assert(mkdtemp(place) && chdir(place) == 0);
  body();
  assert(chdir("/") == 0);
  ERRNO(rmdir(place));
}

// `second` waits until main does `let_go`.
template <class Second, class LetGo>
static void in_turn(Second second, LetGo let_go) {
  std::thread other(second);
  SHOW(true);
  let_go();
  other.join();
}

CASE(block_flock) {
  in_folder([] {
    const int a = open("a", O_CREAT | O_RDWR, 0600), b = open("a", O_RDWR);
    ERRNO(flock(a, LOCK_EX));
    ERRNO(flock(b, LOCK_EX | LOCK_NB));
    in_turn([=] { ERRNO(flock(b, LOCK_EX)); }, [=] { flock(a, LOCK_UN); });
    in_turn([=] { ERRNO(flock(a, LOCK_SH)); }, [=] { close(b); });  // closing lets go as well
    close(a);
    unlink("a");
  });
}

CASE(block_record_locks) {
  in_folder([] {
    const int a = open("a", O_CREAT | O_RDWR, 0600), b = open("a", O_RDWR);
    struct flock whole {};
    whole.l_type = F_WRLCK;
    ERRNO(fcntl(a, F_OFD_SETLKW, &whole));
    in_turn(
        [=] {
          struct flock mine = whole;
          ERRNO(fcntl(b, F_OFD_SETLKW, &mine));
        },
        [=] {
          struct flock none = whole;
          none.l_type = F_UNLCK;
          fcntl(a, F_OFD_SETLK, &none);
        });
    close(b);
    // Those of a process do not keep its own threads out.
    together([=] { ERRNO(lockf(a, F_LOCK, 1)); });
    together([=] { ERRNO(lockf64(a, F_LOCK, 1)); });
    together([=] { ERRNO(lockf(a, F_ULOCK, 1)); });
    close(a);
    unlink("a");
  });
}

CASE(block_named_pipe) {
  in_folder([] {
    ERRNO(mkfifo("a", 0600));
    std::thread writer([] {
      const int fd = open("a", O_WRONLY);
      assert(write(fd, "x", 1) == 1);
      close(fd);
    });
    const int fd = open("a", O_RDONLY);
    SHOW(fd >= 0);
    char c = 0;
    SHOW(read(fd, &c, 1));
    SHOW(read(fd, &c, 1));
    writer.join();
    close(fd);
    unlink("a");
  });
}

CASE(block_semop) {
  const int set = semget(IPC_PRIVATE, 1, 0600);
  if (set < 0) return;
  const auto change = [set](short by, short flags) {
    sembuf operation{0, by, flags};
    return semop(set, &operation, 1);
  };
  ERRNO(change(-1, IPC_NOWAIT));
  in_turn([=] { ERRNO(change(-1, 0)); }, [=] { change(1, 0); });
  ERRNO(semctl(set, 0, IPC_RMID));
}

CASE(block_messages) {
  const int queue = msgget(IPC_PRIVATE, 0600);
  if (queue < 0) return;
  struct Message {
    long type;
    char text[8];
  };
  in_turn(
      [=] {
        Message m;
        SHOW(msgrcv(queue, &m, sizeof m.text, 0, 0));
        SHOW(m.text[0]);
      },
      [=] {
        const Message m{1, "hello"};
        msgsnd(queue, &m, sizeof m.text, 0);
      });
  ERRNO(msgctl(queue, IPC_RMID, nullptr));
}

CASE(block_queue) {
  char name[64];
  std::snprintf(name, sizeof name, "/lockstep-%ld", static_cast<long>(getppid()));
  mq_attr attributes{};
  attributes.mq_maxmsg = 1;
  attributes.mq_msgsize = 8;
  mq_unlink(name);
  const mqd_t queue = mq_open(name, O_CREAT | O_RDWR, 0600, &attributes);
  if (queue < 0) return;
  char text[8] = {};
  in_turn(
      [&] {
        unsigned priority = 0;
        SHOW(mq_receive(queue, text, sizeof text, &priority));
        SHOW(text[0]);
      },
      [&] { mq_send(queue, "a", 1, 0); });
  const timespec passed = past();
  together([&] { ERRNO(mq_timedreceive(queue, text, sizeof text, nullptr, &passed)); });
  together([&] { ERRNO(mq_timedsend(queue, "b", 1, 0, &passed)); });
  in_turn([&] { ERRNO(mq_send(queue, "c", 1, 0)); }, [&] { mq_receive(queue, text, sizeof text, nullptr); });
  mq_close(queue);
  mq_unlink(name);
}
