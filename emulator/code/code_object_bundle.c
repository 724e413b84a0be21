// Offload bundles: which of the code objects that hipcc packed together is the device's.
//
// In: the bytes behind __hip_fatbin or of a file. Out: where its ELF lies in them, or a
// sentence that lists what is there instead.
//
// Format (clang "Clang Offload Bundler"): magic, u64 count, then per entry u64 offset, u64 size,
// u64 length of the id, id; offsets count from the magic. An id is
// "hipv4-amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-".
#include "code_object_bundle.h"

#include "parameters.h"
#include "settings.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

static const char bundle_magic[] = "__CLANG_OFFLOAD_BUNDLE__";

typedef struct {
  uint64_t offset, size; // of the code object, bytes from the bundle's begin
  const char *id;        // not terminated
  uint64_t id_length;
} Entry;

static bool begins_with(const uint8_t *bytes, size_t size, const char *text) {
  return size >= strlen(text) && !memcmp(bytes, text, strlen(text));
}

// The part of a HIP entry's id behind the triple, e.g. "gfx90a:xnack-"; NULL for host code and
// other languages.
static const char *entry_target(const Entry *entry, int *length) {
  static const char *const prefixes[] = {"hipv4-amdgcn-amd-amdhsa--", "hip-amdgcn-amd-amdhsa--",
                                         "hip-amdgcn-amd-amdhsa-"};
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
    const size_t prefix = strlen(prefixes[i]);
    if (begins_with((const uint8_t *)entry->id, entry->id_length, prefixes[i])) {
      *length = (int)(entry->id_length - prefix);
      return entry->id + prefix;
    }
  }
  return NULL;
}

// How well code for this target suits a device as it is delivered, with sramecc on, and xnack as HSA_XNACK says: 2
// as it is, 1 built for another setting (which the emulated device can run too), 0 not at all.
static int target_rank(const char *text, const char *name) {
  const char *features = text + strlen(name);
  if (strncmp(text, name, strlen(name)) || (*features && !strchr(":+-", *features)))
    return 0; // another or a longer name
  if (strncmp(features, "-generic", 8) == 0)
    return 0;
  const char *other = settings()->xnack ? "xnack-" : "xnack+";
  return strstr(features, other) || strstr(features, "sramecc-") ? 1 : 2;
}

// The device's own target before others whose code it runs.
static int entry_rank(const Entry *entry) {
  const Architecture *architecture = parameters_device()->architecture;
  int length;
  const char *target = entry_target(entry, &length);
  char text[64];
  if (!target)
    return 0;
  snprintf(text, sizeof text, "%.*s", length, target);
  for (int i = 0; i < ARCHITECTURE_TARGETS && architecture->target[i]; i++) {
    const int rank = target_rank(text, architecture->target[i]);
    if (rank)
      return rank + 2 * (ARCHITECTURE_TARGETS - i);
  }
  return 0;
}

static bool read_entry(const uint8_t *bytes, size_t size, uint64_t index, size_t *at, Entry *entry,
                       LoadError *error) {
  uint64_t words[3];
  if (size - *at < sizeof words)
    return load_error(error,
                      "The offload bundle is cut off or corrupt: entry %llu begins at byte %zu, "
                      "but only %zu bytes are there.",
                      (unsigned long long)index, *at, size);
  memcpy(words, bytes + *at, sizeof words);
  *at += sizeof words;
  *entry = (Entry){words[0], words[1], (const char *)bytes + *at, words[2]};
  if (entry->id_length > 4096 || entry->id_length > size - *at)
    return load_error(error,
                      "The offload bundle is cut off or corrupt: the name of entry %llu at byte "
                      "%zu has %llu bytes, but only %zu bytes are there.",
                      (unsigned long long)index, *at, (unsigned long long)entry->id_length, size);
  *at += entry->id_length;
  return true;
}

// Appends the entry's target to the list in text.
static void list_target(const Entry *entry, char *text, size_t text_size) {
  int length;
  const char *target = entry_target(entry, &length);
  const size_t used = strlen(text);
  if (target)
    snprintf(text + used, text_size - used, "%s%.*s", used ? ", " : "", length, target);
}

bool bundle_find(const uint8_t *bytes, size_t size, const uint8_t **elf, size_t *elf_size,
                 LoadError *error) {
  const char *wanted = parameters_device()->architecture->target[0];
  *elf = bytes;
  *elf_size = size;
  if (begins_with(bytes, size, ELFMAG))
    return true;
  if (!begins_with(bytes, size, bundle_magic))
    return load_error(error,
                      "This is neither an offload bundle nor an ELF code object (%zu bytes are "
                      "there): compile with hipcc --offload-arch=%s.",
                      size, wanted);

  uint64_t count;
  size_t at = strlen(bundle_magic);
  if (size - at < sizeof count)
    return load_error(error, "The offload bundle is cut off at byte %zu, within its header.", size);
  memcpy(&count, bytes + at, sizeof count);
  at += sizeof count;

  Entry best = {0};
  int best_rank = 0;
  char targets[256] = "";
  for (uint64_t i = 0; i < count; i++) {
    Entry entry = {0};
    if (!read_entry(bytes, size, i, &at, &entry, error))
      return false;
    list_target(&entry, targets, sizeof targets);
    if (entry_rank(&entry) > best_rank) {
      best = entry;
      best_rank = entry_rank(&entry);
    }
  }
  if (best_rank == 0) {
    error->no_binary = true;
    return load_error(error,
                      "The program holds device code for %s, but none for %s, the emulated "
                      "device: compile with %s.",
                      *targets ? targets : "no GPU at all", wanted,
                      parameters_device()->architecture->option);
  }
  if (best.offset > size || best.size > size - best.offset)
    return load_error(error,
                      "The offload bundle is cut off or corrupt: its %s code spans %llu bytes "
                      "from byte %llu, but only %zu bytes are there.",
                      wanted, (unsigned long long)best.size, (unsigned long long)best.offset, size);
  *elf = bytes + best.offset;
  *elf_size = best.size;
  if (!begins_with(*elf, *elf_size, ELFMAG))
    return load_error(
        error, "The %s entry of the offload bundle, %llu bytes at byte %llu, is not an ELF file.",
        wanted, (unsigned long long)best.size, (unsigned long long)best.offset);
  return true;
}
