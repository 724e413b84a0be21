// The memory report by source line: access patterns whose lines can be counted by hand.
//
// In: one kernel a pattern, wavefronts of 64 lanes, elements of 8 bytes, lines of 64. Out: the rows
// of EMULATOR_LINES=FILE.csv that the patterns must give, at the source line where the access
// stands; the same rows from one host thread and from two.
#include "check.h"

#include <sys/wait.h>
#include <unistd.h>

enum { WAVES = 64, N = WAVES * 64, STRIDE = 8, ROW = 1024, ROWS = 32 };

#define THREAD (blockIdx.x * 64 + threadIdx.x)

enum { COPY = __LINE__ + 1 };
__global__ void copy(double *out, const double *in) { out[THREAD] = in[THREAD]; }

enum { SHIFTED = __LINE__ + 1 };
__global__ void shifted(double *out, const double *in) { out[THREAD] = in[THREAD + 1]; }

enum { STRIDED = __LINE__ + 1 };
__global__ void strided(double *out, const double *in) { out[THREAD] = in[STRIDE * THREAD]; }

// Steps of the address unit come back to the same eight lines: each counts once.
enum { TRANSPOSED = __LINE__ + 2 };
__global__ void transposed(double *out, const double *in) {
  out[THREAD] = in[blockIdx.x * 64 + threadIdx.x % 8 * 8 + threadIdx.x / 8];
}

enum { HALF = __LINE__ + 3 };
__global__ void half_active(double *out, const double *in) {
  if (threadIdx.x < 32)
    out[THREAD] = in[THREAD];
}

// All lanes read one element, which the compiler cannot know: n is 64.
enum { SHARED = __LINE__ + 2 };
__global__ void shared_element(double *out, const double *in, int n) {
  out[THREAD] = in[threadIdx.x / n];
}

enum { COUNTED = __LINE__ + 2 };
__global__ void counted(double *out, const double *in, int n) {
  atomicAdd((unsigned *)out + threadIdx.x / n, (unsigned)in[0]);
}

typedef struct {
  int launch, line;
  const char *action;
  double lines, fewest; // a wavefront
  double requested;     // bytes a wavefront, each counted once
  double most_fetched;  // bytes of the launch, whole L2 lines; at least half must come
} Expected;

static const Expected EXPECTED[] = {
    {0, COPY, "load", 8, 8, 512, N * 8},
    {0, COPY, "store", 8, 8, 512, 0},
    {1, SHIFTED, "load", 9, 8, 512, N * 8 + 128},
    {1, SHIFTED, "store", 8, 8, 512, 0},
    {2, STRIDED, "load", 64, 8, 512, STRIDE *N * 8},
    {3, TRANSPOSED, "load", 8, 8, 512, N * 8},
    {4, HALF, "load", 4, 4, 256, N * 8},
    {5, SHARED, "load", 1, 1, 8, 128},
    {6, COUNTED, "atomic", 1, 1, 4, 128},
};

static char report[ROWS][ROW];

static int read_report(const char *path) {
  int rows = 0;
  FILE *file = fopen(path, "r");
  while (file && rows < ROWS && fgets(report[rows], ROW, file))
    rows++;
  if (file)
    fclose(file);
  return rows;
}

// The fields behind the action of a launch's row at that line; NULL if there is none.
static const char *find(int rows, const Expected *e) {
  char place[ROW], action[32];
  snprintf(place, sizeof place, "line_report.hip\",%d,", e->line);
  snprintf(action, sizeof action, ",%s,", e->action);
  for (int i = 1; i < rows; i++) {
    const char *found = strstr(report[i], action);
    if (atoi(report[i]) == e->launch && strstr(report[i], place) && found)
      return found + strlen(action);
  }
  return NULL;
}

static void check_row(int rows, const Expected *e) {
  double executions, lines, fewest, requested, fetched;
  const char *fields = find(rows, e);
  if (!fields || sscanf(fields, "%lf,%lf,%lf,%lf,%lf", &executions, &lines, &fewest, &requested,
                        &fetched) != 5)
    DIFFERS("launch %d has no full row for the %s of line %d", e->launch, e->action, e->line);
  else if (executions != WAVES || lines != e->lines || fewest != e->fewest ||
           requested != WAVES * e->requested || fetched > e->most_fetched ||
           fetched < e->most_fetched / 2)
    DIFFERS("launch %d, %s of line %d: %s", e->launch, e->action, e->line, fields);
}

static void launch_all(void) {
  double *in = (double *)to_device(NULL, (STRIDE * N + 1) * sizeof *in);
  double *out = (double *)to_device(NULL, N * sizeof *out);
  copy<<<WAVES, 64>>>(out, in);
  shifted<<<WAVES, 64>>>(out, in);
  strided<<<WAVES, 64>>>(out, in);
  transposed<<<WAVES, 64>>>(out, in);
  half_active<<<WAVES, 64>>>(out, in);
  shared_element<<<WAVES, 64>>>(out, in, 64);
  counted<<<WAVES, 64>>>(out, in, 64);
  HIP(hipDeviceSynchronize());
}

// The number of threads is read once per process.
static void launch_on_two_threads(void) {
  int status = 1;
  pid_t child = fork();
  if (child == 0) {
    setenv("EMULATOR_THREADS", "2", 1);
    launch_all();
    _exit(0);
  }
  waitpid(child, &status, 0);
  if (status != 0)
    DIFFERS("two host threads: ended with status %d", status);
}

int main(void) {
  char path[] = "/tmp/line-report-XXXXXX";
  const int file = mkstemp(path);
  if (file < 0)
    return 1;
  setenv("EMULATOR_LINES", path, 1);
  launch_on_two_threads();
  int rows = read_report(path);
  static char first[ROWS][ROW];
  memcpy(first, report, sizeof first);

  setenv("EMULATOR_THREADS", "1", 1);
  launch_all();
  int again = read_report(path);
  for (size_t i = 0; i < sizeof EXPECTED / sizeof *EXPECTED; i++)
    check_row(again, &EXPECTED[i]);
  if (again != rows)
    DIFFERS("%d rows of one host thread, %d of two", again, rows);
  for (int i = 1; i < rows && i < again; i++)
    if (strcmp(first[i], report[i]) != 0)
      DIFFERS("one host thread: %stwo: %s", report[i], first[i]);

  setenv("EMULATOR_MODEL", "0", 1);
  launch_all();
  int all = read_report(path);
  if (all <= again || !strstr(report[again], ",64,8.0000,8.0000,32768,,,,,,0x"))
    DIFFERS("without the model: %s", all > again ? report[again] : "no row");
  remove(path);
  return verdict();
}
