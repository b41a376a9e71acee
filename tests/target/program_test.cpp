// Files that cannot be run under control are refused with a sentence before anything is started.
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "programs.hpp"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

class Program : public testing::Test {
 protected:
  fs::path dir = fs::temp_directory_path() / ("lockstep-program-test-" + std::to_string(getpid()));
  void SetUp() override { fs::create_directories(dir); }
  void TearDown() override { fs::remove_all(dir); }
  std::string file(const char* name, const std::string& content, int mode) {
    const fs::path path = dir / name;
    std::ofstream(path) << content;
    chmod(path.c_str(), static_cast<mode_t>(mode));
    return path;
  }
  static void refused(const std::string& path, ExitCode code, const char* says) {
    const auto found = find_program(path);
    ASSERT_FALSE(found) << path;
    EXPECT_EQ(found.error().code, code) << found.error().message;
    EXPECT_NE(found.error().message.find(says), std::string::npos) << found.error().message;
  }
};

TEST_F(Program, Missing) { refused((dir / "nothing").string(), ExitCode::Usage, "cannot find"); }
TEST_F(Program, Directory) { refused(dir.string(), ExitCode::Usage, "directory"); }
TEST_F(Program, NotExecutable) { refused(file("text", "hello", 0644), ExitCode::Usage, "not executable"); }
TEST_F(Program, Script) {
  refused(file("script", "#!/bin/sh\n", 0755), ExitCode::Uncontrolled, "not a compiled program");
}
TEST_F(Program, Empty) { refused(file("empty", "", 0755), ExitCode::Uncontrolled, "not a compiled program"); }
TEST_F(Program, TruncatedElf) {
  refused(file("short",
               std::string("\x7f"
                           "ELF\x02\x01",
                           6),
               0755),
          ExitCode::Uncontrolled, "not a compiled program");
}

TEST_F(Program, Static) {
  const std::string source = file("s.c", "int main(void) { return 0; }", 0644);
  const std::string out = (dir / "static").string();
  ASSERT_EQ(std::system(("cc -static -o " + out + " " + source).c_str()), 0);
  refused(out, ExitCode::Uncontrolled, "statically linked");
}

TEST_F(Program, GarbageHeadersDoNotCrash) {
  std::string elf;
  std::ifstream in(LOCKSTEP_PROGRAMS "/counts-plain", std::ios::binary);
  elf.assign(std::istreambuf_iterator<char>(in), {});
  uint64_t state = 1;
  for (int round = 0; round < 300; ++round) {
    std::string damaged = elf.substr(0, 4096);
    for (int i = 0; i < 8; ++i) {
      state = state * 6364136223846793005ull + 1442695040888963407ull;
      damaged[(state >> 33) % 1024] = static_cast<char>(state >> 56);
    }
    (void)find_program(file("damaged", damaged, 0755));
  }
}

}  // namespace
}  // namespace lockstep
