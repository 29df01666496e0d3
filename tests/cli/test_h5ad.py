"""What pith select keeps of an .h5ad: everything that anndata would keep, and the bytes of what it did not cut."""
import os
import subprocess
import sys
import warnings

from support import PITH, Case, main
from test_hdf5 import LIAR

try:
    import anndata
    import h5py
    import numpy as np
    import pandas as pd
    from scipy import sparse
except ImportError as missing:
    if os.environ.get("PITH_NO_SKIP"):
        raise
    h5py, WHY = None, f"{missing.name} is not installed"
else:
    WHY = ""
    warnings.filterwarnings("ignore")

N, P = 40, 30


def table(index, rng):
    m = len(index)
    return pd.DataFrame({
        "cat": pd.Categorical(rng.choice(["a", "b", "c"], m)),
        "ordered": pd.Categorical(rng.choice(["lo", "hi"], m), categories=["lo", "hi"], ordered=True),
        "num": rng.normal(size=m), "int": np.arange(m, dtype=np.int16), "str": [f"s{i % 3} ü" for i in range(m)],
        "flag": rng.random(m) > .5,
        "nullint": pd.array([None if i % 4 == 0 else i for i in range(m)], dtype="Int64"),
        "nullbool": pd.array([None if i % 5 == 0 else i % 2 == 0 for i in range(m)], dtype="boolean"),
    }, index=index)


def counts(rng, rows, columns):
    return rng.poisson(.7, size=(rows, columns)) * rng.integers(1, 9, size=columns)


def everything(kind):
    """An AnnData with all its parts; kind: of X."""
    rng = np.random.default_rng(7)
    x = counts(rng, N, P)
    x = {"csr": lambda: sparse.csr_matrix(x.astype(np.float32)), "csc": lambda: sparse.csc_matrix(x.astype(float)),
         "dense": lambda: x.astype(np.float32), "int": lambda: sparse.csr_matrix(x.astype(np.int32))}[kind]()
    cells, genes = [f"cell{i}" for i in range(N)], [f"gene{j}é" for j in range(P)]
    a = anndata.AnnData(x, obs=table(cells, rng), var=table(genes, rng), dtype=x.dtype)
    a.var["highly_variable"] = rng.random(P) > .5
    for m, names, size in ((a.obsm, cells, N), (a.varm, genes, P)):
        m["dense"] = rng.normal(size=(size, 5))
        m["cube"] = rng.normal(size=(size, 3, 2))
        m["csr"] = sparse.csr_matrix(counts(rng, size, 4))
        m["csc"] = sparse.csc_matrix(counts(rng, size, 4).astype(np.float32))
        m["frame"] = table(names, rng)
    for pairs, size in ((a.obsp, N), (a.varp, P)):
        pairs["csr"] = sparse.csr_matrix(counts(rng, size, size).astype(float))
        pairs["csc"] = sparse.csc_matrix(counts(rng, size, size).astype(float))
        pairs["dense"] = rng.normal(size=(size, size)).astype(np.float32)
    a.layers["csr"] = sparse.csr_matrix(counts(rng, N, P))
    a.layers["csc"] = sparse.csc_matrix(counts(rng, N, P).astype(np.float32))
    a.layers["dense"] = rng.normal(size=(N, P))
    a.layers["empty"] = sparse.csr_matrix((N, P))
    a.uns["nested"] = {"deep": {"x": np.arange(7), "text": "hello", "list": np.array(["p", "q"], dtype=object)},
                       "number": 3.5, "frame": table(["u", "v", "w"], rng)}
    a.uns["sparse"] = sparse.random(6, 7, .5, format="csr", random_state=1)
    more = sparse.csr_matrix(counts(rng, N, 5).astype(np.float32))
    a.raw = anndata.AnnData(sparse.hstack([sparse.csr_matrix(a.X.astype(np.float32)), more]).tocsr(), obs=a.obs,
                            var=table([f"raw{j}" for j in range(P + 5)], rng), dtype=np.float32)
    return a


def add_strange_things(path):
    """What anndata did not write: h5py's Empty (None of later versions), other objects, links."""
    with h5py.File(path, "r+") as f:
        f["something"] = np.arange(5)
        f["something"].attrs["note"] = "mine"
        f["uns/none"] = h5py.Empty("f")
        f["uns/none"].attrs["encoding-type"] = "null"
        f.attrs["extra"] = [1, 2, 3]
        f["obs"].attrs["more"] = h5py.Empty("f")
        f["uns/elsewhere"] = h5py.ExternalLink("nowhere.h5", "/x")
        f["uns/soft"] = h5py.SoftLink("/obsm/dense")
        f["uns/type"] = np.dtype("f4")
        f.create_dataset("uns/times", data=np.arange(3), track_times=True)


def chunks(d):
    """The bytes on the disk; of texts, which lie elsewhere, the texts."""
    if h5py.check_dtype(vlen=d.dtype) or d.shape is None or d.dtype.names:
        return repr(d[()])
    if d.chunks is None:
        return d[()].tobytes()
    return [(i.chunk_offset, i.filter_mask, d.id.read_direct_chunk(i.chunk_offset)) for i in
            map(d.id.get_chunk_info, range(d.id.get_num_chunks()))]


def packing(d):
    return (d.dtype, d.compression, d.compression_opts, d.shuffle, d.fletcher32, d.scaleoffset, d.chunks is None,
            tuple(m is None for m in d.maxshape or ()), d.fillvalue if d.dtype.kind in "fiu" else None)


def attributes(thing):
    return {k: repr(v) for k, v in thing.attrs.items()}


class Kept(Case):
    def setUp(self):
        super().setUp()
        if h5py is None:
            self.skipTest(WHY)

    def same_frame(self, a, b, what):
        """But for categories that no row has: anndata drops them when it cuts, in memory."""
        used = [t.assign(**{c: t[c].cat.remove_unused_categories() for c in t if t[c].dtype == "category"})
                for t in (a, b)]
        pd.testing.assert_frame_equal(*used, obj=what)

    def same_value(self, a, b, what):
        self.assertIs(type(a), type(b), what)
        if isinstance(a, pd.DataFrame):
            self.same_frame(a, b, what)
        elif sparse.issparse(a):
            self.assertEqual((a.format, a.dtype, a.shape), (b.format, b.dtype, b.shape), what)
            self.assertEqual((a != b).nnz, 0, what)
        elif isinstance(a, np.ndarray):
            self.assertEqual(a.dtype, b.dtype, what)
            np.testing.assert_array_equal(a, b, what)
        elif isinstance(a, dict):
            self.assertEqual(sorted(a), sorted(b), what)
            for k in a:
                self.same_value(a[k], b[k], f"{what}/{k}")
        else:
            self.assertEqual(a, b, what)

    def same_data(self, a, b):
        """Two AnnData with the same content."""
        self.same_frame(a.obs, b.obs, "obs")
        self.same_frame(a.var, b.var, "var")
        self.same_value(a.X, b.X, "X")
        for part in ("obsm", "varm", "obsp", "varp", "layers", "uns"):
            self.same_value(dict(getattr(a, part)), dict(getattr(b, part)), part)
        self.same_value(a.raw.X, b.raw.X, "raw.X")
        self.same_frame(a.raw.var, b.raw.var, "raw.var")

    def same_bytes(self, f, g, path):
        """Everything below the path: type, packing, chunks and attributes."""
        a, b = f[path], g[path]
        self.assertEqual(attributes(a), attributes(b), path)
        if isinstance(a, h5py.Datatype):
            return self.assertEqual(a.dtype, b.dtype)
        if isinstance(a, h5py.Dataset):
            self.assertEqual((a.shape, a.chunks, packing(a) if a.shape is not None else a.dtype),
                             (b.shape, b.chunks, packing(b) if b.shape is not None else b.dtype), path)
            return self.assertEqual(chunks(a), chunks(b), path)
        self.assertEqual(list(a), list(b), path)
        for name in a:
            link, other = a.get(name, getlink=True), b.get(name, getlink=True)
            self.assertIs(type(link), type(other), f"{path}/{name}")
            if isinstance(link, h5py.HardLink):
                self.same_bytes(f, g, f"{path}/{name}")
            else:
                self.assertEqual(link.path, other.path)

    def same_form(self, f, g, path):
        """Everything below the path but values and sizes; categories to the byte."""
        if path.endswith("/categories"):
            return self.same_bytes(f, g, path)
        a, b = f[path], g[path]
        sizes = ("shape", "h5sparse_shape")
        self.assertEqual({k: v for k, v in attributes(a).items() if k not in sizes},
                         {k: v for k, v in attributes(b).items() if k not in sizes}, path)
        if isinstance(a, h5py.Dataset):
            return self.assertEqual(packing(a), packing(b), path)
        self.assertEqual(list(a), list(b), path)
        for name in a:
            self.same_form(f, g, f"{path}/{name}")

    def make(self, a, **packed):
        """x.h5ad, from an AnnData or a kind of everything(); what anndata reads of it."""
        (everything(a) if isinstance(a, str) else a).write_h5ad(self.folder / "x.h5ad", **packed)
        written = anndata.read_h5ad(self.folder / "x.h5ad")
        add_strange_things(self.folder / "x.h5ad")
        return written

    def chosen(self, data, count, *words):
        """Numbers of the columns that select will keep, ascending."""
        rows = self.rows(self.pith("rank", data, "-qm", "variance", *words))[:count]
        return sorted(int(r["index"]) for r in rows)

    def open(self, *names):
        files = [h5py.File(self.folder / name) for name in names]
        for f in files:
            self.addCleanup(f.close)
        return files

    def read_back(self, name):
        """Without what only h5py knows."""
        with h5py.File(self.folder / name, "r+") as f:
            del f["something"]
            for extra in ("none", "elsewhere", "soft", "type", "times"):
                del f["uns"][extra]
        return anndata.read_h5ad(self.folder / name)


class Select(Kept):
    def test_everything_is_kept_and_cut_as_anndata_does(self):
        for kind, packed in (("csr", None), ("csr", "gzip"), ("csr", "lzf"), ("csc", "lzf"), ("dense", "gzip"),
                             ("dense", "lzf"), ("int", None)):
            with self.subTest(kind=kind, packed=packed):
                a = self.make(kind, compression=packed)
                columns = self.chosen("x.h5ad", 7)
                done = self.run_pith("select", "x.h5ad", "-qm", "variance", "-n", 7, "-o", "y.h5ad")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                f, g = self.open("x.h5ad", "y.h5ad")
                self.assertEqual(attributes(f), attributes(g))
                self.assertEqual(list(f), list(g))
                for part in ("obs", "obsm", "obsp", "uns", "raw", "something"):
                    self.same_bytes(f, g, part)
                for part in ("X", "var", "varm", "varp", "layers"):
                    self.same_form(f, g, part)
                f.close()
                g.close()
                self.same_data(a[:, columns].copy(), self.read_back("y.h5ad"))

    def test_rows_that_are_dropped_are_dropped_everywhere(self):
        for kind in ("csr", "csc", "dense"):
            with self.subTest(kind=kind):
                a = everything(kind)
                bad = [3, 4, 17, 39]
                if kind == "dense":
                    a.X[bad, 5] = np.nan
                else:
                    x = a.X.tolil()
                    x[bad, 5] = np.nan
                    a.X = x.asformat(kind)
                rows = [i for i in range(N) if i not in bad]
                a = self.make(a, compression="gzip")
                columns = self.chosen("x.h5ad", 7, "--missing", "drop-rows")
                self.pith("select", "x.h5ad", "-qm", "variance", "-n", 7, "--missing", "drop-rows", "-o", "y.h5ad")
                f, g = self.open("x.h5ad", "y.h5ad")
                for part in ("uns", "raw/var", "something"):
                    self.same_bytes(f, g, part)
                for part in ("X", "obs", "obsm", "obsp", "var", "varm", "varp", "layers", "raw/X"):
                    self.same_form(f, g, part)
                f.close()
                g.close()
                self.same_data(a[rows][:, columns].copy(), self.read_back("y.h5ad"))

    def test_a_changed_matrix_takes_the_place_of_x(self):
        a = self.make("csr", compression="gzip")
        for steps, want in (("log1p", np.log1p(a.X.toarray().astype(float))), ("center", None)):
            with self.subTest(steps):
                columns = self.chosen("x.h5ad", 7, "--prep", steps)
                self.pith("select", "x.h5ad", "-qm", "variance", "-n", 7, "--prep", steps, "-o", "y.h5ad")
                back = self.read_back("y.h5ad")
                x = back.X.toarray() if sparse.issparse(back.X) else back.X
                self.assertEqual(x.shape, (N, 7))
                if want is not None:
                    np.testing.assert_allclose(x, want[:, columns], rtol=1e-6)
                else:
                    np.testing.assert_allclose(x.mean(axis=0), 0, atol=1e-6)
                b = a[:, columns].copy()
                back.X = b.X
                self.same_data(b, back)
                self.pith("select", "x.h5ad", "-qm", "variance", "-n", 7, "--prep", steps, "-o", "y.csv")
                self.pith("convert", "y.h5ad", "-q", "y.h5ad.csv", "--no-labels")
                self.assertEqual(self.read("y.h5ad.csv").splitlines()[1].split(",")[-1],
                                 self.read("y.csv").splitlines()[1].split(",")[-1])

    def test_steps_that_only_choose_leave_the_values_as_stored(self):
        a = self.make("int", compression="lzf")
        columns = self.chosen("x.h5ad", 7, "--prep", "top-variance=12")
        self.pith("select", "x.h5ad", "-qm", "variance", "-n", 7, "--prep", "top-variance=12", "-o", "y.h5ad")
        self.same_data(a[:, columns].copy(), self.read_back("y.h5ad"))

    def test_other_matrices(self):
        a = self.make("csr", compression="gzip")
        said = self.run_pith("select", "x.h5ad", "-m", "variance", "-n", 7, "--var", "layers/csc", "-o", "y.h5ad").stderr
        self.assertIn("pith: y.h5ad: X is layers/csc of x.h5ad, whose own X is not kept\n", said)
        b = a[:, self.chosen("x.h5ad", 7, "--var", "layers/csc")].copy()
        b.X = b.layers["csc"].copy()
        self.same_data(b, self.read_back("y.h5ad"))

        self.pith("select", "x.h5ad", "-qm", "variance", "-n", 7, "--var", "raw/X", "-o", "y.h5ad")
        columns = self.chosen("x.h5ad", 7, "--var", "raw/X")
        back = self.read_back("y.h5ad")
        self.same_value(a.raw.X[:, columns], back.X, "X")
        self.same_frame(a.raw.var.iloc[columns], back.var, "var")
        self.same_frame(a.obs, back.obs, "obs")
        self.same_value(dict(a.obsm), dict(back.obsm), "obsm")
        self.same_frame(a.raw.var, back.raw.var, "raw.var")
        self.assertEqual((len(back.layers), len(back.varm), len(back.varp)), (0, 0, 0))

    def test_what_cannot_fit_is_left_out_and_told(self):
        self.make("csr")
        with h5py.File(self.folder / "x.h5ad", "r+") as f:
            f["varm/short"] = np.zeros((P - 1, 2))
            f["varm/awkward/form"] = np.arange(3)
            f["varm/away"] = h5py.ExternalLink("nowhere.h5", "/x")
        done = self.run_pith("select", "x.h5ad", "-m", "variance", "-n", 7, "-o", "y.h5ad")
        self.assertEqual(done.returncode, 0)
        self.assertIn("pith: y.h5ad: written without varm/away, varm/awkward, varm/short of x.h5ad, which cannot be reduced to the selected samples and features\n", done.stderr)
        self.assertEqual(self.read_back("y.h5ad").varm["dense"].shape, (7, 5))
        for words in (("--transpose",), ("--var", "obsm/dense")):
            done = self.run_pith("select", "x.h5ad", "-m", "variance", "-n", 3, *words, "-o", "y.h5ad")
            self.assertIn("pith: y.h5ad: only the matrix, names and labels are written", done.stderr)
            self.assertEqual(len(anndata.read_h5ad(self.folder / "y.h5ad").obsm), 0)

    def test_the_same_input_gives_the_same_bytes(self):
        self.make("csr", compression="gzip")
        with h5py.File(self.folder / "x.h5ad", "r+") as f:
            f.create_dataset("layers/timed", data=np.ones((N, P)), track_times=True)
        for name in ("y.h5ad", "z.h5ad"):
            self.pith("select", "x.h5ad", "-qm", "variance", "-n", 7, "-o", name)
            subprocess.run(["sleep", "1.1"], check=True)
        self.assertEqual((self.folder / "y.h5ad").read_bytes(), (self.folder / "z.h5ad").read_bytes())

    def test_labels_from_a_file_are_a_column_of_obs(self):
        a = self.make("csr")
        self.write("labels.txt", "".join(f"{'even' if i % 2 == 0 else 'odd'}\n" for i in range(N)))
        self.pith("select", "x.h5ad", "-qm", "variance", "-n", 7, "--labels", "labels.txt", "-o", "y.h5ad")
        back = self.read_back("y.h5ad")
        self.assertEqual(list(back.obs["label"]), ["even", "odd"] * (N // 2))
        self.same_frame(a.obs, back.obs.drop(columns="label"), "obs")
        self.assertEqual(self.json("info", "y.h5ad", "--json")["classes"],
                         [{"name": "even", "samples": 20}, {"name": "odd", "samples": 20}])

    def test_names_that_pith_made_up_stay_known(self):
        self.pith("synth", "blobs", "--samples", 20, "--features", 9, "-o", "x.csv")
        text = self.read("x.csv").splitlines()[1:]
        self.write("x.csv", "\n".join(",".join(line.split(",")[:-1]) for line in text) + "\n")
        self.pith("convert", "x.csv", "-q", "x.h5ad", "--header", "no")
        columns = self.chosen("x.h5ad", 3)
        self.pith("select", "x.h5ad", "-qm", "variance", "-n", 3, "-o", "y.h5ad")
        self.assertEqual([r["name"] for r in sorted(self.rows(self.pith("rank", "y.h5ad", "-qm", "variance")),
                                                    key=lambda r: int(r["index"]))], [f"f{j}" for j in columns])

    def test_older_files(self):
        """anndata 0.7: categories beside the codes, found by reference."""
        a = self.make("csr")
        with h5py.File(self.folder / "x.h5ad", "r+") as f:
            for part in ("obs", "var"):
                f[part].attrs["encoding-version"] = "0.1.0"
                codes, categories = f[part]["cat/codes"][()], f[part]["cat/categories"][()]
                del f[part]["cat"]
                f[part]["__categories/cat"] = categories
                f[part]["__categories/cat"].attrs["ordered"] = False
                f[part]["cat"] = codes
                f[part]["cat"].attrs["categories"] = f[part]["__categories/cat"].ref
        columns = self.chosen("x.h5ad", 7)
        self.pith("select", "x.h5ad", "-qm", "variance", "-n", 7, "-o", "y.h5ad")
        for part in ("obs", "var"):
            for name in ("x.h5ad", "y.h5ad"):
                with h5py.File(self.folder / name) as f:
                    self.assertEqual(f[f[part]["cat"].attrs["categories"]].name, f"/{part}/__categories/cat")
        self.same_data(a[:, columns].copy(), self.read_back("y.h5ad"))


class Convert(Kept):
    def test_nothing_is_cut(self):
        a = self.make("csc", compression="gzip")
        self.pith("convert", "x.h5ad", "-q", "y.h5ad")
        f, g = self.open("x.h5ad", "y.h5ad")
        self.same_bytes(f, g, "/")
        f.close()
        g.close()
        self.same_data(a, self.read_back("y.h5ad"))


class Failures(Kept):
    def test_a_failure_leaves_no_output(self):
        self.make("csr", compression="gzip")
        with h5py.File(self.folder / "x.h5ad", "r+") as f:
            d = f["layers/csr/data"]
            offset = d.id.get_chunk_info(0).byte_offset
        raw = bytearray((self.folder / "x.h5ad").read_bytes())
        raw[offset:offset + 8] = b"\xff" * 8
        self.write("x.h5ad", bytes(raw))
        before = self.files()
        self.assertEqual(self.refused(3, "select", "x.h5ad", "-qm", "variance", "-n", 7, "-o", "y.h5ad"),
                         "x.h5ad: layers/csr: cannot be read: the file is damaged")
        self.assertEqual(self.files(), before)

    def test_a_filter_that_is_missing(self):
        self.make("csr", compression="gzip")
        with h5py.File(self.folder / "x.h5ad", "r+") as f:
            del f["layers"]["dense"]
            space, plan = h5py.h5s.create_simple((N, P)), h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            plan.set_chunk((N, P))
            plan.set_filter(311, h5py.h5z.FLAG_OPTIONAL)
            d = h5py.h5d.create(f["layers"].id, b"dense", h5py.h5t.IEEE_F32LE, space, plan)
            d.write_direct_chunk((0, 0), b"packed by nobody" * 10)
        self.assertIn("x.h5ad: layers/dense: is compressed with the HDF5 filter 311",
                      self.refused(3, "select", "x.h5ad", "-qm", "variance", "-n", 7, "-o", "y.h5ad"))
        self.assertNotIn("y.h5ad", self.files())
        self.pith("convert", "x.h5ad", "-q", "y.h5ad")  # as it is: nobody has to unpack it

    def test_a_source_cannot_fill_the_disk(self):
        """Many names for one large array: every copy of the root's members takes its room anew."""
        self.make("csr")
        with h5py.File(self.folder / "x.h5ad", "r+") as f:
            f["big"] = np.random.default_rng(1).integers(0, 255, size=4 << 20, dtype=np.uint8)
            for k in range(40):
                f[f"big{k}"] = f["big"]
        before = self.files()
        self.assertEqual(self.refused(3, "select", "x.h5ad", "-qm", "variance", "-n", 7, "-o", "y.h5ad"),
                         "x.h5ad: cannot be copied: it unpacks to far more than its size allows")
        self.assertEqual(self.files(), before)

    def test_a_full_disk_leaves_the_old_file_and_nothing_else(self):
        disk = self.folder / "disk"
        disk.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", disk], capture_output=True)
        if mounted.returncode != 0:
            self.skipTest("a small tmpfs cannot be mounted here: " + mounted.stderr.decode().strip())
        self.addCleanup(subprocess.run, ["umount", disk], check=True)
        self.make("csr")
        (disk / "y.h5ad").write_text("old")
        self.assertEqual(self.refused(1, "select", "x.h5ad", "-qm", "variance", "-n", 7, "-o", "disk/y.h5ad"),
                         "disk/y.h5ad: cannot be written: No space left on device")
        self.assertEqual([(p.name, p.read_text()) for p in disk.iterdir()], [("y.h5ad", "old")])

    def test_columns_of_tables_are_not_left_out(self):
        """The table would list what it has not, and anndata could not read it. One is a table in a circle."""
        for name, what in (("short", np.zeros(P - 1)), ("deep/er", np.zeros(P)), ("itself", None)):
            self.make("csr")
            with h5py.File(self.folder / "x.h5ad", "r+") as f:
                f["varm/frame/" + name] = f["varm/frame"] if what is None else what
            said = self.refused(3, "select", "x.h5ad", "-qm", "variance", "-n", 7, "-o", "y.h5ad")
            self.assertRegex(said, f"x.h5ad: varm/frame/{name.split('/')[0]}.*: is a column that pith cannot reduce")
            self.assertNotIn("y.h5ad", self.files())

    def test_a_process_that_dies_or_lies_in_the_middle(self):
        reader = os.path.join(os.path.dirname(PITH), "pith-hdf5")
        if not os.path.exists(reader):
            self.skipTest("pith-hdf5 is not beside pith")
        self.make("csr")
        self.write("y.h5ad", "old")
        reads = f"import os, sys\nif len(sys.argv) == 2: os.execv({reader!r}, sys.argv)\nopen(sys.argv[2], 'w').write('half')\n"
        before = sorted(self.files() + ["reader"])
        for what in ("os.kill(os.getpid(), 9)", "say(problem=77)", "say(problem=-1)", "link.send(b'?')", "say()"):
            program = LIAR.format(python=sys.executable, what=f"{what} if op == KEEP else say()")
            first, rest = program.split("\n", 1)
            self.write("reader", f"{first}\n{reads}{rest}")
            os.chmod(self.folder / "reader", 0o755)
            self.assertEqual(self.refused(3, "select", "x.h5ad", "-qm", "variance", "-n", 7, "-o", "y.h5ad",
                                          env={**os.environ, "PITH_HDF5_READER": str(self.folder / "reader")}),
                             "x.h5ad: cannot be read as HDF5 (the reader failed)", what)
            self.assertEqual((self.files(), self.read("y.h5ad")), (before, "old"))

    def test_links_out_of_the_file_are_not_followed(self):
        self.make("csr")
        with h5py.File(self.folder / "other.h5", "w") as f:
            f["x"] = np.full((P, 2), 77.)
            f["secret"] = np.full((N, P), 77.)
        with h5py.File(self.folder / "x.h5ad", "r+") as f:
            f["varm/link"] = h5py.ExternalLink("other.h5", "/x")
            f["link"] = h5py.ExternalLink("other.h5", "/x")
            (self.folder / "plain").write_bytes(np.full(N * P, 77.).tobytes())
            f.create_dataset("uns/outside", (N, P), "f8", external=[("plain", 0, h5py.h5f.UNLIMITED)])
        done = self.run_pith("select", "x.h5ad", "-m", "variance", "-n", 7, "-o", "y.h5ad")
        self.assertIn("without varm/link", done.stderr)
        self.assertNotIn(np.full(4, 77.).tobytes(), (self.folder / "y.h5ad").read_bytes())
        g, = self.open("y.h5ad")
        self.assertIsInstance(g.get("link", getlink=True), h5py.ExternalLink)
        self.assertNotIn("link", g["varm"])
        self.assertEqual(g["uns/outside"].external[0][0], "plain")


if __name__ == "__main__":
    main()
