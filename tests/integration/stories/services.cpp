// Programs with one bug each, as services have them: pools, caches, subscribers, timers, actors, tasks. The comment
// behind a case says which names its story must have, the comments before it what else the story must say.
#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <coroutine>
#include <deque>
#include <exception>
#include <functional>
#include <future>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <queue>
#include <shared_mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <variant>
#include <vector>

namespace {

struct Connection {
  int id;
  bool open = true;
  int queries = 0;
};

class ConnectionPool {
 public:
  explicit ConnectionPool(int n) {
    for (int i = 0; i < n; ++i) idle_.push_back(std::make_shared<Connection>(Connection{i}));
  }
  std::shared_ptr<Connection> acquire() {
    std::unique_lock lock(mutex_);
    if (idle_.empty()) available_.wait(lock);
    assert(!idle_.empty());
    auto c = idle_.back();
    idle_.pop_back();
    return c;
  }
  void release(std::shared_ptr<Connection> c) {
    {
      std::lock_guard lock(mutex_);
      idle_.push_back(std::move(c));
    }
    available_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable available_;
  std::vector<std::shared_ptr<Connection>> idle_;
};

void query(ConnectionPool& pool) {
  auto c = pool.acquire();
  c->queries++;
  pool.release(c);
}

// Says: wakes thread \d
// Says: woken by step \d+
// Says: counts of shared_ptr, \d+ steps folded
void connection_pool() {  // names: pool.mutex_ pool.available_
  ConnectionPool pool(1);
  std::vector<std::thread> clients;
  for (int i = 0; i < 3; ++i) clients.emplace_back([&pool] { query(pool); });
  for (auto& c : clients) c.join();
}

template <class K, class V>
class LruCache {
 public:
  explicit LruCache(size_t capacity) : capacity_(capacity) {}
  std::optional<V> get(const K& key) {
    std::shared_lock lock(mutex_);
    auto it = index_.find(key);
    if (it == index_.end()) return std::nullopt;
    entries_.splice(entries_.begin(), entries_, it->second);  // needs the exclusive lock
    ++hits_;
    return it->second->second;
  }
  void put(const K& key, V value) {
    std::unique_lock lock(mutex_);
    entries_.emplace_front(key, std::move(value));
    index_[key] = entries_.begin();
    if (entries_.size() > capacity_) {
      index_.erase(entries_.back().first);
      entries_.pop_back();
    }
  }
  int hits() const { return hits_; }

 private:
  mutable std::shared_mutex mutex_;
  std::list<std::pair<K, V>> entries_;
  std::unordered_map<K, typename std::list<std::pair<K, V>>::iterator> index_;
  size_t capacity_;
  int hits_ = 0;
};

// Says: list::splice cache.entries_ +\(\d+ steps\)
// Says: Nothing orders the two accesses: both threads hold cache.mutex_ for reading\.
void lru_cache() {  // names: cache.hits_ cache.mutex_ cache.entries_
  LruCache<std::string, int> cache(2);
  cache.put("a", 1);
  cache.put("b", 2);
  std::thread reader([&] { cache.get("a"); });
  cache.get("b");
  reader.join();
  assert(cache.hits() == 2);
}

class Subscriber;
class Topic {
 public:
  void subscribe(Subscriber* s) {
    std::lock_guard lock(mutex_);
    subscribers_.push_back(s);
  }
  void unsubscribe(Subscriber* s) {
    std::lock_guard lock(mutex_);
    std::erase(subscribers_, s);
  }
  void publish(const std::string& message);

 private:
  std::mutex mutex_;
  std::vector<Subscriber*> subscribers_;
};

class Subscriber {
 public:
  explicit Subscriber(Topic& topic) : topic_(topic) { topic_.subscribe(this); }
  ~Subscriber() { topic_.unsubscribe(this); }
  void on_message(const std::string& message) {
    std::lock_guard lock(mutex_);
    received_.push_back(message);
  }

 private:
  Topic& topic_;
  std::mutex mutex_;
  std::vector<std::string> received_;
};

void Topic::publish(const std::string& message) {
  std::vector<Subscriber*> copy;
  {
    std::lock_guard lock(mutex_);
    copy = subscribers_;
  }
  for (Subscriber* s : copy) s->on_message(message);
}

// Says: Fails because step \d+ comes before step \d+
void publisher() {  // names: topic.mutex_
  Topic topic;
  auto first = std::make_unique<Subscriber>(topic);
  auto second = std::make_unique<Subscriber>(topic);
  std::thread publisher([&topic] { topic.publish("hello"); });
  second.reset();
  publisher.join();
}

struct Config {
  int width, height;
};
class ConfigStore {
 public:
  Config read() const {
    for (;;) {
      const unsigned before = version_.load();
      if (before % 2) continue;
      const int w = width_.load();
      if (version_.load() != before) continue;  // too early
      const int h = height_.load();
      return {w, h};
    }
  }
  void write(int w, int h) {
    version_.fetch_add(1);
    width_ = w;
    height_ = h;
    version_.fetch_add(1);
  }

 private:
  std::atomic<unsigned> version_{0};
  std::atomic<int> width_{4}, height_{3};
};

void settings() {  // names: store.version_ store.width_ store.height_
  ConfigStore store;
  std::thread writer([&store] { store.write(16, 9); });
  Config seen = store.read();
  assert(seen.width * 3 == seen.height * 4 || seen.width * 9 == seen.height * 16);
  writer.join();
}

enum class TimerState { Armed, Fired, Cancelled };
struct Timer {
  std::atomic<TimerState> state{TimerState::Armed};
  std::function<void()> callback;
};
class Wheel {
 public:
  std::shared_ptr<Timer> arm(unsigned ticks, std::function<void()> f) {
    auto t = std::make_shared<Timer>();
    t->callback = std::move(f);
    std::lock_guard lock(mutex_);
    slots_[(now_ + ticks) % slots_.size()].push_back(t);
    return t;
  }
  bool cancel(Timer& t) {
    if (t.state == TimerState::Fired) return false;
    t.state = TimerState::Cancelled;
    return true;
  }
  void tick() {
    std::list<std::shared_ptr<Timer>> due;
    {
      std::lock_guard lock(mutex_);
      now_++;
      due.swap(slots_[now_ % slots_.size()]);
    }
    for (auto& t : due)
      if (t->state != TimerState::Cancelled) {
        t->state = TimerState::Fired;
        t->callback();
      }
  }

 private:
  std::mutex mutex_;
  unsigned now_ = 0;
  std::array<std::list<std::shared_ptr<Timer>>, 4> slots_;
};

// Says: store timeout->state Cancelled → Fired
void timers() {  // names: timeout->state closed wheel.mutex_
  Wheel wheel;
  std::atomic<bool> closed{false};
  auto timeout = wheel.arm(1, [&] { assert(!closed); });
  std::thread clock([&] { wheel.tick(); });
  if (wheel.cancel(*timeout)) closed = true;
  clock.join();
}

struct Deposit {
  int amount;
};
struct Stop {};
using Message = std::variant<Deposit, Stop>;

class Actor {
 public:
  Actor() : thread_([this] { loop(); }) {}
  ~Actor() { thread_.join(); }
  void send(Message m) {
    {
      std::lock_guard lock(mutex_);
      inbox_.push_back(std::move(m));
    }
    if (idle_.load()) {
      std::lock_guard lock(mutex_);
      wake_.notify_one();
    }
  }

 private:
  void loop() {
    bool running = true;
    while (running) {
      Message m;
      {
        std::unique_lock lock(mutex_);
        if (inbox_.empty()) {
          lock.unlock();
          idle_.store(true);
          lock.lock();
          wake_.wait(lock);
          idle_.store(false);
          continue;
        }
        m = std::move(inbox_.front());
        inbox_.pop_front();
      }
      if (auto* d = std::get_if<Deposit>(&m))
        balance_ += d->amount;
      else
        running = false;
    }
  }
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Message> inbox_;
  std::atomic<bool> idle_{false};
  int balance_ = 0;
  std::thread thread_;
};

// Says: notify_one account.wake_, nobody waits
void actor() {  // names: account.mutex_ account.wake_ account.idle_
  Actor account;
  account.send(Deposit{5});
  account.send(Stop{});
}

struct Idle {};
struct Connecting {
  int attempt;
};
struct Connected {
  std::string peer;
};
class Session {
 public:
  bool is_idle() {
    std::lock_guard lock(mutex_);
    return std::holds_alternative<Idle>(state_);
  }
  void connect() {
    std::lock_guard lock(mutex_);
    assert(std::holds_alternative<Idle>(state_));
    state_ = Connecting{1};
    ++dials_;
  }
  void established(std::string peer) {
    std::lock_guard lock(mutex_);
    state_ = Connected{std::move(peer)};
  }
  int dials() const { return dials_; }

 private:
  std::mutex mutex_;
  std::variant<Idle, Connecting, Connected> state_;
  int dials_ = 0;
};

void ensure_connected(Session& s) {
  if (s.is_idle()) {
    s.connect();
    s.established("example.org");
  }
}

void sessions() {  // names: session.mutex_
  Session session;
  std::thread other(ensure_connected, std::ref(session));
  ensure_connected(session);
  other.join();
  assert(session.dials() == 1);
}

class Executor {
 public:
  void post(std::coroutine_handle<> h) {
    std::lock_guard lock(mutex_);
    ready_.push_back(h);
    wake_.notify_one();
  }
  void run() {
    for (;;) {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return !ready_.empty() || closed_; });
      if (ready_.empty()) return;
      auto h = ready_.front();
      ready_.pop_front();
      lock.unlock();
      h.resume();
    }
  }
  void close() {
    closed_ = true;
    wake_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::coroutine_handle<>> ready_;
  std::atomic<bool> closed_{false};
};

struct Task {
  struct promise_type {
    Task get_return_object() { return {}; }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};
struct Reschedule {
  Executor& executor;
  bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> h) { executor.post(h); }
  void await_resume() const {}
};

Task job(Executor& executor, std::atomic<int>& left) {
  co_await Reschedule{executor};
  const int now = left.load() - 1;
  left.store(now);
  if (now == 0) executor.close();
}

void coroutines() {  // names: executor.mutex_ executor.wake_ left
  Executor executor;
  std::atomic<int> left{2};
  job(executor, left);
  job(executor, left);
  std::thread worker([&] { executor.run(); });
  executor.run();
  worker.join();
  assert(left == 0);
}

struct Bank {
  std::map<std::string, std::mutex> locks;
  std::map<std::string, long> balances;
  void transfer(const std::string& from, const std::string& to, long amount) {
    std::scoped_lock first(locks.at(from));
    std::scoped_lock second(locks.at(to));
    balances.at(from) -= amount;
    balances.at(to) += amount;
  }
};

void map_of_mutexes() {  // names: bank.locks["alice"] bank.locks["bob"] bank.locks["carol"]
  Bank bank;
  for (const char* who : {"alice", "bob", "carol"}) {
    bank.locks[who];
    bank.balances[who] = 100;
  }
  std::jthread a([&] { bank.transfer("alice", "bob", 1); });
  std::jthread b([&] { bank.transfer("bob", "carol", 2); });
  std::jthread c([&] { bank.transfer("carol", "alice", 3); });
}

struct Node {
  std::atomic<int> remaining{0};
  std::atomic<bool> ran{false};
  std::vector<Node*> dependents;
  void finish() {
    ran = true;
    for (Node* d : dependents)
      if (const int left = d->remaining.load() - 1; d->remaining.exchange(left), left == 0) d->finish();
  }
};
struct Graph {
  std::vector<std::unique_ptr<Node>> nodes;
  Node& add() { return *nodes.emplace_back(std::make_unique<Node>()); }
  void edge(Node& from, Node& to) {
    from.dependents.push_back(&to);
    to.remaining++;
  }
};

void job_graph() {  // names: graph.nodes[0]->ran graph.nodes[1]->ran
  Graph graph;
  Node &a = graph.add(), &b = graph.add(), &end = graph.add();
  graph.edge(a, end);
  graph.edge(b, end);
  std::thread t([&] { a.finish(); });
  b.finish();
  t.join();
  assert(end.ran);
}

class ThreadPool {
 public:
  explicit ThreadPool(int n) {
    for (int i = 0; i < n; ++i) threads_.emplace_back(&ThreadPool::worker_main, this);
  }
  ~ThreadPool() {
    {
      std::lock_guard lock(queue_mutex_);
      stopping_ = true;
    }
    queue_cv_.notify_all();
    for (auto& t : threads_) t.join();
  }
  template <class F>
  auto submit(F f) {
    auto task = std::make_shared<std::packaged_task<decltype(f())()>>(std::move(f));
    auto result = task->get_future();
    {
      std::lock_guard lock(queue_mutex_);
      tasks_.emplace([task] { (*task)(); });
    }
    queue_cv_.notify_one();
    return result;
  }
  bool idle() {
    std::lock_guard lock(queue_mutex_);
    return tasks_.empty() && active_ == 0;
  }

 private:
  void worker_main() {
    for (;;) {
      std::function<void()> task;
      {
        std::unique_lock lock(queue_mutex_);
        queue_cv_.wait(lock, [this] { return stopping_ || !tasks_.empty(); });
        if (tasks_.empty()) return;
        task = std::move(tasks_.front());
        tasks_.pop();
      }
      ++active_;  // too late: between pop and here the pool looks idle
      task();
      --active_;
    }
  }
  std::mutex queue_mutex_;
  std::condition_variable queue_cv_;
  std::queue<std::function<void()>> tasks_;
  std::atomic<int> active_{0};
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

void idle_pool() {  // names: pool.queue_mutex_ pool.queue_cv_ pool.active_ result
  std::atomic<int> result{0};
  ThreadPool pool(1);
  auto f = pool.submit([&] { return result = 42; });
  if (pool.idle()) assert(result == 42);
  f.get();
}

constexpr struct {
  const char* name;
  void (*run)();
} kCases[] = {
    {"connection_pool", connection_pool},
    {"lru_cache", lru_cache},
    {"publisher", publisher},
    {"settings", settings},
    {"timers", timers},
    {"actor", actor},
    {"sessions", sessions},
    {"coroutines", coroutines},
    {"map_of_mutexes", map_of_mutexes},
    {"job_graph", job_graph},
    {"idle_pool", idle_pool},
};

}  // namespace

int main(int argc, char** argv) {
  for (const auto& one : kCases)
    if (argc > 1 && std::string(argv[1]) == one.name) one.run();
}
