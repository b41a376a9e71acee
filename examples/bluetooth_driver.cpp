// A driver that works on a device already stopped.
//
// The Bluetooth driver of Qadeer and Wu (PLDI 2004). A request first asks whether the device is being stopped and then
// counts itself as pending. If the device is stopped in between, the count has already gone to zero and nobody waits
// for this request. One preemption.
#undef NDEBUG
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

class Event {
 public:
  void set() {
    std::lock_guard lock(mutex_);
    set_ = true;
    changed_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    while (!set_) changed_.wait(lock);
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool set_ = false;
};

class Device {
 public:
  void request() {
    if (!begin_io()) return;
    assert(!stopped_.load() && "input or output on a stopped device");
    end_io();
  }

  void stop() {
    stopping_.store(true);
    end_io();  // gives back the count that stands for the device itself
    idle_.wait();
    stopped_.store(true);
  }

 private:
  bool begin_io() {
    if (stopping_.load()) return false;  // counting first and asking afterwards would be right
    pending_.fetch_add(1);
    return true;
  }

  void end_io() {
    if (pending_.fetch_sub(1) == 1) idle_.set();
  }

  std::atomic<int> pending_{1};  // requests under way, and one for the device
  std::atomic<bool> stopping_{false}, stopped_{false};
  Event idle_;
};

int main() {
  Device device;
  std::thread worker([&] { device.request(); });
  std::thread stopper([&] { device.stop(); });
  worker.join();
  stopper.join();
}
