"""Exit statuses mean the same in C and in Python."""
import re
import unittest

from grading.statuses import Status


class Statuses(unittest.TestCase):
    def test_are_those_of_the_header(self):
        with open("common/status.h", encoding="utf-8") as file:
            listed = re.search(r"typedef enum \{(.*?)\} Status;", file.read(), re.DOTALL)[1]
        in_c = {name: int(number) for name, number in re.findall(r"^  (\w+) = (\d+),", listed, re.MULTILINE)}
        self.assertEqual(in_c, {status.name: int(status) for status in Status})


if __name__ == "__main__":
    unittest.main()
