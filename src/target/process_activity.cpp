// Reads the state of processes from /proc.
#include "target/process_activity.hpp"

#include <sys/syscall.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

namespace lockstep {
namespace {

namespace fs = std::filesystem;

// System calls that can block for long.
constexpr std::pair<long, const char*> kBlocking[] = {
    {SYS_accept, "accept"},
    {SYS_accept4, "accept4"},
    {SYS_clock_nanosleep, "clock_nanosleep"},
    {SYS_connect, "connect"},
    {SYS_epoll_pwait, "epoll_pwait"},
    {SYS_epoll_wait, "epoll_wait"},
    {SYS_fcntl, "fcntl"},
    {SYS_flock, "flock"},
    {SYS_fsync, "fsync"},
    {SYS_futex, "futex"},
    {SYS_io_getevents, "io_getevents"},
    {SYS_io_uring_enter, "io_uring_enter"},
    {SYS_mq_timedreceive, "mq_timedreceive"},
    {SYS_mq_timedsend, "mq_timedsend"},
    {SYS_msgrcv, "msgrcv"},
    {SYS_msgsnd, "msgsnd"},
    {SYS_nanosleep, "nanosleep"},
    {SYS_open, "open"},
    {SYS_openat, "openat"},
    {SYS_pause, "pause"},
    {SYS_poll, "poll"},
    {SYS_ppoll, "ppoll"},
    {SYS_pselect6, "pselect6"},
    {SYS_read, "read"},
    {SYS_readv, "readv"},
    {SYS_recvfrom, "recvfrom"},
    {SYS_recvmmsg, "recvmmsg"},
    {SYS_recvmsg, "recvmsg"},
    {SYS_rt_sigsuspend, "rt_sigsuspend"},
    {SYS_rt_sigtimedwait, "rt_sigtimedwait"},
    {SYS_select, "select"},
    {SYS_semop, "semop"},
    {SYS_semtimedop, "semtimedop"},
    {SYS_sendmsg, "sendmsg"},
    {SYS_sendto, "sendto"},
    {SYS_wait4, "wait4"},
    {SYS_waitid, "waitid"},
    {SYS_write, "write"},
    {SYS_writev, "writev"},
};

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The state of a thread in "123 (name) S ...", where the name may contain any character.
char state_of(const fs::path& task) {
  const std::string stat = text_of(task / "stat");
  const size_t end = stat.rfind(") ");
  return end == std::string::npos || end + 2 >= stat.size() ? '?' : stat[end + 2];
}

// "0 0x3 0x1 ..." while the thread waits in a system call, "running" otherwise.
std::string call_of(const fs::path& task) {
  const std::string text = text_of(task / "syscall");
  if (text.empty() || text[0] < '0' || text[0] > '9') return {};
  const long number = std::stol(text);
  for (const auto& [known, name] : kBlocking)
    if (known == number) return name;
  return "number " + std::to_string(number);
}

}  // namespace

ProcessActivity activity_of(pid_t process) {
  ProcessActivity activity;
  std::error_code error;
  for (const fs::directory_entry& task : fs::directory_iterator("/proc/" + std::to_string(process) + "/task", error)) {
    const char state = state_of(task.path());
    if (state == 'R' || state == 'T' || state == 't') activity.runs = true;
    if (activity.sleeps_in.empty()) activity.sleeps_in = call_of(task.path());
    std::ifstream children(task.path() / "children");
    for (pid_t child = 0; !activity.runs && children >> child;) activity.runs = activity_of(child).runs;
    if (activity.runs) return activity;
  }
  return activity;
}

}  // namespace lockstep
