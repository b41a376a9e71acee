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
      ".SH NAME\nlockstep \\- explore the thread schedules of a program, and replay the one that fails\n"
      ".SH SYNOPSIS\n",
      LOCKSTEP_VERSION);
  for (const CommandInfo& command : command_table())
    page += fmt::format(".B lockstep {}\n{}\n.br\n", command.name, roff(command.arguments));
  page +=
      ".SH DESCRIPTION\n"
      "Lockstep controls the threads of an ordinary C++ program and runs it along one schedule after another.\n"
      "It reports deadlocks, data races, livelocks, crashes and failed assertions, each with a schedule that replays\n"
      "it exactly. If it finds no bug, it states in one sentence what it has proved.\n"
      ".PP\n"
      "Programs compiled with\n.BR lockstep\\-cxx \" or \" lockstep\\-cc\n"
      "are preempted at synchronisation calls, atomics and racy accesses; other programs only at synchronisation "
      "calls.\n";
  for (const CommandInfo& command : command_table()) {
    page += fmt::format(".SH LOCKSTEP {}\n{}.\n", command.name, roff(command.summary));
    for (const OptionInfo& option : option_table()) {
      if (!(option.commands & command.bit)) continue;
      page += fmt::format(".TP\n.B \\-\\-{}{}\n{}\n", roff(option.name),
                          option.value ? fmt::format(" \\fI{}\\fR", roff(option.value)) : "", roff(option.help));
    }
  }
  return page +
         ".SH ENVIRONMENT\n.TP\n.B LOCKSTEP_OPTIONS\noptions as key=value:key=value, named as on the command line.\n"
         ".TP\n.B NO_COLOR\nif set, no colours.\n"
         ".SH FILES\n.TP\n.I lockstep.toml\noptions, read from the working directory; the environment and the command "
         "line override them.\n"
         ".TP\n.I lockstep\\-out/PROGRAM\nfailing schedules, and the state of an interrupted exploration.\n"
         ".SH EXIT STATUS\n.TP\n.B 0\nno bug found\n.TP\n.B 1\nbug found, or reproduced\n.TP\n.B 2\nwrong usage or bad "
         "input\n"
         ".TP\n.B 3\nno bug found, but not complete (with \\-\\-require\\-complete)\n"
         ".TP\n.B 4\nthe program could not be controlled\n"
         ".TP\n.B 130\ninterrupted; prints how to resume\n";
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
