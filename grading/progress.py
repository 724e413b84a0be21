"""Signs of life: says what a check is doing where nothing else was said for some seconds.

In:  what is being done, as it begins; a stream, a terminal or not.
     progress.py WHAT COMMAND...   runs the command meanwhile; its status is the status
Out: on a terminal one line that is renewed each second and goes when something is printed; elsewhere a line now and then.
"""
import os
import subprocess
import sys
import threading
import time

QUIET_S = 3  # without a word, after which one is said
RENEWED_S = 1


class Progress:
    def __init__(self, out=None, quiet_s=QUIET_S):
        self.out, self.quiet_s = out or sys.stderr, quiet_s
        self.renews = self.out.isatty()
        self.what, self.since = "starting", time.monotonic()
        self.spoke, self.shows = self.since, False
        self.lock, self.ended = threading.Lock(), threading.Event()
        self.thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()
        self.clear()

    def doing(self, what):
        with self.lock:
            self.what, self.since = what, time.monotonic()

    def clear(self):
        """Before something else is printed."""
        with self.lock:
            if self.shows:
                self.out.write("\r\x1b[K")
                self.out.flush()
            self.shows, self.spoke = False, time.monotonic()

    def _watch(self):
        while not self.ended.wait(RENEWED_S if self.renews else self.quiet_s / 4):
            with self.lock:
                now = time.monotonic()
                if now - self.spoke >= self.quiet_s or self.shows:
                    self._say(now)

    def _say(self, now):
        line = f"  ... {self.what}, {now - self.since:.0f} s"
        if self.renews:
            self.out.write(f"\r\x1b[K{line}")
            self.shows = True
        else:
            self.out.write(f"{line}\n")
            self.spoke = now
        self.out.flush()


def beside_a_line():
    """The environment of programs that run while such a line says so: the emulated device's own notes would tear it."""
    return {"EMULATOR_PROGRESS": "0", **os.environ}


def main():
    what, *command = sys.argv[1:]
    with Progress() as progress:
        progress.doing(what)
        return subprocess.run(command, env=beside_a_line(), check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
