// Reads options from the environment and from lockstep.toml.
#include "cli/options.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>
#include <filesystem>

#include "report/input_file.hpp"

namespace lockstep {
namespace {

constexpr const char* kEnvironment = "LOCKSTEP_OPTIONS";

std::optional<Error> unknown_key(std::string_view key, std::string_view source) {
  const std::string near = nearest_option(key, kRun | kReplay | kShrink);
  return usage_error(fmt::format("{}: unknown key '{}'{}", source, key,
                                 near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
}

// Takes the next item of LOCKSTEP_OPTIONS, up to a colon outside quotes, off `text`. nullopt: a quote is not closed.
std::optional<std::string> next_item(std::string_view& text) {
  std::string item;
  char quote = 0;
  size_t i = 0;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (quote) {
      if (c == quote)
        quote = 0;
      else
        item += c;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == ':') {
      break;
    } else {
      item += c;
    }
  }
  if (quote) return std::nullopt;
  text.remove_prefix(std::min(i + 1, text.size()));
  return item;
}

// A TOML value as a user would type it; nullopt for tables, dates and other types.
std::optional<std::string> as_text(const toml::node& node) {
  if (auto text = node.as_string()) return text->get();
  if (auto number = node.as_integer()) return std::to_string(number->get());
  if (auto flag = node.as_boolean()) return flag->get() ? "true" : "false";
  return std::nullopt;
}

}  // namespace

std::optional<Error> set_option(Options& options, const OptionInfo& info, const std::string& value,
                                std::string_view source) {
  if (auto problem = info.set(options, value)) return usage_error(fmt::format("{}: {}", source, *problem));
  return std::nullopt;
}

std::optional<Error> apply_environment(Options& options, std::string_view text) {
  while (!text.empty()) {
    const auto item = next_item(text);
    if (!item) return usage_error(fmt::format("{}: missing closing quote", kEnvironment));
    if (item->empty()) continue;
    const size_t equals = item->find('=');
    const std::string key = item->substr(0, equals);
    const OptionInfo* info = find_option(key);
    if (info == nullptr) return unknown_key(key, kEnvironment);
    if (equals == std::string::npos && info->value != nullptr)
      return usage_error(fmt::format("{}: {} needs a value: {}={}", kEnvironment, key, key, info->value));
    const std::string value = equals == std::string::npos ? "true" : item->substr(equals + 1);
    if (auto error = set_option(options, *info, value, fmt::format("{}: {}", kEnvironment, key))) return error;
  }
  return std::nullopt;
}

std::optional<Error> apply_file(Options& options, const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return std::nullopt;
  toml::table table;
  try {
    Result<std::string> text = read_input_file(path, 1 << 24);
    if (!text) return text.error();
    table = toml::parse(*text, path);
  } catch (const toml::parse_error& error) {
    return usage_error(fmt::format("{}:{}: {}", path, error.source().begin.line, error.description()));
  } catch (const std::exception& error) {
    return usage_error(fmt::format("cannot read {}: {}", path, error.what()));
  }
  for (const auto& [key, node] : table) {
    const OptionInfo* info = find_option(key.str());
    if (info == nullptr) return unknown_key(key.str(), path);
    const std::string source = fmt::format("{}: {}", path, key.str());
    std::vector<std::optional<std::string>> values;
    if (const toml::array* list = node.as_array(); list != nullptr && info->repeatable) {
      for (const toml::node& item : *list) values.push_back(as_text(item));
    } else {
      values.push_back(as_text(node));
    }
    for (const auto& value : values) {
      if (!value) return usage_error(source + ": value must be text, a whole number, true or false");
      if (auto error = set_option(options, *info, *value, source)) return error;
    }
  }
  return std::nullopt;
}

void keep_drawn_seed(Options& options) {
  if (!options.seed_drawn) return;
  std::vector<std::string>& words = options.arguments;
  const std::string seed = std::to_string(options.strategy.seed);
  for (size_t i = 0; i + options.command.size() < words.size(); ++i) {
    const bool in_one = words[i] == "--seed=random";
    if (!in_one && !(words[i] == "random" && i > 0 && words[i - 1] == "--seed")) continue;
    words[i] = in_one ? "--seed=" + seed : seed;
    return;
  }
  words.insert(words.begin() + 1, "--seed=" + seed);  // --seed=random came from the environment or a file
}

}  // namespace lockstep
