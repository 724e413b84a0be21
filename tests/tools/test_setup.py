"""make setup where packages are missing: with and without apt-get, root and a folder of one's own. Stand-ins take the place
of what would fetch and install."""
import os
import re
import shutil
import subprocess
import tempfile
import unittest

REAL = ("sh", "bash", "dirname", "mkdir", "realpath", "sed", "wc", "xargs", "cat", "rm", "dpkg", "dpkg-deb", "tar", "gcc",
        "find", "ln")
APT = """#!/bin/sh
case "$*" in
*--print-uris*) shift 6; for name; do echo "'http://none/$name.deb' ${name}_1%3a2_all.deb 9 SHA256:0"; done ;;
*download*) shift 2; for name; do cp "$DEB" "./${name}_1_all.deb"; done ;;
*) echo "apt-get $*" ;;
esac
"""


class Setup(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.place)
        os.mkdir(f"{self.place}/bin")
        for name in REAL:
            os.symlink(shutil.which(name), f"{self.place}/bin/{name}")
        self.command("dpkg-query", "#!/bin/sh\nexit 1\n")

    def command(self, name, text):
        with open(f"{self.place}/bin/{name}", "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(file.name, 0o755)

    def setup(self, status, uid=1000, **environment):
        self.command("id", f"#!/bin/sh\necho {uid}\n")
        done = subprocess.run(["sh", "tools/setup.sh"], env={"PATH": f"{self.place}/bin", **environment}, text=True,
                              check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, status, done.stdout)
        return done.stdout

    def test_without_apt_says_what_is_missing_and_where_to_read_on(self):
        said = self.setup(1)
        self.assertIn("no apt-get; install by other means: hipcc ", said)
        self.assertIn("docs/installing.md", said)

    def test_with_all_installed_does_nothing(self):
        self.command("dpkg-query", "#!/bin/sh\necho install ok installed\n")
        self.assertEqual(self.setup(0), "setup: everything needed is installed\n")

    def test_installs_as_root_and_tells_others_both_ways(self):
        self.command("apt-get", APT)
        self.assertIn("apt-get install -y --no-install-recommends hipcc ", self.setup(0, uid=0))
        said = self.setup(1)
        self.assertIn("an administrator runs:\n  apt-get update && ", said)
        self.assertIn("make setup PREFIX=$HOME/labs-tools", said)

    def test_unpacks_in_a_folder_of_ones_own(self):
        os.makedirs(f"{self.place}/package/DEBIAN")
        os.makedirs(f"{self.place}/package/usr/bin")
        with open(f"{self.place}/package/DEBIAN/control", "w", encoding="utf-8") as file:
            file.write("Package: x\nVersion: 1\nArchitecture: all\nMaintainer: x <x@x>\nDescription: x\n")
        with open(f"{self.place}/package/usr/bin/found-there", "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\necho it was found\n")
        os.chmod(file.name, 0o755)
        os.symlink("../../bin/sh", f"{self.place}/package/usr/bin/there-already")
        deb, prefix = f"{self.place}/x.deb", f"{self.place}/it's mine"
        subprocess.run(["dpkg-deb", "--root-owner-group", "-b", f"{self.place}/package", deb], check=True,
                       stdout=subprocess.DEVNULL)
        self.command("apt-get", APT)
        os.symlink(shutil.which("cp"), f"{self.place}/bin/cp")
        self.assertIn("has a blank", self.setup(1, PREFIX=prefix, DEB=deb))
        prefix = f"{self.place}/mine"
        said = self.setup(0, PREFIX=prefix, DEB=deb)
        with open("tools/setup.sh", encoding="utf-8") as file:
            needed = re.search(r'^learn="([^"]*)"', file.read(), re.M).group(1).split()
        self.assertIn(f"fetching {len(needed)} packages", said)
        self.assertCountEqual(os.listdir(f"{prefix}/packages"), ["names", "wanted"])
        found = subprocess.run([". $0; found-there", f"{prefix}/env.sh"], shell=True, capture_output=True, text=True,
                               check=True)
        self.assertEqual(found.stdout, "it was found\n")
        self.assertEqual(os.readlink(f"{prefix}/usr/bin/there-already"), "/bin/sh")
        self.command("apt-get", "#!/bin/sh\nexit 100\n")
        self.assertIn("apt-get does not find all of: hipcc ", self.setup(1, PREFIX=prefix, DEB=deb))
        self.assertIn("cannot be made", self.setup(1, PREFIX="/dev/null/x", DEB=deb))


if __name__ == "__main__":
    unittest.main()
