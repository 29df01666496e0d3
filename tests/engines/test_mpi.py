"""Jobs of several processes on this machine, over loopback: against one process, and when one of them fails."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "cli"))
import support  # noqa: E402

import numpy as np  # noqa: E402
import scipy.io  # noqa: E402
import scipy.sparse as sp  # noqa: E402

MPI, OTHER = os.environ.get("PITH_MPI"), os.environ.get("PITH_MPI_OTHER")
HAVE = bool(MPI) and os.path.exists(f"{MPI}/libpith-mpi.so") and shutil.which("mpirun")
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--mca", "btl", "self,vader", "--mca", "mpi_yield_when_idle", "1",
          "--mca", "oob_tcp_if_include", "lo"]


def spreads():
    listed = subprocess.run([support.PITH, "methods", "--json"], check=True, capture_output=True, timeout=300).stdout
    return {m["name"]: m["spreads"] for m in json.loads(listed)}


@unittest.skipUnless(HAVE or os.environ.get("PITH_NO_SKIP"), "SKIPPED: no MPI and SLEPc here: `make mpi` installs them")
class Job(support.Case):
    def setUp(self):
        super().setUp()
        self.env = {**os.environ, "PITH_ENGINE_PATH": MPI or "", "OMPI_MCA_rmaps_base_oversubscribe": "1"}
        r = np.random.default_rng(3)
        x = r.normal(size=(97, 12))
        x[:, :6] += 4 * (np.arange(97) % 3)[:, None] * (np.arange(6) % 2 == 0)
        x[50] = x[7]  # a copy
        self.x = x

    def mpirun(self, n, *words, env=None):
        done = subprocess.run([*MPIRUN, "-n", str(n), *map(str, words)], cwd=self.folder, capture_output=True, text=True, timeout=120,
                              env=env or self.env)
        done.said = [line for line in done.stderr.splitlines() if line.startswith("pith: ")]
        return done

    def many(self, n, data, method, *words):
        out = self.folder / "many.csv"
        done = self.mpirun(n, support.PITH, "rank", data, "-qm", method, "--engine", "mpi", "-o", out, "--force", *words)
        self.assertEqual((done.returncode, done.said, done.stdout), (0, [], ""), done.stderr)
        return self.rows(out.read_text())

    def compare(self, n, data, method, *words):
        one = self.rows(self.pith("rank", data, "-qm", method, *words))
        many = self.many(n, data, method, *words)
        self.assertEqual([r["name"] for r in one], [r["name"] for r in many], (n, data, method))
        for a, b in zip(one, many):
            if a["score"]:
                self.assertLessEqual(abs(float(a["score"]) - float(b["score"])), 1e-8 * max(1, abs(float(a["score"]))), (n, data, method))
            else:
                self.assertEqual(b["score"], "")


class Same(Job):
    def test_mapped_rows_of_dense_and_sparse_data(self):
        np.savez(self.folder / "dense.npz", X=self.x)
        s = np.maximum(np.round(self.x), 0)
        self.pith("convert", self.csv("s.csv", s), "sparse.npz")
        for n in 2, 3, 4:
            self.compare(n, "dense.npz", "laplacian")
        self.compare(4, "sparse.npz", "laplacian", "--metric", "cosine")
        self.compare(1, "dense.npz", "evsc")

    def csv(self, name, x):
        np.savetxt(self.folder / name, x, delimiter=",", fmt="%.17g")
        return name

    def test_a_file_that_is_read_whole_is_dealt_out(self):
        self.csv("dense.csv", self.x)
        self.compare(3, "dense.csv", "variance")
        sp.save_npz(self.folder / "packed.npz", sp.csr_matrix(np.maximum(self.x, 0)))  # compressed
        self.compare(2, "packed.npz", "laplacian", "--weight", "binary")

    def test_eigenvectors_of_parts_that_hang_together_or_not(self):
        np.save(self.folder / "x.npy", self.x)
        self.compare(3, "x.npy", "evsc")
        apart = self.x + 1000 * (np.arange(97) % 3)[:, None]  # three components
        np.save(self.folder / "apart.npy", apart)
        self.compare(2, "apart.npy", "spec", "--neighbors", "3")
        self.compare(3, "apart.npy", "fsasl")  # whose second sweep has an eigenvalue twice

    def test_methods_that_cluster_factorise_or_regress(self):
        np.save(self.folder / "x.npy", self.x)
        self.compare(2, "x.npy", "consensus", "--draws", "2", "--evidence", "none")  # which has 22 draws of its own
        self.compare(3, "x.npy", "ndfs", "--max-iter", "2")
        self.compare(2, "x.npy", "fsasl", "--max-iter", "2")
        self.compare(2, "x.npy", "udfs", "--max-iter", "3")
        np.save(self.folder / "wide.npy", self.x[:40].T)
        self.compare(3, "wide.npy", "udfs", "--clusters", "3", "--max-iter", "3")
        self.compare(2, "x.npy", "lgdfs", "--iters", "2")
        scipy.io.savemat(self.folder / "images.mat", {"X": self.x})  # whose pixels go down columns, as process 0 alone knows
        self.compare(4, "images.mat", "hufs", "--tree", "grid:3x4:leaf=2", "--clusters", "3", "--max-iter", "5")

    def test_data_that_is_prepared_first(self):
        np.save(self.folder / "x.npy", np.abs(np.round(4 * self.x)))
        self.compare(3, "x.npy", "laplacian", "--prep", "counts-per-10k,log1p,drop-constant,top-variance=9,zscore,l2")

    def test_labels_come_with_the_rows(self):
        np.savez(self.folder / "x.npz", X=self.x, Y=np.arange(97) % 3)
        self.compare(3, "x.npz", "mutual-info")
        (self.folder / "y.txt").write_text("".join(f"{'a b c'.split()[i % 3]}\n" if i % 5 else "NA\n" for i in range(97)))
        self.compare(2, self.csv("x.csv", self.x), "mutual-info", "--labels", "y.txt")

    def test_more_processes_than_rows(self):
        np.save(self.folder / "few.npy", self.x[:3])
        self.compare(4, "few.npy", "laplacian", "--neighbors", "2")
        self.compare(4, "few.npy", "fsasl", "--clusters", "2")
        self.compare(2, "few.npy", "jelsr", "--clusters", "2", "--neighbors", "2")  # all eigenvectors but one

    def test_only_one_of_them_prints(self):
        np.save(self.folder / "x.npy", self.x)
        done = self.mpirun(3, support.PITH, "rank", "x.npy", "-vm", "variance", "--engine", "mpi")
        self.assertEqual(done.stdout.count("rank,index"), 1)
        for told in ("33 samples in process 0 of 3, 12 features", "engine mpi: "):
            self.assertEqual(sum(told in line for line in done.said), 1, done.stderr)

    def writes_the_same(self, n, command, *words, ending):
        self.pith(command[0], *command[1:], *words, *self.output(command[0], "one" + ending))
        done = self.mpirun(n, support.PITH, *command, *words, "--engine", "mpi", *self.output(command[0], "many" + ending))
        self.assertEqual((done.returncode, done.said), (0, []), done.stderr)
        self.assertEqual((self.folder / ("one" + ending)).read_bytes(), (self.folder / ("many" + ending)).read_bytes(), (n, command, words))

    def output(self, command, name):
        return [name] if command == "prep" else ["-o", name]

    def test_select_writes_what_one_process_writes(self):
        np.savez(self.folder / "x.npz", X=self.x, Y=np.arange(97) % 3)
        self.writes_the_same(2, ["select", "x.npz"], "-qm", "laplacian", "-n", "4", ending=".csv")  # by one process
        self.writes_the_same(3, ["select", "x.npz"], "-qm", "laplacian", "-n", "4", "--prep", "l2", ending=".npz")  # by all
        self.assertEqual([f for f in self.files() if ".part" in f], [])

    def test_prep_writes_what_one_process_writes(self):
        self.pith("convert", self.csv("s.csv", np.maximum(np.round(self.x), 0)), "s.npz")
        self.writes_the_same(3, ["prep", "s.npz"], "-q", "--steps", "counts-per-10k,log1p,drop-constant", ending=".npz")
        self.writes_the_same(2, ["prep", "s.csv"], "-q", "--steps", "l2", ending=".csv")

    def test_an_approximate_search_finds_the_same_neighbours(self):
        r = np.random.default_rng(5)
        x = r.normal(size=(1600, 8)) + 3 * (np.arange(1600) % 4)[:, None]
        np.save(self.folder / "x.npy", x)
        self.compare(3, "x.npy", "laplacian", "--search", "approximate")
        done = self.mpirun(2, support.PITH, "rank", "x.npy", "-vm", "laplacian", "--search", "approximate", "--engine", "mpi")
        one = self.run_pith("rank", "x.npy", "-vm", "laplacian", "--search", "approximate").stderr
        measured = [line for line in one.splitlines() if "recall" in line or "distance_excess" in line]
        self.assertEqual(len(measured), 3, one)
        self.assertEqual(measured, [line for line in done.said if "recall" in line or "distance_excess" in line])

    def test_a_comparison_has_the_figures_of_one_process(self):
        np.savez(self.folder / "x.npz", X=self.x, Y=np.arange(97) % 3)
        words = ["compare", "x.npz", "-qm", "laplacian,spec", "-n", "3,6", "--restarts", "3", "-o"]
        self.pith(*words, "one.json")
        done = self.mpirun(3, support.PITH, *words, "many.json", "--engine", "mpi")
        self.assertEqual((done.returncode, done.said), (0, []), done.stderr)
        one, many = (json.loads(self.read(f)) for f in ("one.json", "many.json"))
        self.assertEqual(many.pop("engine"), "mpi")
        for key in "rows", "evidence", "embedding":
            self.assertEqual(self.without_costs(one[key]), self.without_costs(many[key]))

    def without_costs(self, x):
        if isinstance(x, dict):
            return {k: self.without_costs(v) for k, v in x.items() if k not in ("seconds", "peak_bytes")}
        return [self.without_costs(v) for v in x] if isinstance(x, list) else x


class Refused(Job):
    """One message, from one process, and nothing written."""

    def fails(self, status, said, n, *words, env=None):
        before = self.files()
        done = self.mpirun(n, *words, env=env)
        self.assertEqual(len(done.said), 1, done.stderr)
        self.assertIn(said, done.said[0])
        self.assertEqual((done.returncode, done.stdout), (status, ""), done.stderr)
        self.assertEqual(self.files(), before)

    def by_rank(self, rank, one, others, *rest):
        """A command in which one process has other words than the rest."""
        return ["sh", "-c", f'if [ "$OMPI_COMM_WORLD_RANK" = {rank} ]; then set -- {one}; else set -- {others}; fi; exec "$@"']

    def test_a_method_that_needs_all_samples(self):
        np.save(self.folder / "x.npy", self.x)
        method = next(m for m, can in spreads().items() if not can)
        self.fails(2, "needs all samples in one process", 2, support.PITH, "rank", "x.npy", "-m", method, "--engine", "mpi", "-o", "r.csv")

    def test_steps_that_need_all_samples(self):
        np.save(self.folder / "x.npy", self.x)
        self.fails(2, "quantile", 2, support.PITH, "rank", "x.npy", "-m", "variance", "--prep", "l2,quantile", "--engine", "mpi", "-o", "r.csv")

    def test_a_comparison_of_subsamples(self):
        np.save(self.folder / "x.npy", self.x)
        self.fails(2, "stability", 2, support.PITH, "compare", "x.npy", "-m", "variance", "--stability", "3", "--engine", "mpi", "-o", "r.csv")

    def test_preparing_by_a_step_that_needs_all_samples(self):
        np.save(self.folder / "x.npy", self.x)
        self.fails(2, "quantile", 2, support.PITH, "prep", "x.npy", "p.npy", "--steps", "l2,quantile", "--engine", "mpi")

    def test_a_file_that_one_process_lacks(self):
        np.save(self.folder / "x.npy", self.x)
        words = f"{support.PITH} rank %s -m variance --engine mpi -o r.csv"
        self.fails(3, "process 1: gone.npy", 3, *self.by_rank(1, words % "gone.npy", words % "x.npy"))
        self.fails(3, "pith: gone.npy", 2, support.PITH, "rank", "gone.npy", "-m", "variance", "--engine", "mpi", "-o", "r.csv")

    def test_memory_that_one_process_lacks(self):
        np.save(self.folder / "x.npy", np.tile(self.x, (40, 4)))
        words = f"{support.PITH} rank x.npy -m laplacian --engine mpi -o r.csv"
        self.fails(1, "process 1: out of memory", 2, *self.by_rank(1, f"{words} --memory 1MiB", words))

    def test_two_versions(self):
        np.save(self.folder / "x.npy", self.x)
        words = f"{support.PITH} rank x.npy -m variance --engine mpi -o r.csv"
        self.fails(2, "process 1 has version another", 2, *self.by_rank(1, f"env PITH_ENGINE_PATH={OTHER} {words}", words))


class Ended(Job):
    """A job that has much to do, and does not come to its end."""

    def start(self):
        r = np.random.default_rng(1)
        np.save(self.folder / "long.npy", r.random((60000, 300), dtype=np.float32))
        job = subprocess.Popen([*MPIRUN, "-n", "2", support.PITH, "rank", "long.npy", "-m", "laplacian", "--engine", "mpi", "-o", "r.csv"],
                               cwd=self.folder, env=self.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(job.kill)
        until = time.monotonic() + 60
        while len(self.processes()) < 2 and time.monotonic() < until:
            time.sleep(0.1)
        time.sleep(1.5)
        self.assertIsNone(job.poll())
        return job

    def processes(self):
        """Of pith, in this folder."""
        found = []
        for p in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if os.readlink(p / "cwd") == str(self.folder) and (p / "comm").read_text().strip() == "pith":
                    if (p / "stat").read_text().split()[2] != "Z":
                        found.append(int(p.name))
            except OSError:
                pass
        return sorted(found)

    def ends(self, job):
        _, said = job.communicate(timeout=60)
        until = time.monotonic() + 10
        while self.processes() and time.monotonic() < until:
            time.sleep(0.1)
        self.assertEqual(self.processes(), [])
        self.assertEqual(self.files(), ["long.npy"])
        self.assertNotEqual(job.returncode, 0)
        self.assertLessEqual(sum(line.startswith("pith: ") for line in said.splitlines()), 1, said)

    def test_a_process_that_dies_ends_all(self):
        job = self.start()
        os.kill(self.processes()[1], signal.SIGKILL)
        self.ends(job)

    def test_a_process_that_is_stopped_ends_all(self):
        job = self.start()
        os.kill(self.processes()[1], signal.SIGTERM)
        self.ends(job)

    def test_ctrl_c_and_sigterm(self):
        for way in signal.SIGINT, signal.SIGTERM:
            job = self.start()
            job.send_signal(way)
            self.ends(job)


if __name__ == "__main__":
    support.main()
