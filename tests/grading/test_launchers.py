"""make grade by several jobs of SLURM or GNU parallel at once, or with each check as a job, gives what one run gives.

In: the repository root; SLURM (slurmctld, slurmd, munged) and parallel where they are installed: without them these tests
are left out. The stand-in takes the check's place, as a make that is found first.
"""
import contextlib
import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

from tests.grading.classes import DRIVER, STANDIN, grade, lay_out, read, start

FILES = 6
os.environ["PATH"] += ":/usr/sbin"

SLURM_CONF = """
ClusterName=tests
SlurmctldHost={host}(127.0.0.1)
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
SlurmUser={user}
SlurmdUser={user}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus}
PartitionName=tests Nodes=ALL Default=YES State=UP
"""


def free_ports(count):
    with contextlib.ExitStack() as sockets:
        opened = [sockets.enter_context(socket.socket()) for _ in range(count)]
        for one in opened:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in opened]


def wait_for(happened, seconds=60):
    until = time.monotonic() + seconds
    while not happened() and time.monotonic() < until:
        time.sleep(0.1)
    return happened()


class Launching(unittest.TestCase):
    def setUp(self):
        self.stack = contextlib.ExitStack()
        self.addCleanup(self.stack.close)
        self.folder = self.stack.enter_context(tempfile.TemporaryDirectory())
        entries = {f"s{n}": {"01/a.hip": f"points {n % 10} // {n}\nsleep 0.3"} for n in range(FILES)}
        lay_out(f"{self.folder}/it's $(handed) in", entries)
        os.mkdir(f"{self.folder}/bin")
        with open(f"{self.folder}/bin/make", "w", encoding="utf-8") as file:
            command = shlex.join([sys.executable, "-c", DRIVER.format(""), STANDIN, "emulated"])
            file.write(f"#!/bin/bash\n[[ \" $* \" == *' grade '* ]] && exec {command}\n")
        os.chmod(f"{self.folder}/bin/make", 0o755)
        self.settings = {"SUBMISSIONS": f"{self.folder}/it's $(handed) in", "OUT": f"{self.folder}/out",
                         "STANDIN_LOG": f"{self.folder}/log", "SEED": "7"}
        self.environment = {**os.environ, **self.settings, "PATH": f"{self.folder}/bin:{os.environ['PATH']}"}

    def checks_run(self):
        path = f"{self.folder}/log"
        return len(read(path).splitlines()) if os.path.exists(path) else 0

    def assert_shared(self):
        """All was done once, and gives what one run gives."""
        self.assertEqual(self.checks_run(), FILES)
        self.assertEqual(grade({**self.settings, "OUT": f"{self.folder}/alone"})[0], 0)
        for name in ("gradebook.csv", "grades.json", "overview.html"):
            self.assertEqual(read(self.folder, "out", name), read(self.folder, "alone", name), name)


@unittest.skipUnless(shutil.which("parallel"), "GNU parallel is not installed")
class Parallel(Launching):
    def test_four_jobs_share_a_class(self):
        done = subprocess.run("seq 4 | parallel -N0 -j4 make grade '2>&1'", shell=True, env=self.environment, check=False,
                              capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assert_shared()


@unittest.skipUnless(all(map(shutil.which, ("slurmctld", "slurmd", "munged", "srun"))) and os.getuid() == 0,
                     "SLURM is not installed, or its daemons cannot be started without root")
class Slurm(Launching):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        place = folder.name
        os.mkdir(f"{place}/state")
        os.mkdir(f"{place}/spool")
        os.chmod(place, 0o755)
        with open(f"{place}/munge.key", "wb") as file:
            os.chmod(f"{place}/munge.key", 0o600)
            file.write(os.urandom(1024))
        with open(f"{place}/slurm.conf", "w", encoding="utf-8") as file:
            file.write(SLURM_CONF.format(folder=place, host=socket.gethostname().split(".")[0], user="root",
                                         cpus=os.cpu_count(), ports=free_ports(2)))
        os.environ["SLURM_CONF"] = f"{place}/slurm.conf"
        cls.daemon(place, "munged", *(f"--{what}-file={place}/munged.{what}" for what in ("seed", "log", "pid")),
                   f"--key-file={place}/munge.key", f"--socket={place}/munge.socket")
        cls.daemon(place, "slurmctld", "-c")
        cls.daemon(place, "slurmd")
        nodes = ["sinfo", "-h", "-o", "%T"]
        if not wait_for(lambda: b"idle" in subprocess.run(nodes, capture_output=True, check=False).stdout):
            raise AssertionError("SLURM did not start")

    @classmethod
    def daemon(cls, place, name, *options):
        subprocess.run([name, *options], check=True, capture_output=True)
        wait_for(lambda: os.path.exists(f"{place}/{name}.pid"))

        def end():
            with contextlib.suppress(ProcessLookupError, ValueError, FileNotFoundError):
                pid = int(read(f"{place}/{name}.pid"))
                os.kill(pid, signal.SIGTERM)
                wait_for(lambda: not os.path.exists(f"/proc/{pid}"))

        cls.addClassCleanup(end)

    def setUp(self):
        super().setUp()
        os.chmod(self.folder, 0o755)

    def test_an_array_shares_a_class(self):
        command = ["sbatch", "--wait", "--array=1-3", f"--output={self.folder}/%a.log", "--cpus-per-task=1"]
        done = subprocess.run([*command, "docs/adapters/slurm-array.sh"], env=self.environment, check=False,
                              capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assert_shared()
        self.assertEqual([n for n in range(6) if os.path.exists(f"{self.folder}/{n}.log")], [1, 2, 3])

    def test_each_check_may_be_a_job_step(self):
        status, _, errors = grade({**self.settings, "LAUNCHER": "srun --quiet -n1 -c1", "JOBS": "4"})
        self.assertEqual(status, 0, errors)
        self.assert_shared()

    def test_a_launcher_that_fails_is_trouble_and_no_grade(self):
        status, said, _ = grade({**self.settings, "LAUNCHER": "srun --quiet --partition=none", "LABS": "1"})
        self.assertEqual(status, 2)
        self.assertIn("The check ended with status 1 but wrote no whole result: srun: error:", said)

    def test_a_killed_grader_leaves_no_job_step(self):
        lay_out(self.settings["SUBMISSIONS"], {"s0": {"01/a.hip": "endless"}})
        with start({**self.settings, "LAUNCHER": "srun --quiet -n1 -c1"}) as run:
            self.assertTrue(wait_for(lambda: self.checks_run() > 0))
            check = int(read(self.folder, "log").split()[1])
            run.kill()
            run.communicate()
        self.assertTrue(wait_for(lambda: not os.path.exists(f"/proc/{check}")))


if __name__ == "__main__":
    unittest.main()
