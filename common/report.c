// Prints a run's result. See report.h.
#include "report.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

// Of the memory's peak; the copies of real devices reach 80 to 90 %.
#define FIT_SHARE 0.65

bool report_verified(const Result *r) {
  for (int c = r->first_check; c < CHECKS; c++)
    if (!verify_passed(&r->checks[c], &r->grid))
      return false;
  return true;
}

// The target is AMD's figure for a gfx90a with a memory of this peak, as an MI250X GCD and an MI210
// have it, so it says nothing about other devices.
#define TARGETS_PEAK_GBS 1638.4

static bool has_target(const Result *r) {
  return r->family->target_gbs > 0 && strncmp(r->arch, "gfx90a", 6) == 0 &&
         fabs(r->peak_gbs - TARGETS_PEAK_GBS) < 1;
}

static double effective_gbs(const Result *r) {
  return bandwidth_effective_gbs(r->family->traffic(&r->grid, r->axis), r->time.median);
}

static double percent_of_target(const Result *r) {
  return 100 * effective_gbs(r) / r->family->target_gbs;
}

static bool is_real(const Result *r) { return strcmp(r->device, "emulated") != 0; }

static const char *time_evidence(const Result *r) { return is_real(r) ? "measured" : "modelled"; }

// NULL where it is not known: on another device, or modelled and this launch was not.
static const EmulatorCounter *find_counter(const Result *r, const char *name) {
  for (size_t c = 0; c < r->counter_count; c++)
    if (strcmp(r->counters[c].name, name) == 0 && !isnan(r->counters[c].value))
      return &r->counters[c];
  return NULL;
}

// NAN where it is not known.
static double counter_value(const Result *r, const char *name) {
  const EmulatorCounter *counter = find_counter(r, name);
  return counter ? counter->value : NAN;
}

// Bytes that lanes load from global memory for each byte that must be stored: of kernels whose
// values all have one width, values for each value. The compiler merges neighbouring values into one
// wide load, so this counts data, not instructions; and to store more does not make it smaller.
static double loaded_per_stored(const Result *r) {
  return counter_value(r, "EMULATOR_GLOBAL_BYTES_LOADED") /
         r->family->traffic(&r->grid, r->axis).write_bytes;
}

static const char *counter_evidence(const EmulatorCounter *counter) {
  return counter->modelled ? "modelled" : "emulated";
}

// What went to and from HBM. Sizes in GB, bandwidth in GB/s, the rest in percent.
typedef struct {
  const char *evidence;
  double fetch, write, needed_write, achieved, fetch_efficiency, write_efficiency, l2_hit;
} Memory;

// False on a device that has no such counters.
static bool memory_figures(const Result *r, Memory *memory) {
  const double gb_per_kib = 1024 / 1e9;
  const EmulatorCounter *fetch = find_counter(r, "FETCH_SIZE"),
                        *write = find_counter(r, "WRITE_SIZE"),
                        *hit = find_counter(r, "L2CacheHit");
  if (!fetch || !write || !hit)
    return false;
  const Traffic needed = r->family->traffic(&r->grid, r->axis);
  *memory = (Memory){.evidence = counter_evidence(fetch),
                     .fetch = fetch->value * gb_per_kib,
                     .write = write->value * gb_per_kib,
                     .l2_hit = hit->value};
  memory->needed_write = needed.write_bytes * 1e-9;
  memory->achieved = (memory->fetch + memory->write) / (r->time.median * 1e-3);
  memory->fetch_efficiency = 100 * needed.fetch_bytes / (memory->fetch * 1e9);
  memory->write_efficiency = 100 * needed.write_bytes / (memory->write * 1e9);
  return true;
}

// Bytes that pass a level of the memory hierarchy, in cubes: bytes of all interior points.
static const struct {
  const char *key, *words, *counters[2];
  double bytes; // of each count
} CUBES[] = {
    {"l1", "look-ups in L1", {"TCP_TOTAL_CACHE_ACCESSES_sum", NULL}, 64},
    {"l2_read", "read from L2", {"TCP_TCC_READ_REQ_sum", NULL}, 64},
    {"l2_write", "written to L2", {"TCP_TCC_WRITE_REQ_sum", NULL}, 64},
    {"hbm", "to and from HBM", {"FETCH_SIZE", "WRITE_SIZE"}, 1024},
};
#define LEVELS (sizeof CUBES / sizeof *CUBES)

// NAN when the counters of that level are not there; its evidence is that of the first counter.
static double cubes(const Result *r, size_t level, const char **evidence) {
  double count = 0;
  for (int c = 0; c < 2 && CUBES[level].counters[c]; c++) {
    const EmulatorCounter *counter = find_counter(r, CUBES[level].counters[c]);
    if (!counter)
      return NAN;
    count += counter->value;
    *evidence = counter_evidence(counter);
  }
  const double cube = (double)grid_interior_points(&r->grid) * (double)r->grid.element_bytes;
  return count * CUBES[level].bytes / cube;
}

static void print_layout(FILE *out, const Result *r) {
  const Grid *g = &r->grid;
  fprintf(out,
          "layout      leading dimension %zu for %d points, offset %zu, %.1f %% more memory than "
          "packed\n",
          g->ld, g->nx, g->offset, grid_growth_percent(g));
  if (r->options.window)
    fprintf(out, "window      %d points along z a thread\n", r->options.window);
}

static void print_cubes(FILE *out, const Result *r) {
  const char *separator = "cubes       ";
  for (size_t level = 0; level < LEVELS; level++) {
    const char *evidence;
    const double value = cubes(r, level, &evidence);
    if (isnan(value))
      return;
    fprintf(out, "%s%s %.2f (%s)", separator, CUBES[level].words, value,
            evidence_word(evidence, r->error.memory).text);
    separator = ", ";
  }
  fprintf(out, "\n");
}

static void print_memory(FILE *out, const Result *r) {
  Memory m;
  if (!memory_figures(r, &m))
    return;
  if (m.fetch == 0 || m.write == 0) { // a starter, which does nothing yet
    fprintf(out, "memory      FETCH_SIZE %.4g GB, WRITE_SIZE %.4g GB  (%s)\n", m.fetch, m.write,
            evidence_word(m.evidence, r->error.memory).text);
    return;
  }
  fprintf(out,
          "memory      FETCH_SIZE %.4g GB (efficiency %.1f %%), WRITE_SIZE %.4g GB (%.1f %%), "
          "L2CacheHit %.1f %%  (%s)\n",
          m.fetch, m.fetch_efficiency, m.write, m.write_efficiency, m.l2_hit,
          evidence_word(m.evidence, r->error.memory).text);
}

// What was timed on a real device in turns with its own copy, and whether that can be believed.
static void print_paired(FILE *out, const Result *r) {
  const Paired *p = &r->paired;
  fprintf(out,
          "copy        %.0f GB/s; the kernel has %.1f %% of it (95 %% sure: %.1f to %.1f)  (%s)\n",
          p->copy_gbs, 100 * p->of_copy.median, 100 * p->of_copy.low, 100 * p->of_copy.high,
          time_evidence(r));
  if (!timing_is_certain(&p->of_copy))
    fprintf(out,
            "            %d pairs were not enough to be sure of that to 1 %%: does something "
            "else use this device?\n",
            p->of_copy.pairs);
  if (r->peak_gbs > 0 && p->copy_gbs < FIT_SHARE * r->peak_gbs)
    fprintf(
        out,
        "            the copy reaches only %.0f %% of the memory's %.0f GB/s, so this device is "
        "not fit to be timed: something else uses it, or its clocks are held down\n",
        100 * p->copy_gbs / r->peak_gbs, r->peak_gbs);
}

static void print_time(FILE *out, const Result *r) {
  const EvidenceWord word = evidence_word(time_evidence(r), r->error.time);
  const char *evidence = word.text;
  if (r->time.runs == 0) {
    fprintf(out, "time        none: this launch was not %s\n",
            is_real(r) ? "timed" : "modelled (EMULATOR_MODEL=0 switches the memory model off)");
    return;
  }
  if (r->time.runs == 1)
    fprintf(out, "time        %.4f ms, one launch  (%s)\n", r->time.median, evidence);
  else
    fprintf(out, "time        median %.4f ms, min %.4f, max %.4f over %d launches  (%s)\n",
            r->time.median, r->time.min, r->time.max, r->time.runs, evidence);
  if (!report_verified(r)) {
    fprintf(out, "bandwidth   none: the result is not right yet\n");
    return;
  }
  fprintf(out, "bandwidth   %.0f GB/s effective", effective_gbs(r));
  Memory m;
  if (r->family->counts_cubes && memory_figures(r, &m))
    fprintf(out, ", %.0f GB/s achieved, HBM read/write %.2f", m.achieved, m.fetch / m.write);
  fprintf(out, "  (%s)\n", evidence);
  if (is_real(r))
    print_paired(out, r);
  if (has_target(r))
    fprintf(out, "target      %.1f %% of %.0f GB/s  (%s)\n", percent_of_target(r),
            r->family->target_gbs, evidence);
}

// The counters that the labs talk about; the JSON has all of them.
static const char *const SHOWN_COUNTERS[] = {
    "SQ_WAVES",
    "SQ_INSTS_VALU",
    "SQ_INSTS_VMEM_RD",
    "SQ_INSTS_VMEM_WR",
    "TCP_TOTAL_CACHE_ACCESSES_sum",
    "TCP_TCC_READ_REQ_sum",
    "TCP_TCC_WRITE_REQ_sum",
};

static void print_counters(FILE *out, const Result *r) {
  const char *heading = "counters  ";
  for (size_t s = 0; s < sizeof SHOWN_COUNTERS / sizeof *SHOWN_COUNTERS; s++) {
    const EmulatorCounter *counter = find_counter(r, SHOWN_COUNTERS[s]);
    if (!counter)
      continue;
    fprintf(out, "%s  %-30s %14.0f  (%s)\n", heading, counter->name, counter->value,
            evidence_word(counter_evidence(counter), r->error.memory).text);
    heading = "          ";
  }
  if (!isnan(loaded_per_stored(r)))
    fprintf(out, "loaded      %.4g values for each one that must be stored  (emulated)\n",
            loaded_per_stored(r));
}

static void print_compiled(FILE *out, const Result *r) {
  const Resources *c = &r->compiled;
  if (strcmp(r->device, "nvidia") == 0)
    fprintf(out,
            "compiled    %d registers a thread, %d B of local memory, %d warps a scheduler  "
            "(compiled)\n",
            c->vgprs, c->scratch_bytes, c->occupancy_waves_per_simd);
  else
    fprintf(out,
            "compiled    %d SGPRs, %d VGPRs, %d AGPRs, %d B scratch a lane, %d B LDS a block, "
            "%d waves a SIMD  (compiled)\n",
            c->sgprs, c->vgprs, c->agprs, c->scratch_bytes, c->lds_bytes,
            c->occupancy_waves_per_simd);
}

void report_print(FILE *out, const Result *r) {
  const Options *o = &r->options;
  fprintf(out, "%s on device %s: %s, %s\n", r->file, r->device, r->device_name, r->arch);
  fprintf(out, "kernel      %s, %d row%s of points a thread\n", r->kernel, r->rows,
          r->rows == 1 ? "" : "s");
  fprintf(out, "grid        %d x %d x %d %s, block %ux%ux%u, seed %" PRIu64 "\n", o->nx, o->ny,
          o->nz, r->family->element, o->block[0], o->block[1], o->block[2], o->seed);
  if (r->family->counts_cubes)
    print_layout(out, r);
  for (int c = r->first_check; c < CHECKS; c++) {
    char text[VERIFY_SENTENCE];
    verify_sentence(&r->checks[c], text, sizeof text);
    fprintf(out, "%s%s\n", c == r->first_check ? "verified    " : "            ", text);
  }
  if (r->has_compiled)
    print_compiled(out, r);
  print_counters(out, r);
  print_memory(out, r);
  if (r->family->counts_cubes)
    print_cubes(out, r);
  print_time(out, r);
  if (!report_verified(r))
    fprintf(out, "NOT RIGHT YET. Next: edit %s, kernel %s\n", r->file, r->kernel);
}

// A JSON string. JSON is UTF-8 and a name may not be, so each byte from 0x80 up becomes U+FFFD, the
// replacement character.
static void json_string(FILE *out, const char *text) {
  fputc('"', out);
  for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
    if (*c == '"' || *c == '\\')
      fprintf(out, "\\%c", *c);
    else if (*c < 0x20)
      fprintf(out, "\\u%04x", *c);
    else if (*c >= 0x80)
      fprintf(out, "\\ufffd");
    else
      fputc(*c, out);
  }
  fputc('"', out);
}

// A JSON number with all its digits; JSON has no NaN or infinity, so those are null.
static void json_number(FILE *out, double value) {
  if (isfinite(value))
    fprintf(out, "%.17g", value);
  else
    fprintf(out, "null");
}

static void json_check(FILE *out, const Verification *v, const Grid *grid) {
  char text[VERIFY_SENTENCE];
  verify_sentence(v, text, sizeof text);
  fprintf(out, "{\"input\": ");
  json_string(out, v->name);
  fprintf(
      out,
      ", \"passed\": %s, \"points_checked\": %" PRIu64 ", \"points_wrong\": %" PRIu64
      ", \"points_unwritten\": %" PRIu64 ", \"outside_overwritten\": %" PRIu64 ", \"max_error\": ",
      verify_passed(v, grid) ? "true" : "false", v->checked, v->wrong, v->unwritten, v->touched);
  json_number(out, v->max_error);
  fprintf(out, ", \"tolerance\": ");
  json_number(out, v->tolerance);
  fprintf(out, ", \"sentence\": ");
  json_string(out, text);
  fprintf(out, "}");
}

// null where there is nothing to tell.
static void json_error(FILE *out, const char *key, double percent) {
  const int told = model_error_to_tell(percent);
  fprintf(out, "\"%s\": ", key);
  if (told)
    fprintf(out, "%d", told);
  else
    fprintf(out, "null");
}

static void json_errors(FILE *out, const Result *r) {
  fprintf(out, " \"model_error_percent\": {");
  json_error(out, "time", r->error.time);
  fprintf(out, ", ");
  json_error(out, "memory", r->error.memory);
  fprintf(out, "},\n");
}

static void json_copy(FILE *out, const Result *r) {
  const Share *share = &r->paired.of_copy;
  if (!is_real(r)) {
    fprintf(out, " \"copy\": null,\n");
    return;
  }
  fprintf(out, " \"copy\": {\"gbs\": ");
  json_number(out, r->paired.copy_gbs);
  fprintf(out, ", \"percent\": ");
  json_number(out, 100 * share->median);
  fprintf(out, ", \"low\": ");
  json_number(out, 100 * share->low);
  fprintf(out, ", \"high\": ");
  json_number(out, 100 * share->high);
  fprintf(out, "},\n");
}

static void json_time(FILE *out, const Result *r) {
  if (r->time.runs == 0) {
    fprintf(out, " \"time_evidence\": null,\n \"time_ms\": null,\n"
                 " \"effective_bandwidth_gbs\": null,\n \"percent_of_target\": null,\n"
                 " \"copy\": null,\n");
    return;
  }
  fprintf(out, " \"time_evidence\": \"%s\",\n \"time_ms\": {\"median\": ", time_evidence(r));
  json_number(out, r->time.median);
  fprintf(out, ", \"min\": ");
  json_number(out, r->time.min);
  fprintf(out, ", \"max\": ");
  json_number(out, r->time.max);
  fprintf(out, ", \"runs\": %d},\n \"effective_bandwidth_gbs\": ", r->time.runs);
  json_number(out, effective_gbs(r));
  fprintf(out, ",\n \"percent_of_target\": ");
  json_number(out, has_target(r) ? percent_of_target(r) : NAN);
  fprintf(out, ",\n");
  json_copy(out, r);
}

static void json_memory(FILE *out, const Result *r) {
  Memory m;
  fprintf(out, " \"memory\": ");
  if (!memory_figures(r, &m)) {
    fprintf(out, "null,\n");
    return;
  }
  const struct {
    const char *key;
    double value;
  } figures[] = {{"fetch_size_gb", m.fetch},
                 {"write_size_gb", m.write},
                 {"read_write_ratio", m.fetch / m.write},
                 {"fetched_per_stored", m.fetch / m.needed_write},
                 {"achieved_bandwidth_gbs", m.achieved},
                 {"fetch_efficiency_percent", m.fetch_efficiency},
                 {"write_efficiency_percent", m.write_efficiency},
                 {"l2_cache_hit_percent", m.l2_hit}};
  fprintf(out, "{\"evidence\": \"%s\"", m.evidence);
  for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
    fprintf(out, ", \"%s\": ", figures[i].key);
    json_number(out, figures[i].value);
  }
  fprintf(out, "},\n");
}

static void json_layout(FILE *out, const Result *r) {
  const Grid *g = &r->grid;
  fprintf(out,
          " \"layout\": {\"packed\": %s, \"radius\": %d, \"ld\": %zu, \"offset\": %zu, "
          "\"growth_percent\": ",
          grid_is_packed(g) ? "true" : "false", g->radius, g->ld, g->offset);
  json_number(out, grid_growth_percent(g));
  fprintf(out, "},\n \"window\": ");
  if (r->options.window)
    fprintf(out, "%d,\n", r->options.window);
  else
    fprintf(out, "null,\n");
}

static void json_cubes(FILE *out, const Result *r) {
  fprintf(out, " \"cubes\": {");
  for (size_t level = 0; level < LEVELS; level++) {
    const char *evidence;
    fprintf(out, "%s\"%s\": ", level ? ", " : "", CUBES[level].key);
    json_number(out, cubes(r, level, &evidence));
  }
  fprintf(out, "},\n");
}

static void json_counters(FILE *out, const Result *r) {
  fprintf(out, " \"counters\": {");
  for (size_t c = 0; c < r->counter_count; c++) {
    fprintf(out, "%s\n  ", c ? "," : "");
    json_string(out, r->counters[c].name);
    fprintf(out, ": ");
    json_number(out, r->counters[c].value);
  }
  fprintf(out, "},\n \"modelled_counters\": [");
  const char *comma = "";
  for (size_t c = 0; c < r->counter_count; c++)
    if (r->counters[c].modelled) {
      fprintf(out, "%s", comma);
      json_string(out, r->counters[c].name);
      comma = ", ";
    }
  fprintf(out, "],\n");
}

static void json_names(FILE *out, const char *key, const char *const *names) {
  fprintf(out, "\"%s\": [", key);
  for (const char *const *name = names; *name; name++) {
    fprintf(out, "%s", name == names ? "" : ", ");
    json_string(out, *name);
  }
  fprintf(out, "]");
}

// What was launched for one result.
static void json_launches(FILE *out, const Result *r) {
  const Options *o = &r->options;
  fprintf(out, " \"launches\": %d,\n \"kernels\": [", r->launches);
  for (int n = 0; n < MOST_NAMES && r->ran[n]; n++) {
    fprintf(out, "%s", n ? ", " : "");
    json_string(out, r->ran[n]);
  }
  fprintf(out, "],\n \"points_per_thread\": ");
  json_number(out, (double)o->nx * o->ny * o->nz / (double)r->threads);
  fprintf(out, ",\n");
}

// Of a real device nothing is counted in a run: its tables have what is timed and compiled.
static const char *const MEASURED[] = {
    "vgprs",   "scratch_bytes",           "occupancy_waves_per_simd",
    "time_ms", "effective_bandwidth_gbs", "copy_percent",
    NULL};
static const char *const MEASURED_COLUMNS[] = {"vgprs",
                                               "scratch_bytes",
                                               "occupancy_waves_per_simd",
                                               "time_ms",
                                               "effective_bandwidth_gbs",
                                               "copy_percent",
                                               "speedup",
                                               NULL};
static const char *const MEASURED_RECORDED[] = {"time_ms", "effective_bandwidth_gbs",
                                                "copy_percent", NULL};

static void json_tables(FILE *out, const Result *r) {
  const Family *family = r->family;
  const bool real = is_real(r);
  fprintf(out, " \"tables\": {");
  json_names(out, "columns", real ? MEASURED_COLUMNS : family->columns);
  fprintf(out, ",\n  ");
  json_names(out, "rows", real ? MEASURED : family->rows);
  fprintf(out, ",\n  ");
  json_names(out, "recorded", real ? MEASURED_RECORDED : family->recorded);
  fprintf(out, "},\n");
}

// "labs/01-baseline/laplacian.hip" -> "01-baseline": the name of the source's directory.
static void lab_name(const char *file, char *name, size_t size) {
  const char *last = strrchr(file, '/');
  const char *end = last ? last : file, *start = end;
  while (start > file && start[-1] != '/')
    start--;
  snprintf(name, size, "%.*s", (int)(end - start), start);
}

void report_json(FILE *out, const Result *r) {
  const Options *o = &r->options;
  char lab[256];
  lab_name(r->file, lab, sizeof lab);
  fprintf(out, "{\n \"lab\": ");
  json_string(out, lab);
  fprintf(out, ",\n \"source\": ");
  json_string(out, r->file);
  fprintf(out, ",\n \"kernel\": ");
  json_string(out, r->kernel);
  fprintf(out, ",\n \"rows\": %d,\n \"device\": ", r->rows);
  json_string(out, r->device);
  fprintf(out, ",\n \"device_name\": ");
  json_string(out, r->device_name);
  fprintf(out, ",\n \"arch\": ");
  json_string(out, r->arch);
  fprintf(out, ",\n \"peak_bandwidth_gbs\": ");
  json_number(out, r->peak_gbs);
  fprintf(out, ",\n \"nx\": %d, \"ny\": %d, \"nz\": %d,\n \"block\": [%u, %u, %u],\n", o->nx, o->ny,
          o->nz, o->block[0], o->block[1], o->block[2]);
  fprintf(out, " \"interior_points\": %" PRIu64 ", \"element_bytes\": %zu,\n",
          grid_interior_points(&r->grid), r->grid.element_bytes);
  fprintf(out, " \"iterations\": %d,\n \"seed\": %" PRIu64 ",\n \"verified\": %s,\n", o->iterations,
          o->seed, report_verified(r) ? "true" : "false");
  fprintf(out, " \"points_checked\": %" PRIu64 ",\n \"max_relative_error\": ",
          r->checks[r->first_check].checked);
  json_number(out, r->checks[r->first_check].max_error);
  fprintf(out, ",\n \"checks\": [");
  for (int c = r->first_check; c < CHECKS; c++) {
    fprintf(out, "%s\n  ", c > r->first_check ? "," : "");
    json_check(out, &r->checks[c], &r->grid);
  }
  fprintf(out, "],\n");
  json_launches(out, r);
  json_tables(out, r);
  json_errors(out, r);
  json_time(out, r);
  json_layout(out, r);
  json_memory(out, r);
  json_cubes(out, r);
  fprintf(out, " \"loaded_per_stored\": ");
  json_number(out, loaded_per_stored(r));
  fprintf(out, ",\n \"launch_wall_s\": ");
  json_number(out, r->launch_wall_s);
  fprintf(out, ",\n");
  json_counters(out, r);
  fprintf(out, " \"compiled\": ");
  if (r->has_compiled)
    fprintf(out,
            "{\"sgprs\": %d, \"vgprs\": %d, \"agprs\": %d, \"scratch_bytes\": %d, "
            "\"occupancy_waves_per_simd\": %d, \"lds_bytes\": %d, \"largest_block\": %d}",
            r->compiled.sgprs, r->compiled.vgprs, r->compiled.agprs, r->compiled.scratch_bytes,
            r->compiled.occupancy_waves_per_simd, r->compiled.lds_bytes, r->compiled.largest_block);
  else
    fprintf(out, "null");
  fprintf(out, "\n}\n");
}
