// Expected failures as values: a value, or one clear sentence for the user and its exit code.
#pragma once
#include <string>
#include <utility>
#include <variant>

namespace lockstep {

// Exit codes of every lockstep command.
enum class ExitCode : int { NoBug = 0, Bug = 1, Usage = 2, Incomplete = 3, Uncontrolled = 4, Interrupted = 130 };

struct Error {
  ExitCode code = ExitCode::Usage;
  std::string message;  // one sentence: what is wrong and what to do
};
inline Error usage_error(std::string message) { return {ExitCode::Usage, std::move(message)}; }
inline std::string quoted(std::string_view text) { return std::string(1, '\'').append(text).append(1, '\''); }

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}
  Result(Error error) : state_(std::move(error)) {}
  explicit operator bool() const { return state_.index() == 0; }
  T& operator*() { return std::get<0>(state_); }
  const T& operator*() const { return std::get<0>(state_); }
  T* operator->() { return &std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }
  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

}  // namespace lockstep
