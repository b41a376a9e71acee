// The program under test inside lockstep::explore(): explore STRATEGY PREEMPTIONS|none report|ignore stop|keep PROGRAM
// Prints what falsify.py reads of the JSON of `lockstep run`.
#include <cstdio>
#include <cstring>
#include <lockstep/lockstep.hpp>
#include <string>

void run_program();  // program.cpp

int main(int argc, char** argv) {
  if (argc != 6) return 2;
  lockstep::Options options;
  options.strategy = argv[1];
  if (std::strcmp(argv[2], "none") != 0) options.preemptions = static_cast<uint32_t>(std::stoul(argv[2]));
  options.races = std::strcmp(argv[3], "report") == 0;
  options.keep_going = std::strcmp(argv[4], "keep") == 0;
  options.executions = 4000;
  const lockstep::Result result = lockstep::explore(run_program, options);
  if (!result.error.empty()) {
    std::fprintf(stderr, "%s\n", result.error.c_str());
    return 4;
  }
  std::printf("{\n\"complete\": %s, \"guarantee\": \"%s\", \"bugs\": [", result.complete ? "true" : "false",
              result.guarantee.c_str());
  const char* separator = "";
  for (const lockstep::Bug& bug : result.bugs) {
    std::printf("%s{\"kind\": \"%s\", \"preemptions\": null}", separator, bug.kind.c_str());
    separator = ", ";
  }
  std::printf("]}\n");
}
