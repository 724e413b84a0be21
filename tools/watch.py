"""Checks a lab each time that its file is saved, until it is interrupted.

In:  watch.py FILE.hip COMMAND...   FILE and the headers beside it are looked at twice a second, which needs no help of the
     system and works on any file system
Out: what COMMAND says, again after each change.
"""
import subprocess
import sys
import time

from grading.state import content_of

POLL_S = 0.5


def wait_for_change(source, before):
    while True:
        time.sleep(POLL_S)
        now = content_of(source)
        if now not in (before, None):  # None: an editor is between taking the old file away and putting the new one there
            return now


def main():
    source, *command = sys.argv[1:]
    content = content_of(source)
    while True:
        subprocess.run(command, check=False)
        print(f"\nwatching {source}: save it and it is checked again; Ctrl-C ends this", flush=True)
        content = wait_for_change(source, content)
        print(flush=True)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        print()
