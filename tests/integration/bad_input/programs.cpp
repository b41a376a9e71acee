// What programs do that a tool does not expect. Each either works, or is refused with a sentence that names the call.
// ./programs NAME runs one.
#undef NDEBUG
#include <arpa/inet.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>

extern char** environ;

namespace {

std::mutex mutex;
int shared_value = 0;

void together(void (*body)()) {
  std::thread other(body);
  body();
  other.join();
}
void add() {
  std::lock_guard lock(mutex);
  ++shared_value;
}

void reads_terminal() {
  together(add);
  FILE* terminal = fopen("/dev/tty", "r");
  char line[16];
  if (terminal && fgets(line, sizeof line, terminal)) assert(line[0] != 0);
}
void reads_input() {
  together(add);
  std::string line;
  while (std::getline(std::cin, line)) assert(!line.empty());
}

int deeper(int n) {
  volatile char frame[4096];
  frame[0] = static_cast<char>(n);
  return deeper(n + 1) + frame[0];
}
void overflows_a_thread() {
  std::thread([] { deeper(0); }).join();
}
void overflows_main() {
  together(add);
  deeper(0);
}

void handles_its_faults() {
  static sigjmp_buf back;
  struct sigaction action {};
  action.sa_handler = [](int) { siglongjmp(back, 1); };
  sigaction(SIGSEGV, &action, nullptr);
  for (int i = 0; i < 3; ++i)
    if (sigsetjmp(back, 1) == 0) *reinterpret_cast<volatile int*>(16) = 1;
  together(add);
}
void handles_faults_on_its_own_stack() {
  static char stack[64 << 10];
  stack_t mine{};
  mine.ss_sp = stack;
  mine.ss_size = sizeof stack;
  assert(sigaltstack(&mine, nullptr) == 0);
  stack_t now{};
  assert(sigaltstack(nullptr, &now) == 0 && now.ss_sp == stack);
  static std::atomic<bool> on_it{false};
  on_it = false;
  struct sigaction action {};
  action.sa_flags = SA_ONSTACK;
  action.sa_handler = [](int) { on_it = true; };
  sigaction(SIGUSR1, &action, nullptr);
  raise(SIGUSR1);
  assert(on_it);
  together(add);
}
void repairs_its_faults() {  // write barriers by page protection, as garbage collectors have them
  static char* page = static_cast<char*>(mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  struct sigaction action {};
  action.sa_flags = SA_SIGINFO;
  action.sa_sigaction = [](int, siginfo_t* info, void*) {
    assert(info->si_addr >= page && info->si_addr < page + 4096);
    mprotect(page, 4096, PROT_READ | PROT_WRITE);
  };
  sigaction(SIGSEGV, &action, nullptr);
  together([] {
    std::lock_guard lock(mutex);
    ++page[0];
  });
  assert(page[0] == 2);
}

void forks() {
  std::thread other(add);
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
  other.join();
}
void forks_alone() {  // before there is any other thread
  const pid_t child = fork();
  if (child == 0) _exit(3);
  int status = 0;
  assert(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 3);
  together(add);
}
void executes() { execl("/bin/true", "true", nullptr); }
void spawns() {
  pid_t child;
  char name[] = "true";
  char* arguments[] = {name, nullptr};
  posix_spawn(&child, "/bin/true", nullptr, nullptr, arguments, environ);
  waitpid(child, nullptr, 0);
}
void waits_for_a_slow_child() {  // one that somebody impatient might signal
  pid_t child;
  char name[] = "sleep", time[] = "0.4";
  char* arguments[] = {name, time, nullptr};
  assert(posix_spawn(&child, "/bin/sleep", nullptr, nullptr, arguments, environ) == 0);
  int status = 0;
  assert(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
void vforks() {
  const pid_t child = vfork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
}
void calls_system() { assert(system("true") == 0); }
void opens_a_process() {
  FILE* out = popen("echo hello", "r");
  char line[16];
  assert(fgets(line, sizeof line, out));
  pclose(out);
}
void reads_from_a_slow_process() {  // slower than anything that the program's own threads do
  std::thread reader([] {
    FILE* out = popen("sleep 0.2; echo late", "r");
    char line[16];
    assert(fgets(line, sizeof line, out));
    pclose(out);
  });
  reader.join();
}
void becomes_a_daemon() { daemon(1, 1); }

void leaves_at_once() {
  std::thread other(add);
  _exit(0);
}
void leaves_with_code() {
  std::thread other(add);
  other.join();
  _Exit(7);
}
void jumps_across_frames() {
  static jmp_buf back;
  auto body = [] {
    thread_local jmp_buf mine;
    if (setjmp(mine) == 0) [](jmp_buf& b) { longjmp(b, 1); }(mine);
    add();
  };
  together(body);
  if (setjmp(back) == 0) longjmp(back, 1);
}
void switches_contexts() {
  static ucontext_t main_context, other_context;
  static char stack[64 << 10];
  static int visits;
  visits = 0;
  getcontext(&other_context);
  other_context.uc_stack.ss_sp = stack;
  other_context.uc_stack.ss_size = sizeof stack;
  other_context.uc_link = &main_context;
  makecontext(
      &other_context,
      [] {
        std::lock_guard lock(mutex);
        ++visits;
      },
      0);
  std::thread other(add);
  swapcontext(&main_context, &other_context);
  other.join();
  assert(visits == 1);
}
void loads_a_library() {
  std::thread other(add);
  void* handle = dlopen("libm.so.6", RTLD_NOW);
  assert(handle);
  auto* cosine = reinterpret_cast<double (*)(double)>(dlsym(handle, "cos"));
  assert(cosine(0) == 1);
  dlclose(handle);
  other.join();
}
void loads_what_is_not_there() {
  std::thread other(add);
  assert(dlopen("libdoes-not-exist.so.9", RTLD_NOW) == nullptr && dlerror() != nullptr);
  other.join();
}
void throws_through_noexcept() {
  std::thread([]() noexcept { throw std::runtime_error("through"); }).join();
}
void throws_out_of_a_thread() {
  std::thread([] { throw 42; }).join();
}
void leaves_a_thread_unjoined() { std::thread other(add); }
void closes_everything() {
  std::thread other(add);
  for (int fd = 3; fd < 1024; ++fd) close(fd);
  other.join();
}
void closes_standard_output() {
  std::thread other(add);
  close(1);
  close(2);
  other.join();
}
void makes_its_own_output() {
  int ends[2];
  assert(pipe(ends) == 0);
  const int saved = dup(1);
  dup2(ends[1], 1);
  std::thread other([] { std::printf("captured\n"), std::fflush(stdout); });
  other.join();
  char text[16] = {};
  assert(read(ends[0], text, sizeof text) == 9);
  dup2(saved, 1);
}
void limits_itself() {
  std::thread other(add);
  nice(1);
  alarm(0);
  other.join();
}
void waits_for_the_outside() {
  const int fd = socket(AF_INET, SOCK_DGRAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  assert(bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  std::thread other(add);
  char text[16];
  recv(fd, text, sizeof text, 0);
  other.join();
}
void changes_folder() {
  char before[4096], after[4096];
  assert(getcwd(before, sizeof before) && strcmp(before, "/") != 0);
  std::thread other(add);
  assert(chdir("/") == 0 && getcwd(after, sizeof after) && strcmp(after, "/") == 0);
  other.join();
}
void changes_environment() {
  assert(getenv("LOCKSTEP_EVERYDAY") == nullptr);
  std::thread other(add);
  setenv("LOCKSTEP_EVERYDAY", "1", 1);
  other.join();
}

struct Entry {
  const char* name;
  void (*body)();
} const kAll[] = {
#define ENTRY(name) \
  { #name, name }
    ENTRY(reads_terminal),
    ENTRY(reads_input),
    ENTRY(overflows_a_thread),
    ENTRY(overflows_main),
    ENTRY(handles_its_faults),
    ENTRY(handles_faults_on_its_own_stack),
    ENTRY(repairs_its_faults),
    ENTRY(forks),
    ENTRY(forks_alone),
    ENTRY(executes),
    ENTRY(spawns),
    ENTRY(waits_for_a_slow_child),
    ENTRY(vforks),
    ENTRY(calls_system),
    ENTRY(opens_a_process),
    ENTRY(reads_from_a_slow_process),
    ENTRY(becomes_a_daemon),
    ENTRY(leaves_at_once),
    ENTRY(leaves_with_code),
    ENTRY(jumps_across_frames),
    ENTRY(switches_contexts),
    ENTRY(loads_a_library),
    ENTRY(loads_what_is_not_there),
    ENTRY(throws_through_noexcept),
    ENTRY(throws_out_of_a_thread),
    ENTRY(leaves_a_thread_unjoined),
    ENTRY(closes_everything),
    ENTRY(closes_standard_output),
    ENTRY(makes_its_own_output),
    ENTRY(limits_itself),
    ENTRY(waits_for_the_outside),
    ENTRY(changes_folder),
    ENTRY(changes_environment),
};

}  // namespace

int main(int argc, char** argv) {
  for (const Entry& entry : kAll) {
    if (argc < 2)
      std::puts(entry.name);
    else if (strcmp(argv[1], entry.name) == 0)
      entry.body();
  }
  return 0;
}
