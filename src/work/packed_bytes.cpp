#include "work/packed_bytes.hpp"

#include <fcntl.h>
#include <openssl/evp.h>
#include <unistd.h>
#include <zstd.h>

#include <memory>

namespace lockstep {
namespace {

constexpr uint64_t kMostBytes = 4ull << 30;

class Sha256 {
 public:
  Sha256() { EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr); }
  void add(const void* data, size_t size) { EVP_DigestUpdate(context_.get(), data, size); }
  std::string hexadecimal() {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    EVP_DigestFinal_ex(context_.get(), digest, &size);
    std::string text;
    for (unsigned i = 0; i < size; ++i) {
      text += "0123456789abcdef"[digest[i] >> 4];
      text += "0123456789abcdef"[digest[i] & 15];
    }
    return text;
  }

 private:
  struct Free {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  };
  std::unique_ptr<EVP_MD_CTX, Free> context_{EVP_MD_CTX_new()};
};

}  // namespace

std::string compressed(std::string_view bytes) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  const size_t size = ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 1);
  out.resize(ZSTD_isError(size) ? 0 : size);
  return out;
}

std::optional<std::string> decompressed(std::string_view bytes) {
  const unsigned long long size = ZSTD_getFrameContentSize(bytes.data(), bytes.size());
  if (size == ZSTD_CONTENTSIZE_UNKNOWN || size == ZSTD_CONTENTSIZE_ERROR || size > kMostBytes) return std::nullopt;
  std::string out(size, '\0');
  const size_t done = ZSTD_decompress(out.data(), out.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(done) || done != size) return std::nullopt;
  return out;
}

std::string content_hash(std::string_view bytes) {
  Sha256 hash;
  hash.add(bytes.data(), bytes.size());
  return hash.hexadecimal();
}

std::optional<std::string> content_hash_of_file(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return std::nullopt;
  Sha256 hash;
  char bytes[1 << 16];
  ssize_t size = 0;
  while ((size = ::read(file, bytes, sizeof bytes)) > 0) hash.add(bytes, static_cast<size_t>(size));
  ::close(file);
  if (size < 0) return std::nullopt;
  return hash.hexadecimal();
}

}  // namespace lockstep
