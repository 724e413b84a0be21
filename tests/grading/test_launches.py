"""A launcher's list of launches, from writing it down to the figures: a good one gives what its launches did, all together;
a damaged one ends with a status and a sentence and never by a signal.

In:  build/grading/launches/; several.hip beside this file: two kernels, arguments in a struct, __constant__ memory.
"""
import json
import os
import random
import subprocess
import tempfile
import unittest

from grading.building import build
from grading.running import sizes_of
from grading.statuses import Status

LAUNCHES = "build/grading/launches"
SOURCES = {"one": "solutions/01-baseline/laplacian.hip", "several": "tests/grading/several.hip"}
GRID = ["--nx", "70", "--ny", "5", "--nz", "6", "--block", "64x1x1"]
ONE_SIZE = "1:1:1:1"
STALE = "7ff4c580"  # the upper half of what stands for u: launch_list.h
ENVIRONMENT = {"PATH": os.environ["PATH"], "LD_LIBRARY_PATH": os.path.abspath("build/emulator"), "OMP_NUM_THREADS": "1",
               "EMULATOR_MODEL": "0", "EMULATOR_INSTRUCTION_BUDGET": "100000"}
built, good, folder = {}, {}, None


def setUpModule():
    global folder
    folder = tempfile.TemporaryDirectory(dir="build")
    unittest.addModuleCleanup(folder.cleanup)
    for name, source in SOURCES.items():
        built[name] = build(source, source, {}, os.path.abspath(folder.name))
        good[name] = recorded(name, ONE_SIZE, *GRID)


def recorded(name, sizes, *options):
    """The list, as text."""
    with tempfile.TemporaryFile() as out:
        subprocess.run([built[name].recorder, built[name].facts, str(out.fileno()), sizes, *options], env=ENVIRONMENT,
                       pass_fds=[out.fileno()], check=True, capture_output=True)
        out.seek(0)
        return out.read().decode()


def replayed(name, text, sizes=ONE_SIZE, options=GRID, first="0", **environment):
    """(status, what was said, the result or None) of a list."""
    lists, result = (os.path.join(folder.name, file) for file in ("lists", "result.json"))
    with open(lists, "wb") as file:
        file.write(text.encode() if isinstance(text, str) else text)
    if os.path.exists(result):
        os.unlink(result)
    done = subprocess.run([f"{LAUNCHES}/replay", SOURCES[name], built[name].facts, built[name].code, lists, sizes, first,
                           "laplacian", "-", "0", *options, "--json", result], env={**ENVIRONMENT, **environment},
                          capture_output=True, text=True, errors="replace", check=False, timeout=60)
    found = None
    if os.path.exists(result):
        with open(result, encoding="utf-8") as file:
            found = json.load(file)
    return done.returncode, done.stderr, found


def without(text, word):
    return "".join(line for line in text.splitlines(True) if not line.startswith(word))


class Good(unittest.TestCase):
    """What a list gives is what all of its launches did."""

    def result(self, name, text, **environment):
        status, said, result = replayed(name, text, **environment)
        self.assertEqual((status, said), (Status.VERIFIED, ""))
        return result

    def test_of_one_kernel_is_right_and_named(self):
        result = self.result("one", good["one"])
        self.assertEqual((result["launches"], len(result["kernels"])), (1, 1))
        self.assertTrue(result["kernels"][0].startswith("laplacian(double*, double const*"), result["kernels"])
        self.assertEqual(result["points_per_thread"], 70 * 5 * 6 / (128 * 5 * 6))

    def test_of_several_kernels_has_structs_and_variables_translated(self):
        self.assertIn("set weights 0 ", good["several"])
        self.assertIn("set weights 24 ", good["several"])
        result = self.result("several", good["several"])
        self.assertEqual((result["launches"], result["kernels"]), (2, ["even(Arrays)", "odd(Arrays)"]))

    def test_of_the_last_check_alone_have_what_was_set_before_it(self):
        begin, end = good["several"].split("check 1\n")
        set_once = begin + "check 1\n" + "\n".join(line for line in end.split("\n") if not line.startswith("set "))
        for text in (good["several"], set_once):
            status, said, result = replayed("several", text, first="1")
            checks = result["checks"]
            self.assertEqual((status, len(checks), checks[0]["input"]), (Status.VERIFIED, 1, "random"), said)
        self.assertEqual(replayed("several", without(set_once, "set"), first="1")[0], Status.NOT_RIGHT)
        for first in ("-1", "2"):
            self.assertEqual(replayed("one", good["one"], first=first)[0], Status.DEVICE_TROUBLE)

    def test_counts_all_launches_together(self):
        result = self.result("several", good["several"])
        points = 68 * 3 * 4
        self.assertEqual(result["counters"]["EMULATOR_GLOBAL_BYTES_STORED"], 8 * points)
        self.assertEqual(result["counters"]["SQ_WAVES"], 2 * 2 * 5 * 3)
        self.assertEqual(result["points_per_thread"], 70 * 5 * 6 / (2 * 128 * 5 * 3))

    def test_counts_a_launch_that_is_made_twice_twice(self):
        twice = "".join(line * (1 + line.startswith("launch")) for line in good["one"].splitlines(True))
        once, result = (self.result("one", text) for text in (good["one"], twice))
        self.assertEqual((result["launches"], result["kernels"]), (2, once["kernels"]))
        self.assertEqual(result["counters"]["SQ_WAVES"], 2 * once["counters"]["SQ_WAVES"])
        self.assertEqual(result["points_per_thread"], once["points_per_thread"] / 2)

    def test_times_all_launches_together(self):
        modelled = {"EMULATOR_MODEL": "1"}
        twice = "".join(line * (1 + line.startswith("launch")) for line in good["one"].splitlines(True))
        once, result = (self.result("one", text, **modelled) for text in (good["one"], twice))
        self.assertGreater(result["time_ms"]["median"], 1.5 * once["time_ms"]["median"])

    def test_has_the_worst_resources_of_its_kernels(self):
        with open(built["several"].facts, encoding="utf-8") as file:
            rows = {line.split()[-1]: line.split()[1:7] for line in file if line.startswith("kernel")}
        even, odd = ([int(number) for number in rows[name]] for name in ("even(Arrays)", "odd(Arrays)"))
        self.assertEqual((even[3], even[4]), (0, 0))
        self.assertGreater(odd[3], 0)
        for text in (good["several"], "\n".join(self.turned(good["several"].splitlines())) + "\n"):
            compiled = self.result("several", text)["compiled"]
            self.assertEqual(compiled["scratch_bytes"], odd[3])
            self.assertEqual(compiled["sgprs"], max(even[0], odd[0]))
            self.assertEqual(compiled["vgprs"], max(even[1], odd[1]))

    @staticmethod
    def turned(lines):
        """Each pair of launches the other way round."""
        for n, line in enumerate(lines[:-1]):
            if line.startswith("launch") and lines[n + 1].startswith("launch"):
                lines[n], lines[n + 1] = lines[n + 1], line
        return lines

    def test_knows_waves_that_lds_leaves_room_for(self):
        # 40 KiB of the 64 of a compute unit: one workgroup of one wave, for four SIMDs, which makes none whole.
        text = "\n".join(" ".join([*words[:8], "40960", *words[9:]]) if (words := line.split(" "))[0] == "launch" else line
                         for line in good["one"].splitlines()) + "\n"
        self.assertEqual(self.result("one", text)["compiled"]["occupancy_waves_per_simd"], 0)
        self.assertEqual(self.result("one", good["one"])["compiled"]["occupancy_waves_per_simd"], 8)

    def test_takes_no_stale_half_of_a_pointer_in_padding_for_one(self):
        # The word of nz and the padding behind it, in each launch of Arrays.
        stale = "".join(bytes.fromhex(STALE)[::-1].hex())
        lines = good["several"].split(" ")
        arguments = [word for word in lines if word.startswith("46000000050000000600")]
        self.assertEqual(len(arguments), 4)
        text = good["several"]
        for word in arguments:
            text = text.replace(word, word[:24] + stale + word[32:])
        self.result("several", text)

    def test_sets_a_variable_larger_than_a_stack(self):
        large = f"check 1\nset weights 0 {'00' * (16 << 20)}\n"
        status, said, _ = replayed("several", good["several"].replace("check 1\n", large))
        self.assertEqual(status, Status.KERNEL_FAULT)
        self.assertIn("weights", said)

    def test_that_computes_nothing_is_not_right(self):
        status, _, result = replayed("one", without(good["one"], "launch"))
        self.assertEqual((status, result["launches"]), (Status.NOT_RIGHT, 0))

    def test_of_one_input_alone_is_not_right(self):
        begin, end = good["one"].split("check 1\n")
        for text in (without(begin, "launch") + "check 1\n" + end, begin + "check 1\n" + without(end, "launch")):
            self.assertEqual(replayed("one", text)[0], Status.NOT_RIGHT)


class Timed(unittest.TestCase):
    """Each launch that is timed is verified, on what no launch before it left."""

    def replayed(self, kernel, launches):
        text = recorded("several", ONE_SIZE, *GRID, "--kernel", kernel)
        return replayed("several", text, options=[*GRID, "--iterations", str(launches)], EMULATOR_MODEL="1")

    def test_that_does_the_work_is_right(self):
        status, said, result = self.replayed("even", 3)
        self.assertEqual((status, said, result["time_ms"]["runs"]), (Status.VERIFIED, "", 3))

    def test_that_does_the_work_only_where_it_is_not_timed_is_not_right(self):
        self.assertEqual(self.replayed("lazy", 1)[0], Status.VERIFIED)
        status, _, result = self.replayed("lazy", 2)
        self.assertEqual((status, result["checks"][1]["points_unwritten"]), (Status.NOT_RIGHT, 68 * 3 * 4))


class Damaged(unittest.TestCase):
    """Each ends with the status and the words beside it."""

    def refused(self, words, text, status=Status.KERNEL_FAULT, name="one", **more):
        ended, said, result = replayed(name, text, **more)
        self.assertEqual(ended, status, said)
        self.assertIn(words, said)
        self.assertNotIn("Traceback", said)
        self.assertIsNone(result)

    def launch(self, *changes):
        """The good list, with word n of each launch changed, for (n, word) of changes."""
        lines = []
        for line in good["one"].splitlines():
            words = line.split(" ")
            if words[0] == "launch":
                for n, word in changes:
                    words[n] = word
            lines.append(" ".join(words))
        return "\n".join(lines) + "\n"

    def test_that_ends_too_early(self):
        text = good["one"]
        for kept in (0, 5, text.index("check 0"), text.index("check 1"), len(text) - len("end\n")):
            self.refused("did not come back", text[:text.rindex("\n", 0, kept) + 1] if kept > 10 else "")
        self.refused("did not come back", without(text, "kernel"))

    def test_that_is_cut_within_a_line(self):
        text = good["one"]
        for kept in (len(text) - 1, text.index("launch") + 20):
            self.refused("is damaged", text[:kept])

    def test_with_another_kernel(self):
        self.refused("compiled to no such kernel", self.launch((1, "nothing")))

    def test_with_arguments_of_another_size(self):
        word = good["one"].split("launch ")[1].split()[8]
        for other in (word[:-2], word + "00", "-", "00"):
            self.refused("bytes of arguments, and", self.launch((9, other)))

    def test_with_what_is_no_bytes(self):
        word = good["one"].split("launch ")[1].split()[8]
        self.refused("are no bytes", self.launch((9, "zz" + word[2:])))

    def test_with_pointers_that_lead_nowhere(self):
        word = good["one"].split("launch ")[1].split()[8]
        for pointer in ("efbeadde00000000", "00000000000000c5", "ffffffffffffffff"):
            self.refused("leads into none of the arrays", self.launch((9, pointer + word[16:])))
            self.refused("leads into none of the arrays", self.launch((9, word[:16] + pointer + word[32:])))

    def test_with_pointers_beyond_the_arrays_names_the_access(self):
        word = good["one"].split("launch ")[1].split()[8]
        self.refused("reads 8 bytes at address", self.launch((9, word[:16] + "0000002080c5f47f" + word[32:])))

    def test_with_a_null_pointer_says_what_the_device_says(self):
        word = good["one"].split("launch ")[1].split()[8]
        self.refused("writes 8 bytes at address", self.launch((9, "0" * 16 + word[16:])))

    def test_with_arrays_the_other_way_round(self):
        word = good["one"].split("launch ")[1].split()[8]
        status, _, result = replayed("one", self.launch((9, word[16:32] + word[:16] + word[32:])))
        self.assertEqual(status, Status.NOT_RIGHT)
        self.assertIn("elements of the input u were changed", result["checks"][1]["sentence"])

    def test_with_too_many_launches(self):
        line = next(line for line in good["one"].splitlines(True) if line.startswith("launch"))
        self.refused("more than 10000 kernels", good["one"].replace(line, line * 10001, 1))

    def test_with_blocks_that_no_device_has(self):
        for change in ((2, "0"), (5, "0"), (5, "1025"), (8, "1000000"), (2, "4294967295"), (5, "4294967296000")):
            with self.subTest(change):
                self.refused("", self.launch(change))

    def test_with_a_call_that_no_launcher_makes(self):
        self.refused("the launcher calls hipMemset;", good["one"].replace("check 1\n", "refused hipMemset\n"))

    def test_with_variables_that_there_are_not(self):
        for line in ("set nothing 0 00", "set weights 33 00", "set weights 18446744073709551615 0000"):
            self.refused("variable", good["several"].replace("check 1\n", f"check 1\n{line}\n"), name="several")

    def test_with_lines_that_are_none(self):
        for line in ("check 2", "check -1", "check 0 launch x", "launch", "set", "hello", "%s%n%s", "launch x 1 1 1 1 1 1"):
            with self.subTest(line):
                text = good["one"].replace("check 1\n", f"{line}\n")
                self.assertIn(replayed("one", text)[0], (Status.KERNEL_FAULT, Status.NOT_RIGHT))
        self.refused("is damaged", good["one"].replace("check 0\n", ""))

    def test_with_a_layout_that_cannot_be(self):
        for layout in ("layout 69 0", "layout 18446744073709551615 0", "layout 70 18446744073709551615"):
            status, said, _ = replayed("one", good["one"].replace("layout 70 0", layout))
            self.assertEqual(status, Status.MALFORMED_OPTIONS, said)

    def test_of_fewer_sizes_than_are_run(self):
        status, said, _ = replayed("one", good["one"], "2:1:1:1")
        self.assertEqual(status, Status.KERNEL_FAULT)
        self.assertIn("did not come back", said)

    def test_that_is_missing(self):
        done = subprocess.run([f"{LAUNCHES}/replay"], env=ENVIRONMENT, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, Status.DEVICE_TROUBLE)
        self.assertIn("usage: replay", done.stderr)

    def test_at_random_never_ends_by_a_signal(self):
        dice = random.Random(7)
        for name in ("one", "several"):
            for _ in range(40):
                text = bytearray(good[name].encode())
                for _ in range(dice.choice((1, 1, 2, 8))):
                    at = dice.randrange(len(text))
                    change = dice.choice(("byte", "digit", "cut", "twice"))
                    if change == "byte":
                        text[at] = dice.randrange(256)
                    elif change == "digit":
                        text[at] = ord(dice.choice("0123456789abcdef -\n"))
                    elif change == "cut":
                        del text[at:at + dice.randrange(1, 40)]
                    else:
                        text[at:at] = text[at:at + dice.randrange(1, 200)]
                status, said, _ = replayed(name, bytes(text))
                self.assertIn(status, tuple(Status), (bytes(text), said))


class Sizes(unittest.TestCase):
    """A row of small sizes meets every remainder that a kernel may forget."""

    @classmethod
    def setUpClass(cls):
        with open("labs/01-baseline/expected.json", encoding="utf-8") as file:
            runs = json.load(file)["correctness"]["runs"]
        cls.wanted = next(run for run in runs if run.get("all_sizes"))
        cls.sizes, cls.first = sizes_of(cls.wanted)

    @staticmethod
    def options(first, block="256x1x1"):
        return ["--nx", str(first[0]), "--ny", str(first[1]), "--nz", str(first[2]), "--block", block]

    def grids(self):
        """(nx, ny, nz) of each, out of the arguments that the launcher handed over."""
        text = recorded("one", self.sizes, *self.options(self.first))
        for check in text.split("check 1\n")[1:]:
            digits = check.split()[9]
            yield tuple(int.from_bytes(bytes.fromhex(digits[at:at + 8]), "little") for at in (32, 40, 48))

    def test_hold_every_combination_of_remainders_by_four(self):
        met = {tuple(n % 4 for n in grid) for grid in self.grids()}
        self.assertEqual(len(met), 64)

    def test_hold_every_remainder_of_a_block_along_x(self):
        grids = list(self.grids())
        self.assertEqual({grid[0] % 256 for grid in grids}, set(range(256)))
        self.assertEqual(len(grids), int(self.sizes.split(":")[0]))

    def test_stay_within_their_ranges(self):
        for grid in self.grids():
            for n, direction in zip(grid, ("nx", "ny", "nz")):
                self.assertIn(n, range(self.wanted[direction][0], self.wanted[direction][1] + 1))

    def test_are_each_verified(self):
        first, few = [5, 3, 3], "20:1:4:4"
        text = recorded("one", few, *self.options(first))
        status, _, result = replayed("one", text, few, self.options(first))
        self.assertEqual((status, [result[n] for n in ("nx", "ny", "nz")]), (Status.VERIFIED, [24, 3, 4]))

    def test_end_with_the_first_that_is_not_right(self):
        first, few = [5, 3, 3], "20:1:4:4"
        lists = recorded("one", few, *self.options(first)).split("end\n")
        lists[7] = without(lists[7], "launch")
        status, _, result = replayed("one", "end\n".join(lists), few, self.options(first))
        self.assertEqual((status, [result[n] for n in ("nx", "ny", "nz")]), (Status.NOT_RIGHT, [12, 4, 3]))

    def test_that_are_none_are_refused(self):
        for sizes in ("", "0:1:1:1", "1:1:1", "-1:1:1:1", "1:0:1:1", "x"):
            self.assertEqual(replayed("one", good["one"], sizes)[0], Status.DEVICE_TROUBLE)


class KernelFacts(unittest.TestCase):
    def asked(self, content):
        path = os.path.join(folder.name, "code")
        with open(path, "wb") as file:
            file.write(content)
        return subprocess.run([f"{LAUNCHES}/kernel-facts", path], capture_output=True, text=True, errors="replace",
                              check=False)

    def test_of_a_code_object_are_its_own(self):
        with open(built["several"].code, "rb") as file:
            code = file.read()
        done = self.asked(code)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"(?m)^kernel \d+ \d+ 0 0 0 8 1024 40 _Z4even6Arrays even\(Arrays\)$")
        self.assertIn("\nargument 0 40 0\n", done.stdout)

    def test_of_a_damaged_one_are_a_sentence(self):
        with open(built["one"].code, "rb") as file:
            code = file.read()
        dice = random.Random(3)
        contents = [b"", b"\x7fELF", b"no code", code[:100], code[:len(code) // 2], bytes(len(code))]
        for _ in range(60):
            damaged = bytearray(code)
            for _ in range(dice.choice((1, 4, 64))):
                damaged[dice.randrange(len(code))] = dice.randrange(256)
            contents.append(bytes(damaged))
        for content in contents:
            done = self.asked(content)
            self.assertIn(done.returncode, (0, 1), done.stderr)
            self.assertEqual(done.returncode == 1, bool(done.stderr), done.stderr)


class Facts(unittest.TestCase):
    """Read back by replay: no facts are taken on trust either."""

    def test_that_are_damaged_are_refused(self):
        with open(built["one"].facts, encoding="utf-8") as file:
            facts = file.read()
        path = os.path.join(folder.name, "damaged-facts")
        for text in ("hello\n", "argument 0 8 1\n", facts.replace("argument 0 8", "argument 400 8"), "kernel 1 2 3\n"):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            done = subprocess.run([f"{LAUNCHES}/replay", "x.hip", path, built["one"].code, "/dev/null", ONE_SIZE,
                                   "0", "laplacian", "-", "0", *GRID], env=ENVIRONMENT, capture_output=True, text=True,
                                  check=False)
            self.assertEqual(done.returncode, Status.DEVICE_TROUBLE)
            self.assertIn("cannot be read", done.stderr)


if __name__ == "__main__":
    unittest.main()
