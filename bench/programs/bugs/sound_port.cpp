// After CVE-2017-15265: a port is published, and deleted by another, before its maker has finished with it.
#include "harness.hpp"
struct Port {
  int number;
  std::atomic<int> users = 0;
};
int main() {
  std::mutex lock;
  std::vector<Port*> ports;
  auto create = [&](int number) {
    auto* port = new Port{number};
    {
      std::scoped_lock g(lock);
      ports.push_back(port);
    }
    port->number += 1;
  };
  auto remove = [&](int number) {
    Port* found = nullptr;
    {
      std::scoped_lock g(lock);
      for (size_t i = 0; i < ports.size(); ++i)
        if (ports[i]->number == number) {
          found = ports[i];
          ports.erase(ports.begin() + static_cast<long>(i));
          break;
        }
    }
    delete found;
  };
  together(
      [&] {
        create(1);
        create(3);
      },
      [&] {
        remove(3);
        remove(1);
      });
}
