// Runs the tests of a Criterion suite that is linked with ThreadSanitizer, each in a process that is forked.
//
// In: names of tests to leave out, as "suite/name". Out: status 1 if ThreadSanitizer reported something
// (exitcode=66 in TSAN_OPTIONS), or a test hung. What tests expect is not looked at: some measure time.
//
// Criterion's own boxes need addresses that ThreadSanitizer has taken, so this file defines what tests call
// of Criterion; the linker finds it here first.
#include <criterion/criterion.h>
#include <signal.h>
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

static bool is_left_out(const struct criterion_test *test, char **names) {
  char name[256];
  snprintf(name, sizeof name, "%s/%s", test->category, test->name);
  while (*names && strcmp(*names, name) != 0)
    names++;
  return *names;
}

static bool is_clean(const struct criterion_test *test) {
  int status;
  fflush(NULL);
  const pid_t child = fork();
  if (child == 0) {
    alarm(LONGEST);
    if (test->data->init)
      test->data->init();
    test->test();
    exit(EXIT_SUCCESS);
  }
  if (child < 0 || waitpid(child, &status, 0) != child)
    return false;
  const bool hung = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
  if (hung || (WIFEXITED(status) && WEXITSTATUS(status) == REPORTED))
    printf("%s/%s: %s\n", test->category, test->name, hung ? "hangs" : "races, see above");
  return !hung && !(WIFEXITED(status) && WEXITSTATUS(status) == REPORTED);
}

int main(int argc, char **argv) {
  int unclean = argc < 1;
  for (struct criterion_test **test = __start_cr_tst; test < __stop_cr_tst; test++)
    if (*test && !is_left_out(*test, argv + 1))
      unclean += !is_clean(*test);
  return unclean ? EXIT_FAILURE : EXIT_SUCCESS;
}
