// Writes the man pages, the shells' completions and the table of docs/options.md from the table of options, so that
// they always agree with it.
//
// usage: lockstep_documents man NAME|bash|zsh|fish|options > FILE
#include <fmt/format.h>
#include <cstdio>
#include <string>

#include "cli/documents/man_pages.hpp"
#include "cli/options.hpp"

namespace lockstep {
namespace {

// Completions of a value: "sync|atomics|racy" is a choice; "N" and "FILE" are not.
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

// The table of docs/options.md.
std::string options() {
  auto cell = [](std::string_view text) {
    std::string out;
    for (const char c : text) out += c == '|' ? "\\|" : std::string(1, c);
    return out;
  };
  std::string text = "| key | value | meaning | commands |\n| --- | --- | --- | --- |\n";
  for (const OptionInfo& option : option_table()) {
    std::string commands;
    for (const CommandInfo& command : command_table())
      if (option.commands & command.bit) commands += fmt::format("{}{}", commands.empty() ? "" : ", ", command.name);
    text += fmt::format("| `{}` | {} | {}{} | {} |\n", option.name, option.value ? cell(option.value) : "true, false",
                        cell(option.help), option.repeatable ? " (a list)" : "", commands);
  }
  return text;
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  using namespace lockstep;
  const std::string what = argc > 1 ? argv[1] : "";
  const std::string text = what == "man"       ? man_page(argc > 2 ? argv[2] : "")
                           : what == "bash"    ? bash()
                           : what == "zsh"     ? zsh()
                           : what == "fish"    ? fish()
                           : what == "options" ? options()
                                               : "";
  if (text.empty()) return 2;
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() ? 0 : 1;
}
