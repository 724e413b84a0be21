"""Results that are broken or missing are refused with a sentence; values are found by their path."""
import json
import os
import tempfile
import unittest

from grading.results import EACH_HAS, NoResult, evidence_of, load, look_up, size_of

WHOLE = {"lab": "01-baseline", "source": "labs/01-baseline/laplacian.hip", "kernel": "laplacian", "device": "emulated",
         "device_name": "emulated", "nx": 8, "ny": 9, "nz": 10, "block": [64, 1, 1], "seed": 1, "verified": True,
         "checks": [], "layout": {}, "counters": {"SQ_WAVES": 4}, "time_ms": None, "interior_points": 336,
         "element_bytes": 8, "launches": 1, "tables": {"columns": [], "rows": [], "recorded": []}}


class Loading(unittest.TestCase):
    def refusal(self, text):
        """The sentence on a file that holds the text."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "result.json")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            with self.assertRaises(NoResult) as refused:
                load(path)
        self.assertIn("result.json", str(refused.exception))
        return str(refused.exception)

    def test_a_whole_result(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "result.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump(WHOLE, file)
            self.assertEqual(load(path), WHOLE)

    def test_what_is_not_there(self):
        with self.assertRaises(NoResult) as refused:
            load("build/no/such/result.json")
        self.assertIn("there is no result in build/no/such/result.json: No such file", str(refused.exception))

    def test_what_was_cut_off(self):
        for text in ("", json.dumps(WHOLE)[:100], "\0"):
            self.assertIn("is no JSON", self.refusal(text))

    def test_what_is_no_object(self):
        for text in ("[]", "3", "null", '"result"'):
            self.assertIn("holds no result", self.refusal(text))

    def test_what_lacks_a_part_or_has_it_malformed(self):
        for key in EACH_HAS:
            self.assertIn(f'"{key}" is missing', self.refusal(json.dumps({k: v for k, v in WHOLE.items() if k != key})))
            self.assertIn(f'"{key}" is malformed', self.refusal(json.dumps({**WHOLE, key: None})))


class Evidence(unittest.TestCase):
    RESULT = {**WHOLE, "model_error_percent": {"time": 15, "memory": 22}}

    def test_carries_the_error_of_time_or_of_memory(self):
        for path in ("time_ms.median", ("time_ms", "median"), "effective_bandwidth_gbs", "memory.achieved_bandwidth_gbs",
                     "speedup"):
            self.assertEqual(evidence_of(self.RESULT, "modelled", path), "modelled, +-15 %")
        for path in ("memory.fetch_size_gb", ("cubes", "hbm"), "counters.TCC_HIT_sum"):
            self.assertEqual(evidence_of(self.RESULT, "modelled", path), "modelled, +-22 %")

    def test_is_the_word_alone_of_what_is_not_modelled_or_near_enough(self):
        self.assertEqual(evidence_of(self.RESULT, "measured", "time_ms"), "measured")
        self.assertIsNone(evidence_of(self.RESULT, None, "time_ms"))
        near = {**WHOLE, "model_error_percent": {"time": None, "memory": None}}
        for result in (near, WHOLE):
            self.assertEqual(evidence_of(result, "modelled", "time_ms"), "modelled")


class LookingUp(unittest.TestCase):
    def test_follows_the_path(self):
        self.assertEqual(look_up(WHOLE, "counters.SQ_WAVES"), 4)
        self.assertEqual(look_up(WHOLE, ("counters", "SQ_WAVES")), 4)
        self.assertEqual(size_of(WHOLE), [8, 9, 10])

    def test_of_what_is_not_there_is_none(self):
        for path in ("counters.SQ_WAVE", "counter.SQ_WAVES", "time_ms.median", "nx.median", "checks.passed"):
            self.assertIsNone(look_up(WHOLE, path), path)


if __name__ == "__main__":
    unittest.main()
