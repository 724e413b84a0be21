"""What a command in the sandbox sees, may write, may start and may take, and that nothing of it lives on; and what holds of
this where there is no sandbox."""
import os
import resource
import signal
import tempfile
import threading
import time
import unittest
from unittest import mock

from grading import sandbox
from grading.sandbox import SAID_BYTES, Ended, Limits, Stop, no_forks, run, why_not

PLENTY = Limits(seconds=20, memory_bytes=0, file_bytes=64 << 20)
ENVIRONMENT = {"PATH": os.environ["PATH"]}


def limits(**other):
    return Limits(**{"seconds": 20, "memory_bytes": 0, "file_bytes": 64 << 20, **other})


def python(*lines):
    return ["/usr/bin/python3", "-c", "\n".join(lines)]


class Case(unittest.TestCase):
    def setUp(self):
        made = tempfile.TemporaryDirectory(dir="build")
        self.addCleanup(made.cleanup)
        self.folder = os.path.abspath(made.name)

    def file(self, name, content="content\n"):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(content)
        return path

    def shell(self, commands, bounds=PLENTY, **more):
        """What a shell script says on stderr; where it is run nothing is shown unless asked for."""
        return run(["sh", "-c", f"{{ {commands}\n}} 1>&2"], self.folder, bounds, ENVIRONMENT, **more)

    def said(self, commands, **more):
        ended = self.shell(commands, **more)
        self.assertEqual((ended.status, ended.timed_out), (0, False), ended.said)
        return ended.said

    def assert_none_live(self, *seconds):
        """Of the processes "sleep N"; what was killed is given a moment to be gone."""
        ends = time.monotonic() + 5
        while (found := [n for n in seconds if self.lives(f"sleep\0{n}\0")]) and time.monotonic() < ends:
            time.sleep(0.05)
        self.assertEqual(found, [])

    @staticmethod
    def lives(command_line):
        for number in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{number}/cmdline", "rb") as file:
                    if file.read() == command_line.encode():
                        return True
            except OSError:  # it is gone by now
                pass
        return False


@unittest.skipIf(why_not(), "there is no sandbox here")
class Sees(Case):
    def test_what_it_may_read_and_nothing_else_of_the_folder(self):
        shown, hidden = self.file("shown"), self.file("hidden")
        self.assertEqual(self.said(f"ls {self.folder}; cat {shown}", readable={shown: shown}), "shown\ncontent")
        self.assertEqual(self.said(f"test ! -e {hidden} && echo none"), "none")

    def test_nothing_of_the_repository_the_home_or_other_folders(self):
        for path in (os.path.abspath("labs"), os.path.abspath("solutions"), "/root/.bashrc", "/etc/passwd", "/var"):
            self.assertEqual(self.said(f"test ! -e {path} && echo none"), "none", path)

    def test_a_file_under_another_name(self):
        outside, inside = self.file("outside"), os.path.join(self.folder, "inside")
        self.assertEqual(self.said("cat inside; ls", readable={inside: outside}), "content\ninside")

    def test_the_systems_programs(self):
        self.assertEqual(self.said("test -x /usr/bin/gcc && gcc -dumpmachine | cut -d- -f1"), "x86_64")

    def test_no_other_process(self):
        self.assertNotIn(str(os.getpid()), self.said("ls /proc").split())

    def test_no_network_but_its_own(self):
        self.assertEqual(self.said("tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '"), "lo")

    def test_no_environment_but_what_is_given(self):
        with mock.patch.dict(os.environ, {"SECRET": "of the instructor", "EMULATOR_SET": "x"}):
            self.assertNotIn("SECRET", self.said("env"))
            self.assertNotIn("EMULATOR_SET", self.said("env"))

    def test_an_empty_tmp_of_its_own(self):
        with tempfile.NamedTemporaryFile(dir="/tmp") as file:
            said = self.said(f"test ! -e {file.name} && echo none; echo mine >/tmp/mine; cat /tmp/mine")
            self.assertEqual(said, "none\nmine")

    def test_no_input(self):
        self.assertEqual(self.said("wc -c"), "0")


@unittest.skipIf(why_not(), "there is no sandbox here")
class Writes(Case):
    def test_where_it_may(self):
        self.said(f"echo mine >{self.folder}/written", writable=[self.folder])
        with open(os.path.join(self.folder, "written"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "mine\n")

    def test_into_nothing_that_it_may_read(self):
        path = self.file("shown")
        for attempt in (f"echo bad >{path}", f"rm {path}", f"mv {path} /tmp", f"chmod 777 {path}", f"touch {path}"):
            ended = self.shell(attempt, readable={path: path})
            self.assertNotEqual(ended.status, 0, attempt)
        with open(path, encoding="utf-8") as file:
            self.assertEqual(file.read(), "content\n")

    def test_into_nothing_outside(self):
        name = f"written-by-{os.path.basename(self.folder)}"
        for folder in ("/usr", "/etc", self.folder, "/tmp", "/var/tmp"):
            path = os.path.join(folder, name)
            self.shell(f"echo bad >{path}")
            self.assertFalse(os.path.exists(path), path)

    def test_to_an_open_file_that_is_handed_over(self):
        with tempfile.TemporaryFile() as file:
            self.said(f"echo told >&{file.fileno()}", descriptors=[file.fileno()])
            file.seek(0)
            self.assertEqual(file.read(), b"told\n")

    def test_to_no_open_file_that_is_not(self):
        with tempfile.TemporaryFile() as file:
            os.set_inheritable(file.fileno(), True)
            self.shell(f"echo told >&{file.fileno()}")
            file.seek(0)
            self.assertEqual(file.read(), b"")


class Limited(Case):
    """Holds with and without a sandbox."""
    INSIDE = True

    def run_in(self, command, bounds):
        return run(command, self.folder, bounds, ENVIRONMENT, writable=[self.folder], inside=self.INSIDE)

    def test_in_time(self):
        begin = time.monotonic()
        bounds = limits(seconds=1)
        ended = self.run_in(["sleep", "60"], bounds)
        self.assertTrue(ended.timed_out)
        self.assertIn("was still running after 1 s", ended.sentence(bounds))
        self.assertLess(time.monotonic() - begin, 10)

    def test_in_memory(self):
        ended = self.run_in(python("x = bytearray(1 << 30)"), limits(memory_bytes=256 << 20))
        self.assertNotEqual(ended.status, 0)
        self.assertIn("MemoryError", ended.said)

    def test_in_the_size_of_a_file(self):
        bounds = limits(file_bytes=1 << 20)
        ended = self.run_in(["sh", "-c", "exec head -c 2000000 /dev/zero >large"], bounds)
        self.assertEqual(ended.status, -signal.SIGXFSZ)
        self.assertEqual(ended.sentence(bounds), "wrote more than 1 MB")
        self.assertEqual(os.path.getsize(os.path.join(self.folder, "large")), 1 << 20)

    def test_in_what_is_said(self):
        bounds = limits(file_bytes=1 << 20)
        ended = self.run_in(["sh", "-c", "exec yes >&2"], bounds)
        self.assertEqual(ended.sentence(bounds), "wrote more than 1 MB")
        self.assertEqual(len(ended.said), SAID_BYTES - 1)  # without the last line's end

    def test_in_what_is_said_to_nobody(self):
        self.assertEqual(self.run_in(["sh", "-c", "head -c 100000000 /dev/zero"], limits(file_bytes=1 << 20)).status, 0)

    def test_by_a_lower_limit_that_holds_here_already(self):
        def here(kind):
            return (1 << 20, 1 << 20) if kind == resource.RLIMIT_FSIZE else (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
        with mock.patch.object(sandbox.resource, "getrlimit", here):
            ended = self.run_in(["sh", "-c", "ulimit -f >&2"], PLENTY)
        self.assertEqual(ended.said, str((1 << 20) // 512))

    def test_by_no_core_file(self):
        self.assertEqual(self.run_in(["sh", "-c", "ulimit -c >&2"], PLENTY).said, "0")

    def test_ends_with_its_status(self):
        for status in (0, 1, 3, 127, 128, 250, 255):
            ended = self.run_in(["sh", "-c", f"exit {status}"], PLENTY)
            self.assertEqual((ended.status, ended.sentence(PLENTY)), (status, None))

    def test_ends_with_its_signal(self):
        for number in (signal.SIGSEGV, signal.SIGKILL, signal.SIGILL):
            ended = self.run_in(["sh", "-c", f"kill -{number.value} $$"], PLENTY)
            self.assertEqual((ended.status, ended.sentence(PLENTY)), (-number, f"was ended by {number.name}"))

    def test_says_what_is_no_text(self):
        self.assertEqual(self.run_in(["sh", "-c", r"printf '\377\376ok' >&2"], PLENTY).said, "\ufffd\ufffdok")

    def test_children_that_hold_its_output_do_not_keep_anybody_waiting(self):
        begin = time.monotonic()
        self.run_in(["sh", "-c", "sleep 71 & sleep 72 & exit 0"], PLENTY)
        self.assertLess(time.monotonic() - begin, 10)
        self.assert_none_live(71, 72)


class LimitedAlone(Limited):
    INSIDE = False


@unittest.skipIf(why_not(), "there is no sandbox here")
class LivesOn(Case):
    def test_nothing_that_left_its_group(self):
        self.shell("setsid sleep 73 >/dev/null 2>&1 & setsid setsid sleep 74 & exit 0")
        self.assert_none_live(73, 74)

    def test_nothing_after_the_time_is_up(self):
        self.shell("setsid sleep 75 & sleep 76", limits(seconds=1))
        self.assert_none_live(75, 76)


class Stopped(Case):
    INSIDE = True

    def shell(self, commands, bounds=PLENTY, **more):
        return super().shell(commands, bounds, inside=self.INSIDE, **more)

    def test_while_it_runs_with_what_it_started(self):
        stop = Stop()
        threading.Timer(0.5, stop.now).start()
        ended = self.shell("sleep 77 & sleep 78", stop=stop)
        self.assertEqual((ended.status, ended.timed_out), (-signal.SIGKILL, False))
        self.assert_none_live(77, 78)

    def test_at_once_where_it_comes_too_late(self):
        stop = Stop()
        stop.now()
        ended = self.shell("sleep 79", stop=stop)
        self.assertEqual((ended.status, ended.timed_out), (-signal.SIGKILL, False))

    def test_by_nobody_once_it_has_ended(self):
        stop = Stop()
        self.shell("exit 0", stop=stop)
        self.assertEqual(stop.running, set())


class StoppedAlone(Stopped):
    INSIDE = False


@unittest.skipIf(why_not() or not no_forks(), "there is no sandbox or no filter here")
class Starts(Case):
    TRIES = python("import ctypes, os, errno", "libc = ctypes.CDLL(None, use_errno=True)",
                   "for number in (56, 57, 58, 435):",
                   "    assert libc.syscall(number, 0, 0, 0, 0, 0) == -1 and ctypes.get_errno() == errno.EAGAIN, number",
                   "try:", "    os.fork()", "except OSError as why:", "    os.write(2, why.strerror.encode())")

    def test_no_process_where_it_may_not(self):
        ended = run(self.TRIES, self.folder, limits(forks=False), ENVIRONMENT)
        self.assertEqual((ended.status, ended.said), (0, "Resource temporarily unavailable"))

    def test_processes_where_it_may(self):
        self.assertEqual(self.said("sh -c 'echo started' & wait"), "started")

    def test_no_system_call_of_another_kind(self):
        # Of x32: a number with the bit 30 set.
        ended = run(python("import ctypes", "libc = ctypes.CDLL(None, use_errno=True)",
                           "assert libc.syscall(0x40000000 + 57) == -1 and ctypes.get_errno() == 11"),
                    self.folder, limits(forks=False), ENVIRONMENT)
        self.assertEqual(ended.status, 0, ended.said)

    def test_a_filter_is_known_for_this_machine_alone(self):
        with mock.patch.object(os, "uname", lambda: mock.Mock(machine="aarch64")):
            self.assertIsNone(no_forks())


class Without(Case):
    """A machine where bubblewrap is missing or may not work."""

    def with_path(self, program=None):
        """why_not() where PATH has this bwrap alone."""
        if program:
            path = self.file("bwrap", f"#!/bin/sh\n{program}\n")
            os.chmod(path, 0o755)
        sandbox.why_not.cache_clear()
        self.addCleanup(sandbox.why_not.cache_clear)
        with mock.patch.dict(os.environ, {"PATH": self.folder}):
            return why_not()

    def test_that_it_is_missing_is_said_with_what_to_do(self):
        self.assertEqual(self.with_path(), "bubblewrap is not installed ('make setup' installs it)")

    def test_that_it_does_not_work_is_said_in_its_words(self):
        said = self.with_path("echo 'bwrap: No permissions to create new namespace' >&2; exit 1")
        self.assertEqual(said, "bubblewrap does not work here: bwrap: No permissions to create new namespace")

    def test_commands_run_all_the_same(self):
        with mock.patch.object(sandbox, "why_not", lambda: "it is not there"):
            self.assertEqual(self.said("pwd; echo $PATH"), f"{self.folder}\n{ENVIRONMENT['PATH']}")

    def test_only_its_own_environment_is_given(self):
        with mock.patch.object(sandbox, "why_not", lambda: "it is not there"), \
                mock.patch.dict(os.environ, {"SECRET": "of the instructor"}):
            self.assertNotIn("SECRET", self.said("env"))


class Words(unittest.TestCase):
    def test_of_an_end_by_itself_are_none(self):
        for status in (0, 1, 5, 255):
            self.assertIsNone(Ended(status, False, "").sentence(PLENTY))

    def test_of_a_signal_without_a_name_are_its_number(self):
        self.assertEqual(Ended(-40, False, "").sentence(PLENTY), "was ended by signal 40")


if __name__ == "__main__":
    unittest.main()
