// Small programs with one bug each, as people write them: what is shared is a member, captured, in a container or on
// the heap. The comment behind a case says which names its story must have.
#include <array>
#include <atomic>
#include <barrier>
#include <cassert>
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <latch>
#include <map>
#include <memory>
#include <mutex>
#include <queue>
#include <semaphore>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

namespace {

using Count = std::atomic<int>;

template <class F, class G>
void in_two_threads(F f, G g) {
  std::thread a(f), b(g);
  a.join();
  b.join();
}
template <class F>
void in_two_threads(F f) {
  in_two_threads(f, f);
}

class Pool {
 public:
  Pool() {
    for (int i = 0; i < 2; i++) workers_.emplace_back([this] { work(); });
  }
  ~Pool() {
    stop_ = true;  // without the lock
    ready_.notify_all();
    for (auto& worker : workers_) worker.join();
  }
  void submit(std::function<void()> job) {
    std::lock_guard lock(mutex_);
    jobs_.push(std::move(job));
    ready_.notify_one();
  }

 private:
  void work() {
    while (true) {
      std::unique_lock lock(mutex_);
      while (jobs_.empty() && !stop_) ready_.wait(lock);
      if (jobs_.empty()) return;
      auto job = std::move(jobs_.front());
      jobs_.pop();
      lock.unlock();
      job();
    }
  }
  std::mutex mutex_;
  std::condition_variable ready_;
  std::queue<std::function<void()>> jobs_;
  std::atomic<bool> stop_{false};
  std::vector<std::thread> workers_;
};

void thread_pool() {  // names: pool.mutex_ pool.ready_ pool.stop_
  Pool pool;
  pool.submit([] {});
}

struct Slot {
  Count turn{0};
  int value = 0;
};

void vector_element() {  // names: slots[1].turn slots[1].value
  std::vector<Slot> slots(2);
  std::thread producer([&slots] {
    slots[1].turn.store(1);
    slots[1].value = 10;
  });
  int seen = 0;
  if (slots[1].turn.load() == 1) seen = slots[1].value;
  producer.join();
  assert(seen == 0 || seen == 10);
}

std::array<std::mutex, 3> forks;
void eat(int left, int right) {
  std::lock_guard first(forks[left]);
  std::lock_guard second(forks[right]);
}
void array_of_mutexes() {  // names: forks[0] forks[1] forks[2]
  std::thread a(eat, 0, 1), b(eat, 1, 2), c(eat, 2, 0);
  a.join();
  b.join();
  c.join();
}

void deque_element() {  // names: counts[2]
  std::deque<Count> counts(4);
  in_two_threads([&counts] { counts[2].store(counts[2].load() + 1); });
  assert(counts[2] == 2);
}

struct Account {
  Count balance{100};
};
struct Bank {
  std::map<std::string, Account> accounts;
  bool withdraw(const std::string& who, int amount) {
    Account& account = accounts.at(who);
    if (account.balance.load() < amount) return false;
    account.balance -= amount;
    return true;
  }
};
void map_element() {  // names: bank.accounts["bob"].balance
  Bank bank;
  bank.accounts["alice"], bank.accounts["bob"];
  in_two_threads([&] { bank.withdraw("bob", 80); });
  assert(bank.accounts["bob"].balance >= 0);
}

struct Node {
  std::atomic<Node*> next{nullptr};
};
struct Stack {
  std::atomic<Node*> head_{nullptr};
  void push() {
    Node* n = new Node;
    n->next = head_.load();
    head_.store(n);
  }
};
void heap_object() {  // names: stack->head_
  auto* stack = new Stack;
  in_two_threads([stack] { stack->push(); });
  assert(stack->head_.load()->next != nullptr);
}

struct Session {
  std::mutex m;
  int requests = 0;
};
void serve(Session* session) {
  std::lock_guard lock(session->m);
  session->requests++;
}
void freed_object() {  // names: session->m
  Session* session = new Session;
  std::thread server(serve, session);
  {
    std::lock_guard lock(session->m);
    session->requests++;
  }
  delete session;
  server.join();
}

struct Cache {
  Count misses{0};
  std::atomic<bool> filled{false};
  int get() {
    if (!filled) {
      misses++;
      filled = true;
    }
    return 42;
  }
};
void futures() {  // names: cache.filled cache.misses
  Cache cache;
  auto first = std::async(std::launch::async, [&] { return cache.get(); });
  auto second = std::async(std::launch::async, [&] { return cache.get(); });
  assert(first.get() == second.get());
  assert(cache.misses == 1);
}

struct Gate {
  std::counting_semaphore<4> free{2};
  Count inside{0};
};
void visit(Gate& gate) {
  gate.free.acquire();
  const int now = ++gate.inside;
  assert(now <= 1);
  --gate.inside;
  gate.free.release();
}
void semaphores() {  // names: gate.free gate.inside
  Gate gate;
  in_two_threads([&] { visit(gate); });
}

struct Registry {
  std::once_flag flag;
  std::mutex m;
  void use() {
    std::call_once(flag, [this] { std::lock_guard lock(m); });
  }
  void use_locked() {
    std::lock_guard lock(m);
    std::call_once(flag, [] {});
  }
};
void once() {  // names: registry.flag registry.m
  Registry registry;
  in_two_threads([&] { registry.use(); }, [&] { registry.use_locked(); });
}

struct Mailbox {
  std::mutex m;
  std::condition_variable cv;
  std::atomic<bool> full{false};
  void put() {
    full = true;
    cv.notify_one();
  }
  void take() {
    std::unique_lock lock(m);
    if (!full) cv.wait(lock);
  }
};
void lost_wakeup() {  // names: box->m box->full box->cv
  auto box = std::make_unique<Mailbox>();
  std::thread sender([&box] { box->put(); });
  box->take();
  sender.join();
}

class Table {
 public:
  void add_once(int key) {
    if (!has(key)) add(key);
  }
  int count(int key) const { return rows_.at(key); }

 private:
  bool has(int key) const {
    std::shared_lock lock(lock_);
    return rows_.contains(key);
  }
  void add(int key) {
    std::unique_lock lock(lock_);
    rows_[key]++;
  }
  mutable std::shared_mutex lock_;
  std::unordered_map<int, int> rows_;
};
void readers_and_writers() {  // names: table.lock_
  Table table;
  in_two_threads([&] { table.add_once(7); });
  assert(table.count(7) == 1);
}

struct Phase {
  std::barrier<> sync{2};
  int data[2] = {0, 0}, sums[2] = {0, 0};
  void run(int i) {
    data[i] = i + 1;
    sums[i] = data[0] + data[1];
    sync.arrive_and_wait();
  }
};
void barriers() {  // names: phase.data[1] phase.sync
  Phase phase;
  in_two_threads([&] { phase.run(0); }, [&] { phase.run(1); });
  assert(phase.sums[0] == 3);
}

enum class State { Idle, Busy };
struct Task {
  std::atomic<State> state{State::Idle};
};
struct Scheduler {
  std::array<Task, 2> tasks;
  Count running{0};
  void start(int i) {
    if (tasks[i].state.load() != State::Idle) return;
    tasks[i].state.store(State::Busy);
    running.fetch_add(1);
  }
};
void nested_members() {  // names: scheduler.tasks[1].state scheduler.running
  Scheduler scheduler;
  in_two_threads([&] { scheduler.start(1); });
  assert(scheduler.running.load() == 1);
}

struct Owner {
  std::mutex m;
  long balance = 0;
};
void transfer(Owner& from, Owner& to, long amount) {
  std::lock_guard first(from.m);
  std::lock_guard second(to.m);
  from.balance -= amount;
  to.balance += amount;
}
void vector_of_pointers() {  // names: owners[0]->m owners[1]->m
  std::vector<std::unique_ptr<Owner>> owners;
  for (int i = 0; i < 2; i++) owners.push_back(std::make_unique<Owner>());
  std::thread other(transfer, std::ref(*owners[0]), std::ref(*owners[1]), 5);
  transfer(*owners[1], *owners[0], 3);
  other.join();
}

struct Widget {
  int size = 3;
};
struct Lazy {
  Widget* instance_ = nullptr;
  std::mutex mutex_;
  Widget* get() {
    if (!instance_) {
      std::lock_guard lock(mutex_);
      if (!instance_) instance_ = new Widget;
    }
    return instance_;
  }
  ~Lazy() { delete instance_; }
};
void double_checked() {  // names: lazy.instance_ lazy.mutex_
  Lazy lazy;
  std::thread other([&] { lazy.get(); });
  lazy.get();
  other.join();
}

struct Order {
  Count stock{1};
  void buy() {
    if (stock.load() > 0 && stock.fetch_sub(1) < 1) throw std::runtime_error("oversold");
  }
};
void exception() {  // names: order.stock
  Order order;
  in_two_threads([&] { order.buy(); });
}

struct Job {
  std::promise<int> done;
  std::atomic<bool> cancelled{false};
};
void broken_promise() {  // names: job.cancelled
  Job job;
  auto result = job.done.get_future();
  std::thread other([&] {
    in_two_threads(
        [&] {
          if (!job.cancelled) job.done.set_value(1);
        },
        [&] { job.cancelled = true; });
  });
  result.get();
  other.join();
}

struct Countdown {
  Count left{2};
  void down() {
    const int now = left.load();
    left.store(now - 1);
    if (now == 1) left.notify_all();
  }
  void wait() {
    for (int now; (now = left.load()) != 0;) left.wait(now);
  }
};
void atomic_wait() {  // names: countdown.left
  Countdown countdown;
  std::thread a([&] { countdown.down(); }), b([&] { countdown.down(); });
  countdown.wait();
  a.join();
  b.join();
}

void latches() {  // names: started ready
  std::latch started{1};
  std::atomic<bool> ready{false};
  std::thread other([&] {
    started.count_down();  // too early
    ready = true;
  });
  started.wait();
  assert(ready.load());
  other.join();
}

struct Side {
  std::atomic<bool> wants{false};
};
void cross(Side& mine, Side& other) {
  mine.wants = true;
  while (other.wants) {
    mine.wants = false;
    std::this_thread::yield();
    mine.wants = true;
  }
}
// Says: store left.wants false → true
// Says: ^  thread 2 +cross\b
void livelock() {  // names: left.wants right.wants
  Side left, right;
  in_two_threads([&] { cross(left, right); }, [&] { cross(right, left); });
}

struct Entry {
  int value;
  Entry* next;
};
struct LockFreeStack {
  std::atomic<Entry*> head{nullptr};
  void push(int value) {
    Entry* n = new Entry{value, head.load()};
    while (!head.compare_exchange_weak(n->next, n)) {
    }
  }
  int pop() {
    Entry* n = head.load();
    while (n && !head.compare_exchange_weak(n, n->next)) {
    }
    if (n == nullptr) return 0;
    const int value = n->value;
    delete n;
    return value;
  }
};
// Says: USE AFTER FREE  on n->next: thread \d reads it at bugs.cpp:\d+, thread \d frees its memory at bugs.cpp
void popped_node() {  // names: stack.head n->next
  LockFreeStack stack;
  stack.push(1);
  stack.push(2);
  in_two_threads([&] { stack.pop(); }, [&] { stack.pop(); });
}

// Says: packaged_task::operator\(\)
void packaged() {  // names: runs
  std::atomic<int> runs{0};
  std::packaged_task<void()> task([&] { runs = runs + 1; });
  in_two_threads([&] { task(); }, [&] { runs = runs + 1; });
  assert(runs == 2);
}

constexpr struct {
  const char* name;
  void (*run)();
} kCases[] = {
    {"thread_pool", thread_pool},
    {"vector_element", vector_element},
    {"array_of_mutexes", array_of_mutexes},
    {"deque_element", deque_element},
    {"map_element", map_element},
    {"heap_object", heap_object},
    {"freed_object", freed_object},
    {"futures", futures},
    {"semaphores", semaphores},
    {"once", once},
    {"lost_wakeup", lost_wakeup},
    {"readers_and_writers", readers_and_writers},
    {"barriers", barriers},
    {"nested_members", nested_members},
    {"vector_of_pointers", vector_of_pointers},
    {"double_checked", double_checked},
    {"exception", exception},
    {"broken_promise", broken_promise},
    {"atomic_wait", atomic_wait},
    {"latches", latches},
    {"livelock", livelock},
    {"popped_node", popped_node},
    {"packaged", packaged},
};

}  // namespace

int main(int argc, char** argv) {
  for (const auto& one : kCases)
    if (argc > 1 && std::string(argv[1]) == one.name) one.run();
}
