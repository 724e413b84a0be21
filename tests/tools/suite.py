"""Runs the unittest cases of a file as one of the suites that tests/run-suites.sh adds up.

In:  import suite before anything of the repository: it puts the root on the path and makes it the working folder;
     suite.run() at the end
Out: what failed, on stderr; the line in which Criterion's suites count their tests; status 1 when any failed
"""
import os
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, ROOT)
os.chdir(ROOT)


def run():
    result = unittest.main(exit=False).result
    failed = len(result.failures) + len(result.errors)
    passed = result.testsRun - failed
    print(f"[====] Synthesis: Tested: {result.testsRun} | Passing: {passed} | Failing: {failed} | Crashing: 0")
    sys.exit(0 if result.wasSuccessful() else 1)
