"""The table of make report: a row a kernel out of the compiler's remarks, hipcc's or nvcc's, and nothing of them lost."""
import unittest

from tools.compiled_table import read, table

HIPCC = """labs/x y/a.hip:27:1: remark: Function Name: _Z9laplacianPdPKdiiidddd [-Rpass-analysis=kernel-resource-usage]
labs/x y/a.hip:27:1: remark:     SGPRs: 52 [-Rpass-analysis=kernel-resource-usage]
labs/x y/a.hip:27:1: remark:     ScratchSize [bytes/lane]: 180 [-Rpass-analysis=kernel-resource-usage]
labs/x y/a.hip:27:1: remark:     VGPRs Spill: 45 [-Rpass-analysis=kernel-resource-usage]
labs/x y/a.hip:40:1: remark: Function Name: _Z5otherPd [-Rpass-analysis=kernel-resource-usage]
labs/x y/a.hip:40:1: remark:     SGPRs: 7 [-Rpass-analysis=kernel-resource-usage]
labs/x y/a.hip:41:1: warning: odd"""


class Table(unittest.TestCase):
    def test_has_a_row_for_each_kernel(self):
        kernels, others = read(HIPCC.splitlines())
        heading, first, second = table(kernels)
        self.assertRegex(heading, r"kernel +line +SGPRs +VGPRs .* VGPR spills +LDS B/block")
        self.assertEqual(first.split(), ["laplacian", "a.hip:27", "52", "-", "-", "180", "-", "-", "45", "-"])
        self.assertEqual(second.split()[-8:], ["7"] + 7 * ["-"])
        self.assertEqual(others, ["labs/x y/a.hip:41:1: warning: odd"])

    def test_is_narrow_enough(self):
        long = HIPCC.replace("labs/x y/a.hip", "labs/07-sliding-window/derivative.hip")
        self.assertLessEqual(max(map(len, table(read(long.splitlines())[0]))), 125)

    def test_of_nvcc_has_no_line(self):
        kernels, _ = read(["nvcc: remark: Function Name: k [-Rpass-analysis=kernel-resource-usage]",
                           "nvcc: remark:     VGPRs: 80 [-Rpass-analysis=kernel-resource-usage]"])
        self.assertEqual(list(table(kernels))[1].split()[:4], ["k", "nvcc", "-", "80"])


if __name__ == "__main__":
    unittest.main()
