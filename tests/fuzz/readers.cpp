// One reader each, chosen by READER: whatever it is given, it says yes or no.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <string>

#include "campaign/saved_exploration.hpp"
#include "cli/options.hpp"
#include "report/schedule_file.hpp"
#include "report/suppressions.hpp"
#include "report/test_failure.hpp"
#include "target/test_frameworks.hpp"

namespace lockstep {
namespace {

[[maybe_unused]] void schedule(const std::string& text) { (void)parse_schedule(text, "file"); }

[[maybe_unused]] void exploration(const std::string& text) {
  SavedExploration run;
  (void)unpack_exploration(text, run);
}

[[maybe_unused]] void suppressions(const std::string& text) { (void)Suppressions::parse(text, "file"); }

[[maybe_unused]] void environment(const std::string& text) {
  Options options;
  (void)apply_environment(options, text);
}

[[maybe_unused]] void toml(const std::string& text) {
  const int file = memfd_create("toml", 0);
  Options options;
  if (write(file, text.data(), text.size()) >= 0) (void)apply_file(options, "/proc/self/fd/" + std::to_string(file));
  close(file);
}

[[maybe_unused]] void test_lists(const std::string& text) {
  (void)read_google_list(text, true);
  (void)read_catch_list(text);
  (void)read_doctest_list(text);
  (void)read_boost_list(text);
  (void)with_name(words_of(text), "name");
}

[[maybe_unused]] void test_output(const std::string& text) { (void)read_test_failure(text); }

}  // namespace
}  // namespace lockstep

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  lockstep::READER(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
