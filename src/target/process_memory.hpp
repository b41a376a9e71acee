// Reads the memory of a stopped process.
#pragma once
#include <sys/uio.h>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

namespace lockstep {

// An object whose parts an optimiser keeps in registers. It gets an address that no program uses.
struct SplitObject {
  std::vector<uint8_t> bytes;
  std::vector<bool> known;  // by byte: the value of the byte is available

  void add(const void* data, size_t size, bool is_known) {  // `data` is used only if `is_known`
    const size_t begin = bytes.size();
    bytes.resize(begin + size);
    known.resize(begin + size, is_known);
    if (is_known) std::memcpy(bytes.data() + begin, data, size);
  }
};
using SplitObjects = std::deque<SplitObject>;

class ProcessMemory {
 public:
  explicit ProcessMemory(int pid = 0, std::shared_ptr<SplitObjects> split = {}) : pid_(pid), split_(std::move(split)) {}

  bool read(uint64_t address, void* out, size_t size) const {
    if (address >= kSplit) return read_split(address - kSplit, out, size);
    iovec local{out, size}, remote{reinterpret_cast<void*>(address), size};
    return process_vm_readv(pid_, &local, 1, &remote, 1, 0) == static_cast<ssize_t>(size);
  }
  // `size`: at most 8 bytes; the rest of the word is 0.
  std::optional<uint64_t> word(uint64_t address, size_t size = 8) const {
    uint64_t value = 0;
    if (size == 0 || size > 8 || !read(address, &value, size)) return std::nullopt;
    return value;
  }
  uint64_t keep(SplitObject object) const {  // returns its address
    if (!split_) return 0;
    split_->push_back(std::move(object));
    return kSplit + (split_->size() - 1) * kRoom;
  }

 private:
  static constexpr uint64_t kSplit = 0xf000'0000'0000'0000ull, kRoom = 1 << 16;

  bool read_split(uint64_t offset, void* out, size_t size) const {
    if (!split_ || offset / kRoom >= split_->size()) return false;
    const SplitObject& object = (*split_)[offset / kRoom];
    const size_t begin = offset % kRoom;
    if (begin + size > object.bytes.size()) return false;
    for (size_t i = begin; i < begin + size; ++i)
      if (!object.known[i]) return false;
    std::memcpy(out, object.bytes.data() + begin, size);
    return true;
  }

  int pid_;
  std::shared_ptr<SplitObjects> split_;
};

}  // namespace lockstep
