"""Does a check's work side by side, on as many threads as there are cores, and of what can begin always that which is needed
first.

In:  tasks, begun in the order in which their results will be asked for; one may have to wait for another.
Out: a Future of each.
"""
import heapq
import os
import threading
from concurrent.futures import Future

MOST_THREADS = 4  # a run takes a gigabyte, and has threads of its own
THREADS = "CHECK_THREADS"  # the variable with which who makes several checks at once gives each its share of the cores


def threads_here():
    return max(1, min(MOST_THREADS, int(os.environ.get(THREADS) or len(os.sched_getaffinity(0)))))


class Work:
    def __init__(self):
        self.changed, self.ready, self.begun, self.ended = threading.Condition(), [], 0, False
        self.threads = [threading.Thread(target=self._work) for _ in range(threads_here())]
        for thread in self.threads:
            thread.start()

    def begin(self, task, *arguments, after=None):
        """after: a Future; the task can begin once that is there, or has failed."""
        with self.changed:
            self.begun += 1
            item = self.begun, Future(), task, arguments
        if after:
            after.add_done_callback(lambda _: self._is_ready(item))
        else:
            self._is_ready(item)
        return item[1]

    def end(self):
        """What was not begun never is."""
        with self.changed:
            self.ended = True
            self.changed.notify_all()
        for thread in self.threads:
            thread.join()

    def _is_ready(self, item):
        with self.changed:
            heapq.heappush(self.ready, item)
            self.changed.notify()

    def _next(self):
        with self.changed:
            self.changed.wait_for(lambda: self.ready or self.ended)
            return None if self.ended else heapq.heappop(self.ready)

    def _work(self):
        while item := self._next():
            _, future, task, arguments = item
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(task(*arguments))
                except BaseException as why:  # is for who asks for the result
                    future.set_exception(why)
