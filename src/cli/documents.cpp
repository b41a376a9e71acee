// Writes the man page and the shells' completions from the table of options, so that they cannot differ from it.
//
// usage: lockstep_documents man|bash|zsh|fish > FILE
#include <fmt/format.h>
#include <cstdio>
#include <string>

#include "cli/options.hpp"

namespace lockstep {
namespace {

std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '-') {
      out += "\\-";
    } else if (c == '\\') {
      out += "\\e";
    } else {
      out += c;
    }
  }
  return out;
}

std::string man_page() {
  std::string page = fmt::format(
      ".TH LOCKSTEP 1 \"\" \"lockstep {}\" \"User Commands\"\n"
      ".SH NAME\nlockstep \\- explore the thread interleavings of a program until one fails, and replay it\n"
      ".SH SYNOPSIS\n",
      LOCKSTEP_VERSION);
  for (const CommandInfo& command : command_table())
    page += fmt::format(".B lockstep {}\n{}\n.br\n", command.name, roff(command.arguments));
  page +=
      ".SH DESCRIPTION\n"
      "Lockstep takes control of the threads of an ordinary C++ program, runs it along one interleaving after "
      "another,\n"
      "and reports the deadlock, data race, livelock, crash or failed assertion it finds with a schedule that repeats "
      "it\n"
      "exactly. When it finds nothing it says in one sentence what has been proved.\n"
      ".PP\n"
      "Programs compiled with\n.BR lockstep\\-cxx \" or \" lockstep\\-cc\n"
      "are controlled at every atomic operation and racy access; unmodified ones at calls of the thread library.\n";
  for (const CommandInfo& command : command_table()) {
    page += fmt::format(".SH LOCKSTEP {}\n{}.\n", command.name, roff(command.summary));
    for (const OptionInfo& option : option_table()) {
      if (!(option.commands & command.bit)) continue;
      page += fmt::format(".TP\n.B \\-\\-{}{}\n{}\n", roff(option.name),
                          option.value ? fmt::format(" \\fI{}\\fR", roff(option.value)) : "", roff(option.help));
    }
  }
  return page +
         ".SH ENVIRONMENT\n.TP\n.B LOCKSTEP_OPTIONS\nkey=value:key=value, with the names of the options.\n"
         ".TP\n.B NO_COLOR\nno colours.\n"
         ".SH FILES\n.TP\n.I lockstep.toml\noptions of the working directory; the environment and the command line "
         "win.\n"
         ".TP\n.I lockstep\\-out/PROGRAM\nschedules of failures, and the state of an interrupted exploration.\n"
         ".SH EXIT STATUS\n.TP\n.B 0\nno bug found\n.TP\n.B 1\nbug found, or reproduced\n.TP\n.B 2\nwrong usage or bad "
         "input\n"
         ".TP\n.B 3\nno bug, but incomplete, with \\-\\-require\\-complete\n.TP\n.B 4\nthe program could not be "
         "controlled\n"
         ".TP\n.B 130\ninterrupted; says how to resume\n";
}

// "sync|atomics|racy" is a choice to complete; "N", "FILE" are not.
std::string choices(const OptionInfo& option) {
  const std::string value = option.value ? option.value : "";
  if (value.find('|') == std::string::npos || value != [&] {
        std::string lower = value;
        for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        return lower;
      }())
    return "";
  std::string words = value;
  for (char& c : words)
    if (c == '|') c = ' ';
  return words;
}

bool takes_path(const OptionInfo& option) {
  return option.value && (std::string_view(option.value) == "FILE" || std::string_view(option.value) == "DIR");
}

std::string names_of(unsigned bit) {
  std::string names;
  for (const OptionInfo& option : option_table())
    if (option.commands & bit) names += fmt::format("{}--{}", names.empty() ? "" : " ", option.name);
  return names;
}

std::string commands() {
  std::string names;
  for (const CommandInfo& command : command_table())
    names += fmt::format("{}{}", names.empty() ? "" : " ", command.name);
  return names;
}

std::string bash() {
  std::string text = fmt::format(
      "# bash completion for lockstep\n"
      "_lockstep() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}}\n"
      "  if ((COMP_CWORD == 1)); then COMPREPLY=($(compgen -W \"{} --help --version\" -- \"$word\")); return; fi\n"
      "  case $before in\n",
      commands());
  for (const OptionInfo& option : option_table())
    if (const std::string words = choices(option); !words.empty())
      text += fmt::format("    --{}) COMPREPLY=($(compgen -W \"{}\" -- \"$word\")); return ;;\n", option.name, words);
  text +=
      "    --strategy) COMPREPLY=($(compgen -W \"$(lockstep list strategies | awk '{print $1}')\" -- \"$word\")); "
      "return ;;\n"
      "    --rank) COMPREPLY=($(compgen -W \"$(lockstep list ranks | awk '{print $1}')\" -- \"$word\")); return ;;\n"
      "    list) COMPREPLY=($(compgen -W \"strategies ranks analyses intercepts\" -- \"$word\")); return ;;\n"
      "  esac\n"
      "  if [[ $word != -* ]]; then COMPREPLY=($(compgen -f -- \"$word\")); return; fi\n"
      "  case ${COMP_WORDS[1]} in\n";
  for (const CommandInfo& command : command_table())
    text += fmt::format("    {}) COMPREPLY=($(compgen -W \"{} --help\" -- \"$word\")) ;;\n", command.name,
                        names_of(command.bit));
  return text + "  esac\n}\ncomplete -o filenames -F _lockstep lockstep\n";
}

std::string zsh_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else if (c == '[' || c == ']' || c == ':') {
      out += fmt::format("\\{}", c);
    } else {
      out += c;
    }
  }
  return out;
}

std::string zsh() {
  std::string text = "#compdef lockstep\n_lockstep() {\n  local -a commands=(\n";
  for (const CommandInfo& command : command_table())
    text += fmt::format("    '{}:{}'\n", command.name, zsh_text(command.summary));
  text += "  )\n  if ((CURRENT == 2)); then _describe command commands; return; fi\n  case $words[2] in\n";
  for (const CommandInfo& command : command_table()) {
    text += fmt::format("    {}) _arguments", command.name);
    for (const OptionInfo& option : option_table()) {
      if (!(option.commands & command.bit)) continue;
      const std::string words = choices(option);
      const std::string what = !option.value        ? ""
                               : !words.empty()     ? fmt::format(":value:({})", words)
                               : takes_path(option) ? ":file:_files"
                                                    : fmt::format(":{}:", zsh_text(option.value));
      text += fmt::format(" \\\n      '{}--{}[{}]{}'", option.repeatable ? "*" : "", option.name, zsh_text(option.help),
                          what);
    }
    text += " \\\n      '*:file:_files' ;;\n";
  }
  return text + "  esac\n}\n_lockstep \"$@\"\n";
}

std::string fish() {
  auto quoted = [](std::string_view text) {
    std::string out = "'";
    for (const char c : text) out += c == '\'' || c == '\\' ? fmt::format("\\{}", c) : std::string(1, c);
    return out + "'";
  };
  std::string text = "# fish completion for lockstep\n";
  for (const CommandInfo& command : command_table())
    text += fmt::format("complete -c lockstep -n __fish_use_subcommand -a {} -d {}\n", command.name,
                        quoted(command.summary));
  for (const CommandInfo& command : command_table())
    for (const OptionInfo& option : option_table()) {
      if (!(option.commands & command.bit)) continue;
      const std::string words = choices(option);
      text += fmt::format("complete -c lockstep -n '__fish_seen_subcommand_from {}' -l {} -d {}{}{}\n", command.name,
                          option.name, quoted(option.help), option.value ? " -r" : "",
                          words.empty() ? "" : fmt::format(" -f -a {}", quoted(words)));
    }
  return text;
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  using namespace lockstep;
  const std::string what = argc == 2 ? argv[1] : "";
  const std::string text = what == "man"    ? man_page()
                           : what == "bash" ? bash()
                           : what == "zsh"  ? zsh()
                           : what == "fish" ? fish()
                                            : "";
  if (text.empty()) return 2;
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() ? 0 : 1;
}
