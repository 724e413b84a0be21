"""A check's work side by side: in which order it is begun, what waits for what, what an error or an end does."""
import os
import threading
import unittest
from concurrent.futures import CancelledError
from unittest import mock

from grading.work import MOST_THREADS, THREADS, Work, threads_here

SECONDS = 10  # after which a test that would hang fails


class Case(unittest.TestCase):
    def work(self, threads="1"):
        with mock.patch.dict(os.environ, {THREADS: threads}):
            made = Work()
        self.addCleanup(made.end)
        return made

    def held(self, work):
        """An Event: until it is set one thread of the work does nothing else."""
        free = threading.Event()
        self.addCleanup(free.set)
        began = threading.Event()
        work.begin(lambda: began.set() or free.wait(SECONDS))
        self.assertTrue(began.wait(SECONDS))
        return free


class Order(Case):
    def test_is_that_in_which_tasks_came_whenever_they_became_ready(self):
        work, done = self.work(), []
        free, first = self.held(work), self.work()
        opens = self.held(first)
        needed = first.begin(lambda: None)
        tasks = [work.begin(done.append, "after", after=needed), work.begin(done.append, "then")]
        opens.set()
        needed.result(SECONDS)
        free.set()
        for task in tasks:
            task.result(SECONDS)
        self.assertEqual(done, ["after", "then"])

    def test_lets_nothing_wait_for_what_is_not_ready(self):
        work, other = self.work(), self.work()
        free = self.held(other)
        needed = other.begin(lambda: "object")
        waits = work.begin(lambda: needed.result(SECONDS), after=needed)
        self.assertEqual(work.begin(lambda: "goes on").result(SECONDS), "goes on")
        self.assertFalse(waits.done())
        free.set()
        self.assertEqual(waits.result(SECONDS), "object")

    def test_is_side_by_side_on_as_many_threads_as_are_given(self):
        work, both = self.work("2"), threading.Barrier(2)
        for task in [work.begin(both.wait, SECONDS) for _ in range(2)]:
            task.result(SECONDS)


class Ends(Case):
    def test_an_error_is_for_who_asks_and_stops_nothing_else(self):
        work = self.work()
        failed = work.begin(lambda: 1 // 0)
        after = work.begin(lambda: "made all the same", after=failed)
        self.assertEqual(after.result(SECONDS), "made all the same")
        with self.assertRaises(ZeroDivisionError):
            failed.result(SECONDS)

    def test_what_is_cancelled_is_not_begun(self):
        work, done = self.work(), []
        free = self.held(work)
        cancelled, kept = work.begin(done.append, "cancelled"), work.begin(done.append, "kept")
        cancelled.cancel()
        free.set()
        kept.result(SECONDS)
        self.assertEqual(done, ["kept"])
        with self.assertRaises(CancelledError):
            cancelled.result(SECONDS)

    def test_end_waits_for_what_runs_and_begins_nothing_more(self):
        work, done = self.work(), []
        free = self.held(work)
        work.begin(done.append, "never")
        threading.Timer(0.1, free.set).start()
        work.end()
        self.assertEqual((done, [thread.is_alive() for thread in work.threads]), ([], [False]))


class Threads(unittest.TestCase):
    def test_are_as_many_as_cores_that_we_may_use_and_not_too_many(self):
        for given, cores, threads in (("", 1, 1), ("", 2, 2), ("", 64, MOST_THREADS), ("1", 64, 1), ("0", 2, 1)):
            with mock.patch.dict(os.environ, {THREADS: given}), \
                    mock.patch.object(os, "sched_getaffinity", lambda _, cores=cores: set(range(cores))):
                self.assertEqual(threads_here(), threads, (given, cores))


if __name__ == "__main__":
    unittest.main()
