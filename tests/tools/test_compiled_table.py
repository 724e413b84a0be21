"""The table of make report: a row a kernel out of the compiler's remarks, hipcc's or nvcc's, and nothing of them lost."""
import unittest

from tools.assembly import AMD_KINDS, table as assembly_table
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
        above, heading, first, second = table(kernels)
        self.assertRegex(above, r" scratch +waves/ +SGPRs +VGPRs +LDS$")
        self.assertRegex(heading, r"kernel +line +SGPRs +VGPRs .* spilt +spilt +B/block")
        self.assertEqual(first.split(), ["laplacian", "27", "52", "-", "-", "180", "-", "-", "45", "-"])
        self.assertEqual(second.split()[-8:], ["7"] + 7 * ["-"])
        self.assertEqual(others, ["labs/x y/a.hip:41:1: warning: odd"])

    def test_is_narrow_enough(self):
        long = HIPCC.replace("_Z5otherPd", "collide_and_stream")
        self.assertLessEqual(max(map(len, table(read(long.splitlines())[0]))), 80)

    def test_of_nvcc_has_no_line(self):
        kernels, _ = read(["nvcc: remark: Function Name: k [-Rpass-analysis=kernel-resource-usage]",
                           "nvcc: remark:     VGPRs: 80 [-Rpass-analysis=kernel-resource-usage]"])
        self.assertEqual(list(table(kernels))[2].split()[:4], ["k", "nvcc", "-", "80"])


class Assembly(unittest.TestCase):
    def test_has_a_row_for_each_kernel_by_its_name(self):
        code = ["global_load_dwordx2 v[0:1]", "global_store_dwordx2 v[2:3] off glc slc", "v_add_f64", "s_waitcnt vmcnt(0)"]
        above, heading, row = assembly_table([("_Z9laplacianPdPKdiiidddd", code)], AMD_KINDS)
        self.assertEqual(row.split(), ["laplacian", "1", "1", "1", "0", "0", "1", "1"])
        self.assertEqual(above.index("nontemp.") + len("nontemp."), heading.index("stores", heading.index("stores") + 1) + 6)


if __name__ == "__main__":
    unittest.main()
