// Runs the tests of a Criterion suite that is linked with ThreadSanitizer, each in a process of its own.
//
// In: names of tests to leave out, as "suite/name"; or "only" and the name of one, which is run in this process. Out: status 1
// if ThreadSanitizer reported something (exitcode=66 in TSAN_OPTIONS), or a test hung. What tests expect is not looked at: some
// measure time. Processes are begun anew, for in one that is forked ThreadSanitizer does not see that the locks are free.
//
// Criterion's own boxes need addresses that ThreadSanitizer has taken, so this file defines what tests call
// of Criterion; the linker finds it here first.
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { REPORTED = 66, LONGEST = 60 }; // exit status; seconds of a test

extern struct criterion_test *__start_cr_tst[], *__stop_cr_tst[];
struct cri_assert_node;
void cri_assert_node_send(const char *file, size_t line, struct cri_assert_node *node);
void cri_asserts_passed_incr(void);

void cri_assert_node_send(const char *file, size_t line, struct cri_assert_node *node) {
  (void)node;
  printf("%s:%zu does not hold\n", file, line);
}
void cri_asserts_passed_incr(void) {}
void criterion_abort_test(void) { exit(EXIT_SUCCESS); }
void criterion_internal_test_setup(void) {}
void criterion_internal_test_teardown(void) {}
void criterion_internal_test_main(void (*test)(void)) { test(); }

static FILE *redirected[STDERR_FILENO + 1];
static void redirect(int stream) {
  redirected[stream] = tmpfile();
  fflush(NULL);
  if (redirected[stream])
    dup2(fileno(redirected[stream]), stream);
}
static FILE *read_back(int stream) {
  fflush(NULL);
  rewind(redirected[stream]);
  return redirected[stream];
}
void cr_redirect_stderr(void) { redirect(STDERR_FILENO); }
void cr_redirect_stdout(void) { redirect(STDOUT_FILENO); }
FILE *cr_get_redirected_stderr(void) { return read_back(STDERR_FILENO); }
FILE *cr_get_redirected_stdout(void) { return read_back(STDOUT_FILENO); }

enum { NAME_SIZE = 256 };
static const char *name_of(const struct criterion_test *test, char name[NAME_SIZE]) {
  snprintf(name, NAME_SIZE, "%s/%s", test->category, test->name);
  return name;
}

static bool is_left_out(const char *name, char **names) {
  while (*names && strcmp(*names, name) != 0)
    names++;
  return *names;
}

static void run_only(const char *name) {
  char other[NAME_SIZE];
  alarm(LONGEST);
  for (struct criterion_test **test = __start_cr_tst; test < __stop_cr_tst; test++)
    if (*test && strcmp(name_of(*test, other), name) == 0) {
      if ((*test)->data->init)
        (*test)->data->init();
      (*test)->test();
    }
}

static bool is_clean(char *program, char *name) {
  int status;
  pid_t child;
  char *arguments[] = {program, "only", name, NULL};
  fflush(NULL);
  if (posix_spawn(&child, "/proc/self/exe", NULL, NULL, arguments, environ) ||
      waitpid(child, &status, 0) != child) {
    printf("%s: could not be run\n", name);
    return false;
  }
  const bool hung = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
  const bool reported = WIFEXITED(status) && WEXITSTATUS(status) == REPORTED;
  if (hung || reported)
    printf("%s: %s\n", name, hung ? "hangs" : "races, see above");
  return !hung && !reported;
}

int main(int argc, char **argv) {
  char name[NAME_SIZE];
  bool clean = true;
  if (argc == 3 && strcmp(argv[1], "only") == 0) {
    run_only(argv[2]);
    return EXIT_SUCCESS;
  }
  for (struct criterion_test **test = __start_cr_tst; test < __stop_cr_tst; test++)
    if (*test && !is_left_out(name_of(*test, name), argv + 1) && !is_clean(argv[0], name))
      clean = false;
  return clean ? EXIT_SUCCESS : EXIT_FAILURE;
}
