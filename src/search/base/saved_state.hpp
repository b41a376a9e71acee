// Writers and readers of a saved search, which another process can continue. The data are plain bytes in this machine's
// layout; the surrounding file has a version and a checksum.
#pragma once
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace lockstep {

class StateWriter {
 public:
  StateWriter() = default;  // keeps everything in bytes()
  // Passes the data to `sink` piece by piece, so they need not fit into memory.
  explicit StateWriter(std::function<void(std::string_view)> sink) : sink_(std::move(sink)) {}
  ~StateWriter() { flush(); }
  StateWriter(const StateWriter&) = delete;

  template <class T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    put_bytes(&value, sizeof value);
  }
  void put_bytes(const void* data, size_t size) {
    if (sink_ && bytes_.size() + size > kPiece) {
      flush();
      if (size > kPiece) return sink_({static_cast<const char*>(data), size});
    }
    bytes_.append(static_cast<const char*>(data), size);
  }
  template <class T, class Allocator>
  void put_all(const std::vector<T, Allocator>& values) {
    put<uint64_t>(values.size());
    put_bytes(values.data(), sizeof(T) * values.size());
  }
  void put_text(std::string_view text) {
    put<uint64_t>(text.size());
    put_bytes(text.data(), text.size());
  }
  std::string& bytes() { return bytes_; }

 private:
  static constexpr size_t kPiece = size_t{1} << 16;

  void flush() {
    if (!sink_ || bytes_.empty()) return;
    sink_(bytes_);
    bytes_.clear();
  }

  std::string bytes_;
  std::function<void(std::string_view)> sink_;
};

// A read past the end, or an impossible length, sets the reader to bad permanently. Later reads return zero or empty
// values.
class StateReader {
 public:
  explicit StateReader(std::string_view bytes) : rest_(bytes) {}
  bool good() const { return good_; }
  bool at_end() const { return rest_.empty(); }

  template <class T>
  T get() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value{};
    get_bytes(&value, sizeof value);
    return value;
  }
  bool get_bytes(void* out, size_t size) {
    if (!good_ || rest_.size() < size) return good_ = false;
    if (size) std::memcpy(out, rest_.data(), size);
    rest_.remove_prefix(size);
    return true;
  }
  template <class T, class Values = std::vector<T>>
  Values get_all() {
    const auto count = get<uint64_t>();
    if (!good_ || count > rest_.size() / sizeof(T)) {
      good_ = false;
      return {};
    }
    Values values(count);
    get_bytes(values.data(), sizeof(T) * count);
    return values;
  }
  std::string get_text() {
    const auto size = get<uint64_t>();
    if (!good_ || size > rest_.size()) {
      good_ = false;
      return {};
    }
    std::string text(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return text;
  }
  std::string_view rest() const { return rest_; }
  void reject() { good_ = false; }

 private:
  std::string_view rest_;
  bool good_ = true;
};

}  // namespace lockstep
