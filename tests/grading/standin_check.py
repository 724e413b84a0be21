"""Stands in for grading/check.py where tests grade a class: the same command line, exit status and JSON, but a file's words
say what comes out.

In:  standin_check.py DEVICE [--seed N] [--lab NN-name] [--json FILE] FILE.hip, which holds words like "points 6.5",
     "sleep 0.1", "crash", "trouble", "mute", "broken", "endless"; STANDIN_LOG, a file that takes a line for each run.
Out: FILE; status 0, 1 or 2, or an end that a check must not have.
"""
import argparse
import json
import os
import re
import signal
import sys
import time

POSSIBLE = 10.0


def says(text, word, otherwise):
    found = re.search(rf"\b{word} ([\d.]+)", text)
    return float(found[1]) if found else otherwise


def result_of(asked, text):
    points = says(text, "points", POSSIBLE)
    passed = points == POSSIBLE
    criterion = {"name": "speed <&> \"x\"\x1b[1m", "evidence": "modelled", "value": points / 10, "full_at": 1, "zero_at": 0,
                 "points": points, "possible": POSSIBLE, "verdict": "pass" if passed else "FAIL",
                 "feedback": [] if passed else [f"Only {points} of 10.\x07 </pre>"]}
    later = {"name": "on a GPU", "evidence": "measured", "value": None, "full_at": 1, "zero_at": 0, "points": None,
             "possible": 3, "verdict": "later", "feedback": []}
    return {"lab": asked.lab, "source": asked.source, "device": asked.device, "seed": int(asked.seed),
            "status": "passed" if passed else "not yet", "points": points, "possible": POSSIBLE,
            "criteria": [criterion, later], "stopped": "At 3 x 4 x 5, 7 points are wrong." if "stopped" in text else None,
            "repeat": None if passed else "make run LAB=01", "trouble": None,
            "provenance": {"device": "stand-in", "compiler": "none", "commit": "c0ffee", "sandbox": "none", "ignored": {},
                           "sha256": "0"}}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("device")
    parser.add_argument("source")
    for option in ("--seed", "--lab", "--json"):
        parser.add_argument(option)
    asked = parser.parse_args()
    with open(asked.source, encoding="utf-8", errors="replace") as file:
        text = file.read()
    if "STANDIN_LOG" in os.environ:
        with open(os.environ["STANDIN_LOG"], "a", encoding="utf-8") as log:
            log.write(f"{asked.lab} {os.getpid()} {asked.source}\n")
    time.sleep(3600 if "endless" in text else says(text, "sleep", 0))
    if "crash" in text:
        os.kill(os.getpid(), signal.SIGSEGV)
    if "trouble" in text:
        with open(asked.json, "w", encoding="utf-8") as file:
            json.dump({"lab": asked.lab, "status": "trouble", "trouble": "the device is on fire"}, file)
        return 2
    if "mute" in text:
        return 0
    result = result_of(asked, text)
    if "broken" in text:
        result["points"] = "many"
    with open(asked.json, "w", encoding="utf-8") as file:
        json.dump(result, file)
    return 0 if result["status"] == "passed" else 1


if __name__ == "__main__":
    sys.exit(main())
