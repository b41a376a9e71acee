// Parses command lines with CLI11.
#include "cli/parse.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <deque>
#include <sstream>

#include "target/test_frameworks.hpp"

namespace lockstep {
namespace {

using Words = std::vector<std::string>;

// The words of a command line up to the user's program, and the program with its arguments.
struct Split {
  Words ours, program;
};

bool is_option(const std::string& word) { return word.size() > 1 && word[0] == '-'; }

std::optional<Error> unknown_option(const std::string& word, unsigned command) {
  const std::string name = word.substr(0, word.find('='));
  const OptionInfo* elsewhere = name.starts_with("--") ? find_option(name.substr(2)) : nullptr;
  if (elsewhere != nullptr) return usage_error(fmt::format("{} is not an option of this command; see --help", name));
  const std::string near = name.starts_with("--") ? nearest_option(name.substr(2), command) : "";
  return usage_error(fmt::format("unknown option {}{}", name,
                                 near.empty() ? "; see --help" : fmt::format("; did you mean --{}?", near)));
}

// Everything after the program's name belongs to the program, even if it looks like an option of Lockstep. With
// `stop_at_word`, the first word that is not an option starts the program; otherwise only `--` does.
Result<Split> split(const Words& words, unsigned command, bool stop_at_word) {
  Split out;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--" || (stop_at_word && !is_option(word))) {
      out.program.assign(words.begin() + static_cast<ptrdiff_t>(word == "--" ? i + 1 : i), words.end());
      return out;
    }
    out.ours.push_back(word);
    if (!is_option(word) || word == "-h" || word == "--help") continue;
    const OptionInfo* info = word.starts_with("--") ? find_option(word.substr(2, word.find('=') - 2)) : nullptr;
    if (info == nullptr || !(info->commands & command)) return *unknown_option(word, command);
    if (info->value == nullptr || word.find('=') != std::string::npos) continue;
    if (i + 1 == words.size() || words[i + 1].starts_with("--"))
      return usage_error(fmt::format("{} needs a value: {}", word, info->value));
    out.ours.push_back(words[++i]);
  }
  return out;
}

class Parser {
 public:
  Parser()
      : app_(
            "Lockstep runs a program along one thread schedule after another, reports those that fail, "
            "and replays them.",
            "lockstep") {
    app_.set_version_flag("--version", "lockstep " LOCKSTEP_VERSION, "print the version");
    app_.require_subcommand(0, 1);
    app_.footer(
        "Exit codes: 0 no bug, 1 bug, 2 wrong usage, 3 incomplete (with --require-complete),\n"
        "            4 the program could not be controlled, 130 interrupted.");
    run_ = app_.add_subcommand("run", summary_of("run"));
    run_->add_option("PROGRAM", command_, "the program and its arguments")->type_name("[ARGS...]");
    add_options(*run_, kRun);
    run_->footer(
        "Every option can also be set in LOCKSTEP_OPTIONS=key=value:key=value and in lockstep.toml;\n"
        "the command line wins over the environment, which wins over the file.");
    replay_ = add_schedule_command("replay", kReplay, "Add -- PROGRAM [ARGS...] to replay with another program.");
    resume_ = app_.add_subcommand("resume", summary_of("resume"));
    resume_->add_option("DIR", folder_, "the --out directory of that run; by default lockstep-out/PROGRAM")
        ->type_name("");
    shrink_ = add_schedule_command("shrink", kShrink,
                                   "-o is short for --output. Add -- PROGRAM [ARGS...] to use another program.");
    explain_ = add_schedule_command("explain", kExplain, "Add -- PROGRAM [ARGS...] to use another program.");
    debug_ = add_schedule_command(
        "debug", kDebug,
        "gdb stops at the failure. There, 'lockstep back [N]', 'lockstep next [N]' and 'lockstep goto STEP' move by\n"
        "steps of the story, 'lockstep other' shows the first access of a race, 'help lockstep' lists the rest.\n"
        "Add -- PROGRAM [ARGS...] to use another program.");
    work_ = app_.add_subcommand("work", summary_of("work"));
    add_options(*work_, kWork);
    work_->footer("Runs until it is interrupted; see docs/distributed.md for what it trusts.");
    list_ = app_.add_subcommand("list", summary_of("list"));
    list_->add_option("WHAT", what_, "strategies, ranks, analyses, intercepts, or tests PROGRAM [ARGS...]")
        ->type_name("");
    list_->add_flag("--json", list_json_, "write JSON");
  }

  Result<ParsedCommand> parse(const Words& words, const Surroundings& surroundings) {
    const std::string command = words.empty() ? "" : words[0];
    const Words rest(words.begin() + (words.empty() ? 0 : 1), words.end());
    if (command == "run") return parse_run(rest, surroundings);
    if (command == "replay") return parse_replay<ReplayCommand>("replay", *replay_, kReplay, rest, surroundings);
    if (command == "shrink")
      return parse_replay<ShrinkCommand>("shrink", *shrink_, kShrink, spell_out(rest), surroundings);
    if (command == "explain") return parse_replay<ExplainCommand>("explain", *explain_, kExplain, rest, surroundings);
    if (command == "debug") return parse_replay<DebugCommand>("debug", *debug_, kDebug, rest, surroundings);
    if (command == "resume") return parse_resume(rest);
    if (command == "work") return parse_work(rest, surroundings);
    if (command == "list") return parse_list(rest);
    if (command.empty())
      return usage_error(
          "no command given; use run, replay, explain, debug, shrink, resume, work or list, or see 'lockstep --help'");
    if (command == "--help" || command == "-h" || command == "--version") return read({command});
    if (is_option(command)) return usage_error(fmt::format("unknown option {}; see 'lockstep --help'", command));
    return usage_error(
        fmt::format("unknown command '{}'; use run, replay, explain, debug, shrink, resume, work or list", command));
  }

 private:
  CLI::App* add_schedule_command(const char* name, unsigned which, const char* footer) {
    CLI::App* command = app_.add_subcommand(name, summary_of(name));
    command->add_option("FILE", schedule_, "a .lockstep file written by 'lockstep run'")->type_name("");
    add_options(*command, which);
    command->footer(footer);
    return command;
  }
  void add_options(CLI::App& command, unsigned which) {
    for (const OptionInfo& info : option_table()) {
      if (!(info.commands & which)) continue;
      const std::string name = std::string("--") + info.name;
      if (info.value == nullptr) {
        command.add_flag(name, info.help);
        continue;
      }
      auto* option = command.add_option(name, values_.emplace_back(), info.help)->type_name(info.value);
      option->multi_option_policy(info.repeatable ? CLI::MultiOptionPolicy::TakeAll : CLI::MultiOptionPolicy::TakeLast);
      option->expected(1)->allow_extra_args(false);
    }
  }

  // Parses with CLI11. Returns a value only for help, version and errors.
  Result<ParsedCommand> read(Words words) {
    try {
      std::reverse(words.begin(), words.end());
      app_.parse(words);
      return ParsedCommand{ShowText{}};
    } catch (const CLI::Success& asked) {
      std::ostringstream text;
      app_.exit(asked, text, text);
      return ParsedCommand{ShowText{text.str()}};
    } catch (const CLI::ParseError& error) {
      return usage_error(error.what());
    }
  }

  std::optional<Error> apply(CLI::App& command, unsigned which, Options& options, const Surroundings& surroundings) {
    if (auto error = apply_file(options, surroundings.file)) return error;
    if (auto error = apply_environment(options, surroundings.environment)) return error;
    for (const OptionInfo& info : option_table()) {
      const std::string name = std::string("--") + info.name;
      if (!(info.commands & which) || command.count(name) == 0) continue;
      const Words given = command.get_option(name)->results();
      for (const std::string& value : info.repeatable ? given : Words{given.back()})
        if (auto error = set_option(options, info, value, name)) return error;
    }
    return std::nullopt;
  }

  Result<ParsedCommand> parse_resume(const Words& rest) {
    Words words = {"resume"};
    words.insert(words.end(), rest.begin(), rest.end());
    Result<ParsedCommand> text = read(words);
    if (!text || !std::get<ShowText>(*text).text.empty()) return text;
    if (folder_.empty()) return usage_error("no directory given; use 'lockstep resume DIR'");
    return ParsedCommand{ResumeCommand{folder_}};
  }

  Result<ParsedCommand> parse_run(const Words& rest, const Surroundings& surroundings) {
    Result<Split> parts = split(rest, kRun, true);
    if (!parts) return parts.error();
    Words words = {"run"};
    words.insert(words.end(), parts->ours.begin(), parts->ours.end());
    Result<ParsedCommand> text = read(words);
    if (!text || !std::get<ShowText>(*text).text.empty()) return text;
    RunCommand run;
    if (auto error = apply(*run_, kRun, run.options, surroundings)) return *error;
    if (run.options.workers == 0u && run.options.queue.empty())
      return usage_error("--workers 0 needs --queue, whose workers run the program");
    if (!run.options.test_run.empty() && run.options.tests_list.empty())
      return usage_error("--test-run needs --tests-list: a command that prints the names of the tests");
    if (parts->program.empty()) parts->program = words_of(run.options.test_run);
    if (parts->program.empty()) return usage_error("no program given; use 'lockstep run [options] PROGRAM [ARGS...]'");
    run.options.command = parts->program;
    if (std::find(rest.begin(), rest.end(), "--") == rest.end()) run.hint = hint_about(parts->program);
    return ParsedCommand{run};
  }

  Result<ParsedCommand> parse_work(const Words& rest, const Surroundings& surroundings) {
    Result<Split> parts = split(rest, kWork, true);
    if (!parts) return parts.error();
    if (!parts->program.empty())
      return usage_error(fmt::format("work takes no program: '{}'; explorations name theirs", parts->program[0]));
    Words words = {"work"};
    words.insert(words.end(), parts->ours.begin(), parts->ours.end());
    Result<ParsedCommand> text = read(words);
    if (!text || !std::get<ShowText>(*text).text.empty()) return text;
    WorkCommand work;
    if (auto error = apply(*work_, kWork, work.options, surroundings)) return *error;
    if (work.options.queue.empty())
      return usage_error("no queue given; use 'lockstep work --queue redis://host:port/name'");
    if (work.options.workers == 0u) return usage_error("--workers: '0' is not a whole number of at least 1");
    return ParsedCommand{work};
  }

  // Names options in the program's arguments that were probably meant for Lockstep.
  static std::string hint_about(const Words& program) {
    for (size_t i = 1; i < program.size(); ++i) {
      const std::string name = program[i].substr(0, program[i].find('='));
      const OptionInfo* info = name.starts_with("--") ? find_option(name.substr(2)) : nullptr;
      if (info != nullptr && info->commands & kRun)
        return fmt::format("{} after PROGRAM is given to the program; for Lockstep put it before {}", name, program[0]);
    }
    return "";
  }

  // Replaces the one short option before the program's own words.
  static Words spell_out(Words words) {
    for (std::string& word : words) {
      if (word == "--") break;
      if (word == "-o") word = "--output";
    }
    return words;
  }

  // Adds a command on one recorded schedule.
  template <class Command>
  Result<ParsedCommand> parse_replay(const std::string& name, CLI::App& app, unsigned which, const Words& rest,
                                     const Surroundings& surroundings) {
    Result<Split> parts = split(rest, which, false);
    if (!parts) return parts.error();
    const bool separator = std::find(rest.begin(), rest.end(), "--") != rest.end();
    if (separator && parts->program.empty()) return usage_error("no program given after --");
    Words words = {name};
    words.insert(words.end(), parts->ours.begin(), parts->ours.end());
    if (std::count_if(parts->ours.begin(), parts->ours.end(),
                      [](const std::string& w) { return w == "-h" || w == "--help"; }))
      words = {name, "--help"};
    Result<ParsedCommand> text = read(words);
    if (!text || !std::get<ShowText>(*text).text.empty()) return text;
    Command command;
    if (auto error = apply(app, which, command.options, surroundings)) return *error;
    if (schedule_.empty()) return usage_error(fmt::format("no schedule given; use 'lockstep {} FILE'", name));
    command.options.schedule = schedule_;
    command.options.command = parts->program;
    return ParsedCommand{command};
  }

  Result<ParsedCommand> parse_list(const Words& rest) {
    if (!rest.empty() && rest[0] == "tests") {
      const bool separated = rest.size() > 1 && rest[1] == "--";
      const Words program(rest.begin() + (separated ? 2 : 1), rest.end());
      if (program.empty()) return usage_error("no program given; use 'lockstep list tests PROGRAM [ARGS...]'");
      return ParsedCommand{ListCommand{"tests", false, program}};
    }
    for (const std::string& word : rest)
      if (is_option(word) && word != "--json" && word != "--help" && word != "-h") return *unknown_option(word, 0);
    Words words = {"list"};
    words.insert(words.end(), rest.begin(), rest.end());
    Result<ParsedCommand> text = read(words);
    if (!text || !std::get<ShowText>(*text).text.empty()) return text;
    if (what_ != "strategies" && what_ != "ranks" && what_ != "analyses" && what_ != "intercepts")
      return usage_error(
          what_.empty()
              ? "nothing to list; use 'lockstep list strategies', ranks, analyses, intercepts or tests PROGRAM"
              : fmt::format("cannot list '{}'; use strategies, ranks, analyses, intercepts or tests PROGRAM", what_));
    return ParsedCommand{ListCommand{what_, list_json_}};
  }

  CLI::App app_;
  CLI::App *run_, *replay_, *shrink_, *explain_, *debug_, *resume_, *work_, *list_;
  std::deque<Words> values_;  // CLI11 needs storage for the values, which are read from the options directly
  Words command_;
  std::string schedule_, folder_, what_;
  bool list_json_ = false;
};

}  // namespace

Result<ParsedCommand> parse_command_line(const Words& arguments, const Surroundings& surroundings) {
  return Parser().parse(arguments, surroundings);
}

}  // namespace lockstep
