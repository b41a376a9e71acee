#include "target/worker_process.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>

extern char** environ;

namespace lockstep {
namespace {

constexpr size_t kPlanRing = 1u << 20;
// Of one worker they shall stay in the processor's cache; of several none shall have to wait until they are read.
size_t trace_ring(bool alone) { return size_t{1} << (alone ? 19 : 21); }
constexpr size_t kFew = 24;
constexpr int kChannelFd = 240, kTableFd = 241, kCaptureFd = 242;

void futex_wait(std::atomic<uint32_t>& word, uint32_t expected, int milliseconds) {
  timespec limit{milliseconds / 1000, milliseconds % 1000 * 1'000'000l};
  syscall(SYS_futex, &word, FUTEX_WAIT, expected, &limit, nullptr, 0);
}
void futex_wake(std::atomic<uint32_t>& word) { syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0); }

// A trace of `steps` steps with stacks and wide sets, at worst.
size_t big_trace_bytes(uint32_t steps) {
  return (2ull * steps + (1u << 16)) * sizeof(Step) + (1ull << 29) + (1ull << 27);
}

std::string variable(std::string_view name) {
  const char* value = std::getenv(std::string(name).c_str());
  return value ? value : "";
}

// What the program's environment has besides the user's, and in its place.
std::vector<std::string> runtime_variables(const LaunchOptions& options) {
  std::vector<std::string> environment;
  const std::string preload = variable("LD_PRELOAD"), tunables = variable("GLIBC_TUNABLES");
  environment.push_back("LD_PRELOAD=" + options.runtime_library + (preload.empty() ? "" : ":" + preload));
  environment.push_back("LD_BIND_NOW=1");  // otherwise resetting memory would resolve symbols again and again
  environment.push_back("GLIBC_TUNABLES=" + tunables + (tunables.empty() ? "" : ":") + "glibc.pthread.rseq=0");
  const std::string descriptors = std::to_string(kChannelFd) + "," + std::to_string(kTableFd);
  environment.push_back(options.explore_call ? std::string(kExploreVariable) + "=" + descriptors + "," +
                                                   std::to_string(options.explore_call)
                                             : std::string(kChannelVariable) + "=" + descriptors);
  return environment;
}

bool is_ours(std::string_view text) {
  return text.starts_with("LD_PRELOAD=") || text.starts_with("LD_BIND_NOW=") || text.starts_with("GLIBC_TUNABLES=") ||
         (text.starts_with("LOCKSTEP_") && !text.starts_with("LOCKSTEP_TEST_"));
}

std::vector<std::string> program_environment(const LaunchOptions& options) {
  std::vector<std::string> environment;
  for (char** e = environ; *e; ++e)
    if (!is_ours(*e)) environment.emplace_back(*e);
  for (std::string& variable : runtime_variables(options)) environment.push_back(std::move(variable));
  return environment;
}

}  // namespace

uint64_t file_time() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

Result<SharedMemory> SharedMemory::create(const char* name, size_t bytes) {
  SharedMemory m;
  m.fd_ = memfd_create(name, MFD_CLOEXEC);
  if (m.fd_ < 0 || ftruncate(m.fd_, static_cast<off_t>(bytes)) != 0)
    return Error{ExitCode::Uncontrolled, std::string("cannot create shared memory: ") + std::strerror(errno)};
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, m.fd_, 0);
  if (p == MAP_FAILED)
    return Error{ExitCode::Uncontrolled, std::string("cannot map shared memory: ") + std::strerror(errno)};
  m.data_ = p;
  m.bytes_ = bytes;
  return m;
}

void SharedMemory::swap(SharedMemory& other) {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(fd_, other.fd_);
}

SharedMemory::~SharedMemory() {
  if (data_) munmap(data_, bytes_);
  if (fd_ >= 0) close(fd_);
}

WorkerProcess::~WorkerProcess() { kill(); }

void WorkerProcess::kill() {
  if (pid_ <= 0) return;
  if (memory_.data()) channel().stop.store(1, std::memory_order_release);
  ::kill(-pid_, SIGKILL);  // its whole group: children of an execution, too
  ::kill(pid_, SIGKILL);
  waitpid(pid_, &status_, 0);
  pid_ = -1;
}

const std::set<Fact>& WorkerProcess::facts() {
  if (!memory_.data()) return facts_;
  const FactTable& table = channel().facts;
  const uint32_t count = std::min<uint32_t>(table.count.load(std::memory_order_acquire), FactTable::kMost);
  for (; facts_read_ < count; ++facts_read_) facts_.insert(table.fact[facts_read_]);
  if (count < FactTable::kMost) return facts_;
  for (unsigned kind = 0; kind < static_cast<unsigned>(FactKind::kCount); ++kind)  // there may be more than it holds
    if (table.kinds.load(std::memory_order_relaxed) >> kind & 1) facts_.insert({0, FactKind(kind)});
  return facts_;
}

const std::set<std::string>& WorkerProcess::libraries() {
  if (!memory_.data()) return libraries_;
  const uint32_t count = channel().libraries.load(std::memory_order_acquire);
  for (; libraries_read_ < count; ++libraries_read_)
    libraries_.insert(libraries_read_ < kMaxLibraries ? channel().library[libraries_read_] : "");
  return libraries_;
}

uint64_t WorkerProcess::resumed() {
  return resumed_ + (memory_.data() ? channel().resumed.load(std::memory_order_relaxed) : 0);
}

Result<bool> WorkerProcess::prepare() {
  kill();
  driver_ = getpid();
  facts();  // before its memory goes
  facts_read_ = 0;
  libraries();
  libraries_read_ = 0;
  modules_ = options_.plain_modules;
  resumed_ = resumed();
  const size_t big = big_trace_bytes(options_.max_steps);
  const size_t traces = trace_ring(options_.alone);
  auto memory = SharedMemory::create(
      "lockstep-channel", sizeof(Channel) + kPlanRing + traces + big + kMaxPlainFunctions * sizeof(PlainFunction));
  if (!memory) return memory.error();
  memory_ = std::move(*memory);
  auto* c = new (memory_.data()) Channel{};
  c->magic = kChannelMagic;
  c->version = kChannelVersion;
  c->bytes_header = sizeof(Channel);
  c->isolation = options_.isolation;
  c->backend = options_.backend;
  c->points = options_.points;
  c->timeouts = options_.timeouts;
  c->spin_rounds = options_.spin_rounds;
  c->spurious = options_.spurious;
  c->prime = options_.prime;
  c->detect_races = options_.detect_races;
  c->check_locks = options_.check_locks;
  c->find_leaks = options_.find_leaks;
  c->checkpoints = options_.checkpoints;
  promote(options_.promoted);
  trust(options_.trusted);
  know_loops(options_.native_loops);
  c->max_steps = options_.max_steps;
  c->began = options_.began;
  c->capture_fd = options_.capture_fd >= 0 ? kCaptureFd : 0;
  c->rewinds_input = options_.input_fd >= 0;
  c->plans.offset = sizeof(Channel);
  c->plans.capacity = kPlanRing;
  c->traces.offset = sizeof(Channel) + kPlanRing;
  c->traces.capacity = traces;
  c->big_offset = sizeof(Channel) + kPlanRing + traces;
  c->big_capacity = big;
  c->plain_offset = c->big_offset + big;
  watch_functions(options_.plain_functions);
  unrung_ = 0;
  sent_ = 0;
  message_ = 0;
  return true;
}

// Killed from outside while it starts: not the program's fault, as far as can be told from a few times.
Result<bool> WorkerProcess::start() {
  constexpr int kAttempts = 5;
  for (int attempt = 1;; ++attempt) {
    Result<bool> started = start_once();
    const bool killed = !started && pid_ < 0 && WIFSIGNALED(status_) && WTERMSIG(status_) == SIGKILL;
    if (!killed || attempt == kAttempts) return started;
  }
}

Result<bool> WorkerProcess::start_once() {
  status_ = 0;
  if (auto prepared = prepare(); !prepared) return prepared.error();
  Channel* c = &channel();
  pid_ = fork();
  if (pid_ < 0) return Error{ExitCode::Uncontrolled, std::string("cannot start a process: ") + std::strerror(errno)};
  if (pid_ == 0) become_program(memory_.fd());
  // The program's own constructors run first; that may take a while, but not for ever.
  for (int waited = 0; c->state.load(std::memory_order_acquire) == WorkerState::Starting;) {
    const uint32_t bell = c->traces.bell.load(std::memory_order_acquire);
    if (c->state.load(std::memory_order_acquire) != WorkerState::Starting) break;
    if (!alive()) {
      std::string how = WIFSIGNALED(status_) ? std::string("signal ") + strsignal(WTERMSIG(status_))
                                             : "exit code " + std::to_string(WEXITSTATUS(status_));
      if (WIFEXITED(status_) && WEXITSTATUS(status_) == 127)
        return Error{ExitCode::Uncontrolled,
                     "cannot start '" + options_.path + "'; check its shared libraries with ldd"};
      return Error{ExitCode::Uncontrolled, "'" + options_.path + "' ended before main() (" + how + ")"};
    }
    futex_wait(c->traces.bell, bell, 20);
    if ((waited += 20) > 60'000)
      return Error{ExitCode::Uncontrolled, "'" + options_.path + "' did not reach main() within one minute"};
  }
  if (c->state.load(std::memory_order_acquire) == WorkerState::Refused)
    return Error{ExitCode::Uncontrolled, std::string(c->text, c->text_bytes.load(std::memory_order_acquire))};
  return true;
}

void WorkerProcess::hand_over_descriptors(int channel_fd) const {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != driver_) _exit(127);  // it died before that
  personality(ADDR_NO_RANDOMIZE | static_cast<unsigned long>(personality(0xffffffff)));
  dup2(channel_fd, kChannelFd);
  dup2(options_.thread_table_fd, kTableFd);
  if (options_.capture_fd >= 0) dup2(options_.capture_fd, kCaptureFd);
}

void WorkerProcess::become_program(int channel_fd) {
  setpgid(0, 0);  // Ctrl-C is for the driver
  (void)sched_setaffinity(0, sizeof options_.cpus, &options_.cpus);
  // All wait for the search, which must not lose its core to whom it wakes. Any other policy has its reasons.
  const sched_param lowest{};
  if (!options_.alone && sched_getscheduler(0) == SCHED_OTHER) (void)sched_setscheduler(0, SCHED_BATCH, &lowest);
  hand_over_descriptors(channel_fd);
  if (options_.body) {
    options_.body(kChannelFd, kTableFd);
    _exit(127);
  }
  const int null = open("/dev/null", O_RDWR);
  for (int fd = 0; fd <= 2; ++fd) dup2(null, fd);
  // Opened anew: every worker has its own position in it.
  if (options_.input_fd >= 0)
    if (const int input = open(("/proc/self/fd/" + std::to_string(options_.input_fd)).c_str(), O_RDONLY); input >= 0) {
      dup2(input, 0);
      close(input);
    }
  if (null > 2) close(null);
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  for (const int number : {SIGPIPE, SIGXFSZ}) signal(number, SIG_DFL);  // the driver ignores them
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);

  const std::vector<std::string> environment = program_environment(options_);
  std::vector<char*> argv, envp;
  for (const std::string& a : options_.command) argv.push_back(const_cast<char*>(a.c_str()));
  for (const std::string& e : environment) envp.push_back(const_cast<char*>(e.c_str()));
  argv.push_back(nullptr);
  envp.push_back(nullptr);
  execve(options_.path.c_str(), argv.data(), envp.data());
  _exit(127);
}

Result<int> WorkerProcess::debug(const Plan& plan, const std::vector<std::string>& debugger) {
  if (auto prepared = prepare(); !prepared) return prepared.error();
  channel().debug = 1;
  send(plan);
  channel().stop.store(1, std::memory_order_release);  // after this plan
  std::vector<std::string> words = debugger;
  for (const std::string& variable : runtime_variables(options_)) {
    const size_t equals = variable.find('=');
    words.push_back("-iex");
    words.push_back("set environment " + variable.substr(0, equals) + " " + variable.substr(equals + 1));
  }
  words.push_back("--args");
  words.push_back(options_.path);
  words.insert(words.end(), options_.command.begin() + 1, options_.command.end());
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  signal(SIGINT, SIG_IGN);  // it is for the debugger
  const pid_t child = fork();
  if (child < 0) return Error{ExitCode::Uncontrolled, std::string("cannot start a process: ") + std::strerror(errno)};
  if (child == 0) {
    hand_over_descriptors(memory_.fd());
    signal(SIGINT, SIG_DFL);
    execvp(argv[0], argv.data());
    _exit(127);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
    return Error{ExitCode::Usage, "cannot start the debugger '" + debugger[0] + "': is it installed?"};
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool WorkerProcess::alive() {
  if (pid_ <= 0) return false;
  int status = 0;
  if (waitpid(pid_, &status, WNOHANG) == 0) return true;
  status_ = status;
  ::kill(-pid_, SIGKILL);
  pid_ = -1;
  return false;
}

void WorkerProcess::send(const Plan& plan) {
  Ring& ring = channel().plans;
  const uint32_t size = wire_size(plan);
  uint64_t position = ring.written.load(std::memory_order_relaxed);
  const uint64_t left = ring.capacity - position % ring.capacity;
  const bool wraps = left < size;
  const uint64_t end = position + (wraps ? left : 0) + size;
  while (end - ring.read.load(std::memory_order_acquire) > ring.capacity) {
    this->ring();
    const uint32_t space = ring.space.load(std::memory_order_acquire);
    ring.writer_sleeps.store(1, std::memory_order_seq_cst);
    if (end - ring.read.load(std::memory_order_seq_cst) > ring.capacity) futex_wait(ring.space, space, 100);
    ring.writer_sleeps.store(0, std::memory_order_relaxed);
    if (!alive()) return;  // noticed and mended by whoever waits for the trace
  }
  if (wraps) {
    *reinterpret_cast<uint32_t*>(bytes(ring) + position % ring.capacity) = kWrap;
    position += left;
  }
  write_wire(plan, bytes(ring) + position % ring.capacity);
  ring.written.store(end, std::memory_order_seq_cst);
  ++sent_;
  if (++unrung_ >= 16 && !takes_turns_) this->ring();
}

void WorkerProcess::promote(const PromotedPoints& points) {
  Channel& c = channel();
  c.promoted_count = static_cast<uint32_t>(std::min<size_t>(points.places.size(), kMaxPromoted));
  std::copy_n(points.places.begin(), c.promoted_count, c.promoted);
  c.alias_count = static_cast<uint32_t>(std::min<size_t>(points.aliases.size(), kMaxAliases));
  std::copy_n(points.aliases.begin(), c.alias_count, c.alias);
  c.promoted_version.fetch_add(1, std::memory_order_release);
  c.settings_version.fetch_add(1, std::memory_order_release);
}

void WorkerProcess::allow_spurious(uint32_t wakeups) {
  Channel& c = channel();
  c.spurious = wakeups;
  c.settings_version.fetch_add(1, std::memory_order_release);
}

void WorkerProcess::trust(const std::vector<CodeRange>& code) {
  Channel& c = channel();
  c.trusted_count = static_cast<uint32_t>(std::min<size_t>(code.size(), kMaxTrusted));
  std::copy_n(code.begin(), c.trusted_count, c.trusted);
  c.trusted_version.fetch_add(1, std::memory_order_release);
  c.settings_version.fetch_add(1, std::memory_order_release);
}

void WorkerProcess::watch_functions(const std::vector<PlainFunction>& functions) {
  Channel& c = channel();
  const uint32_t count = c.plain_count.load(std::memory_order_relaxed);
  const size_t fresh = std::min<size_t>(functions.size(), kMaxPlainFunctions - count);
  std::copy_n(functions.begin(), fresh,
              reinterpret_cast<PlainFunction*>(static_cast<char*>(memory_.data()) + c.plain_offset) + count);
  c.plain_count.store(count + static_cast<uint32_t>(fresh), std::memory_order_release);
}

void WorkerProcess::know_loops(const std::vector<uint64_t>& jumps) {
  if (!memory_.data()) return;
  Channel& c = channel();
  const auto count = static_cast<uint32_t>(std::min<size_t>(jumps.size(), kMaxNativeLoops));
  std::copy_n(jumps.begin(), count, c.native_loop);
  c.native_loops.store(count, std::memory_order_release);
}

void WorkerProcess::ring() {
  Ring& ring = channel().plans;
  unrung_ = 0;
  if (!ring.reader_sleeps.load(std::memory_order_seq_cst)) return;
  ring.reader_sleeps.store(0, std::memory_order_relaxed);
  ring.bell.fetch_add(1, std::memory_order_release);
  futex_wake(ring.bell);
}

bool WorkerProcess::has_trace() {
  Ring& ring = channel().traces;
  for (;;) {
    const uint64_t position = ring.read.load(std::memory_order_relaxed);
    if (ring.written.load(std::memory_order_acquire) == position) return false;
    if (*reinterpret_cast<const uint32_t*>(bytes(ring) + position % ring.capacity) != kWrap) return true;
    ring.read.store(position + ring.capacity - position % ring.capacity, std::memory_order_release);
  }
}

TraceView WorkerProcess::front() {
  Ring& ring = channel().traces;
  const char* at = bytes(ring) + ring.read.load(std::memory_order_relaxed) % ring.capacity;
  const bool elsewhere = TraceView(at).header().wire & TraceHeader::kElsewhere;
  const char* message = elsewhere ? static_cast<const char*>(memory_.data()) + channel().big_offset : at;
  size_t size = 0;
  const TraceView trace = received_.read(message, &size);
  message_ = elsewhere ? sizeof(TraceHeader) : size;
  return trace;
}

void WorkerProcess::pop() {
  Ring& ring = channel().traces;
  const char* at = bytes(ring) + ring.read.load(std::memory_order_relaxed) % ring.capacity;
  if (TraceView(at).header().wire & TraceHeader::kElsewhere) {
    channel().big_busy.store(0, std::memory_order_release);
    futex_wake(channel().big_busy);
  }
  const uint64_t read = ring.read.load(std::memory_order_relaxed) + message_;
  ring.read.store(read, std::memory_order_seq_cst);
  // Not before there is room for many, or it would wake for every single one.
  if (ring.writer_sleeps.load(std::memory_order_seq_cst) &&
      ring.written.load(std::memory_order_relaxed) - read <= ring.capacity / 2) {
    ring.writer_sleeps.store(0, std::memory_order_relaxed);
    ring.space.fetch_add(1, std::memory_order_release);
    futex_wake(ring.space);
  }
}

void WorkerProcess::sleep_until_trace(size_t in_flight, int milliseconds) {
  Ring& ring = channel().traces;
  this->ring();
  for (int spin = 0; spin < 4; ++spin) {
    if (ring.written.load(std::memory_order_acquire) != ring.read.load(std::memory_order_relaxed)) return;
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  // Not for every single trace: a futex call costs as much as a small execution. Of a few, or if nothing is gained by
  // less, all: the worker rings when it has nothing left to do.
  const uint64_t batch = takes_turns_ || in_flight < kFew ? in_flight : std::min<uint64_t>(in_flight / 2, 128);
  const uint32_t bell = ring.bell.load(std::memory_order_acquire);
  ring.wake_at.store(ring.messages.load(std::memory_order_relaxed) + batch, std::memory_order_relaxed);
  ring.reader_sleeps.store(1, std::memory_order_seq_cst);
  if (ring.written.load(std::memory_order_seq_cst) == ring.read.load(std::memory_order_relaxed)) {
    // The worker may have gone to sleep before it could see that we do.
    const bool idle =
        channel().plans.reader_sleeps.load(std::memory_order_seq_cst) &&
        channel().plans.written.load(std::memory_order_relaxed) == channel().plans.read.load(std::memory_order_acquire);
    futex_wait(ring.bell, bell, idle ? 1 : milliseconds);
  }
  ring.reader_sleeps.store(0, std::memory_order_relaxed);
}

}  // namespace lockstep
