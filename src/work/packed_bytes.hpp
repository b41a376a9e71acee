// Messages are compressed: traces of one unit repeat each other.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace lockstep {

std::string compressed(std::string_view bytes);
std::optional<std::string> decompressed(std::string_view bytes);  // none: damaged, or too large to be true

// SHA-256, in hexadecimal. Of a file: none if it cannot be read.
std::string content_hash(std::string_view bytes);
std::optional<std::string> content_hash_of_file(const std::string& path);

}  // namespace lockstep
