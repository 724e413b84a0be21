// Compressed offload bundles: see code_object_compressed.h.
//
// In: bytes that begin with CCOB; there may be more of them than the bundle has. Out: the offload
// bundle inside, or a sentence.
//
// Format (clang "Clang Offload Bundler", compressed bundles): magic, u16 version, u16 method (0 zlib,
// 1 zstd); from version 2 on the size of the whole, then the size unpacked, each u32, in version 3
// u64; u64 hash of what is unpacked; then the data.
#include "code_object_compressed.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

// Of libzstd, which every Debian has, without its headers.
size_t ZSTD_decompress(void *to, size_t capacity, const void *from, size_t size);
size_t ZSTD_findFrameCompressedSize(const void *from, size_t size);
unsigned ZSTD_isError(size_t result);

static const char magic[4] = "CCOB";
static const size_t most_bytes = (size_t)1 << 32; // unpacked; no bundle is larger

typedef struct {
  uint16_t version, method;
  uint64_t whole, unpacked; // bytes; whole is 0 where it is not told
  size_t header;            // bytes before the data
} Header;

bool bundle_is_compressed(const uint8_t *bytes, size_t size) {
  return size >= sizeof magic && !memcmp(bytes, magic, sizeof magic);
}

static uint64_t number(const uint8_t *bytes, size_t width) {
  uint64_t value = 0;
  memcpy(&value, bytes, width);
  return value;
}

static bool read_header(const uint8_t *bytes, size_t size, Header *header, LoadError *error) {
  enum { VERSION_AT = 4, METHOD_AT = 6, SIZES_AT = 8, HASH_BYTES = 8 };
  if (size < SIZES_AT)
    return load_error(error, "The compressed offload bundle is cut off at byte %zu.", size);
  *header = (Header){.version = (uint16_t)number(bytes + VERSION_AT, 2),
                     .method = (uint16_t)number(bytes + METHOD_AT, 2)};
  if (header->version < 1 || header->version > 3) {
    error->no_binary = true;
    return load_error(error,
                      "The offload bundle is compressed in version %u of its format, and the "
                      "emulated device unpacks versions 1 to 3: compile with "
                      "--no-offload-compress.",
                      header->version);
  }
  const size_t width = header->version == 3 ? 8 : 4, sizes = header->version == 1 ? 1 : 2;
  header->header = SIZES_AT + sizes * width + HASH_BYTES;
  if (size < header->header)
    return load_error(error, "The compressed offload bundle is cut off at byte %zu.", size);
  header->whole = sizes == 2 ? number(bytes + SIZES_AT, width) : 0;
  header->unpacked = number(bytes + SIZES_AT + (sizes - 1) * width, width);
  if (header->whole > size || (header->whole && header->whole < header->header) ||
      header->unpacked > most_bytes)
    return load_error(error,
                      "The compressed offload bundle is cut off or corrupt: it says that it has "
                      "%llu bytes and %llu unpacked, and %zu bytes are there.",
                      (unsigned long long)header->whole, (unsigned long long)header->unpacked,
                      size);
  return true;
}

static bool inflate_all(const uint8_t *from, size_t size, uint8_t *to, size_t unpacked) {
  const size_t most = UINT32_MAX;
  z_stream stream = {.next_in = (uint8_t *)from, .next_out = to};
  if (inflateInit(&stream) != Z_OK)
    return false;
  int status = Z_OK;
  while (status == Z_OK) {
    const size_t taken = (size_t)(stream.next_in - from), given = (size_t)(stream.next_out - to);
    stream.avail_in = (uInt)(size - taken < most ? size - taken : most);
    stream.avail_out = (uInt)(unpacked - given < most ? unpacked - given : most);
    status = inflate(&stream, Z_NO_FLUSH);
  }
  inflateEnd(&stream);
  return status == Z_STREAM_END && stream.total_out == unpacked;
}

static bool unzstd_all(const uint8_t *from, size_t size, uint8_t *to, size_t unpacked) {
  const size_t frame = ZSTD_findFrameCompressedSize(from, size);
  return !ZSTD_isError(frame) && ZSTD_decompress(to, unpacked, from, frame) == unpacked;
}

bool bundle_unpack(const uint8_t *bytes, size_t size, uint8_t **bundle, size_t *bundle_size,
                   LoadError *error) {
  enum { ZLIB, ZSTD };
  Header header = {0};
  if (!read_header(bytes, size, &header, error))
    return false;
  if (header.method != ZLIB && header.method != ZSTD) {
    error->no_binary = true;
    return load_error(error,
                      "The offload bundle is compressed by method %u, and the emulated device "
                      "knows 0 (zlib) and 1 (zstd): compile with --no-offload-compress.",
                      header.method);
  }
  *bundle = malloc(header.unpacked + 1);
  *bundle_size = header.unpacked;
  if (!*bundle)
    return load_error(error, "No host memory is left for an offload bundle of %llu bytes.",
                      (unsigned long long)header.unpacked);
  const uint8_t *data = bytes + header.header;
  const size_t there = (header.whole ? header.whole : size) - header.header;
  if (header.method == ZLIB ? inflate_all(data, there, *bundle, header.unpacked)
                            : unzstd_all(data, there, *bundle, header.unpacked))
    return true;
  free(*bundle);
  *bundle = NULL;
  return load_error(error,
                    "The compressed offload bundle is corrupt: its data (%s) do not unpack to the "
                    "%llu bytes that it says.",
                    header.method == ZLIB ? "zlib" : "zstd", (unsigned long long)header.unpacked);
}
