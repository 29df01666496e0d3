#!/usr/bin/env python3
"""Makes the seed files of the binary readers: tests/fuzz/corpus/{npy,npz,mat,h5ad,h5}.

Files called good-* all hold the same matrix, so that the unit tests can check what is read from each; -y in
the name means labels 1 2 1 2, -names means names of samples and features. Files called bad-* must be refused.
Needs numpy, scipy and h5py (Debian's) and zstd. The files are committed; run this only to change them.
"""
import io
import pathlib
import struct
import subprocess
import zipfile

import h5py
import numpy as np
import scipy.io
import scipy.sparse as sp

HERE = pathlib.Path(__file__).parent / "corpus"
X = np.array([[1, 0, 2], [0, 3, 0], [4, 0, 0], [0, 5, 6]], dtype="f8")
Y = np.array([1, 2, 1, 2])
FEATURES = ["a", "b", "ç"]
SAMPLES = ["s1", "s2", "s3", "s4"]


def folder(name):
    (HERE / name).mkdir(parents=True, exist_ok=True)
    return HERE / name


def npy_bytes(array, **kw):
    out = io.BytesIO()
    np.lib.format.write_array(out, array, **kw)
    return out.getvalue()


def raw_npy(header, data=b"", version=1):
    text = header.encode("latin1")
    size = struct.pack("<H" if version == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes([version, 0]) + size + text + data


def npy():
    to = folder("npy")
    for code in "i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8".split():
        for order in "<>":
            (to / f"good-{'le' if order == '<' else 'be'}-{code}.npy").write_bytes(npy_bytes(X.astype(order + code)))
    (to / "good-fortran.npy").write_bytes(npy_bytes(np.asfortranarray(X)))
    (to / "good-fortran-f4.npy").write_bytes(npy_bytes(np.asfortranarray(X.astype("f4"))))
    (to / "good-version2.npy").write_bytes(npy_bytes(X, version=(2, 0)))
    (to / "good-version3.npy").write_bytes(npy_bytes(X, version=(3, 0)))
    data = X.tobytes()
    (to / "good-spacing.npy").write_bytes(
        raw_npy('{ "shape" :( 4 ,3 ) ,"fortran_order":False,\n\t\'descr\': \'<f8\'}', data))
    (to / "truth.npy").write_bytes(npy_bytes(X != 0))
    bad = {
        "empty": b"",
        "magic-only": b"\x93NUMPY",
        "vector": npy_bytes(X[0]),
        "scalar": npy_bytes(np.array(3.0)),
        "cube": npy_bytes(np.zeros((2, 2, 2))),
        "complex": npy_bytes(X.astype("c16")),
        "texts": npy_bytes(np.array([["a", "b"]])),
        "objects": npy_bytes(np.array([[1, "b"]], dtype=object)),
        "fields": npy_bytes(np.zeros((2, 2), dtype=[("a", "f8"), ("b", "i4")])),
        "no-rows": npy_bytes(np.zeros((0, 3))),
        "no-columns": npy_bytes(np.zeros((3, 0))),
        "cut": npy_bytes(X)[:-1],
        "too-long": npy_bytes(X) + b"\0",
        "cut-header": npy_bytes(X)[:60],
        "lie-2gb": raw_npy("{'descr': '<f8', 'fortran_order': False, 'shape': (16384, 16384), }\n", data),
        "lie-overflow": raw_npy("{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904, 8), }\n"),
        "lie-digits": raw_npy("{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999, 8), }\n"),
        "negative": raw_npy("{'descr': '<f8', 'fortran_order': False, 'shape': (-4, 3), }\n", data),
        "no-shape": raw_npy("{'descr': '<f8', 'fortran_order': False, }\n", data),
        "twice": raw_npy("{'descr': '<f8', 'fortran_order': False, 'descr': '<f8', 'shape': (4, 3), }\n", data),
        "code": raw_npy("{'descr': '<f8', 'fortran_order': print(1), 'shape': (4, 3), }\n", data),
        "width": raw_npy("{'descr': '<f3', 'fortran_order': False, 'shape': (4, 3), }\n", data),
        "version9": raw_npy("{'descr': '<f8', 'fortran_order': False, 'shape': (4, 3), }\n", data, version=9),
    }
    for name, content in bad.items():
        (to / f"bad-{name}.npy").write_bytes(content)


def npz(path, packed=True, raw=None, **arrays):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED) as z:
        for name, array in arrays.items():
            z.writestr(zipfile.ZipInfo(name + ".npy"), npy_bytes(np.asanyarray(array)),
                       zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED)
        for name, content in (raw or {}).items():
            z.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED)


def mapped(path, **arrays):
    """An archive whose arrays are stored and aligned to 64 bytes, as pith writes them: they are mapped, not read."""
    with zipfile.ZipFile(path, "w") as z:
        for name, array in arrays.items():
            member = zipfile.ZipInfo(name + ".npy")
            begin = z.fp.tell() + 30 + len(member.filename) + 4
            member.extra = struct.pack("<HH", 0xD935, -begin % 64) + bytes(-begin % 64)
            z.writestr(member, npy_bytes(np.asanyarray(array)), zipfile.ZIP_STORED)


def sparse_arrays(matrix, index="i4"):
    matrix = matrix.copy()
    parts = {"format": np.array(matrix.format.encode()), "shape": np.array(matrix.shape), "data": matrix.data}
    if matrix.format == "coo":
        parts.update(row=matrix.row.astype(index), col=matrix.col.astype(index))
    else:
        parts.update(indices=matrix.indices.astype(index), indptr=matrix.indptr.astype(index))
    return parts


def npz_all():
    to = folder("npz")
    names = {"feature_names": np.array(FEATURES), "sample_names": np.array(SAMPLES)}
    npz(to / "good-X.npz", X=X)
    npz(to / "good-stored.npz", packed=False, X=X, other=np.zeros(7))
    npz(to / "good-fea-y.npz", fea=X.astype("f4"), gnd=Y.reshape(-1, 1))
    npz(to / "good-only-y.npz", anything=np.asfortranarray(X), label=Y.astype("u1"))
    npz(to / "good-swapped-y.npz", data=X.astype(">i8"), Y=Y.astype(">f4"))
    npz(to / "good-arr_0.npz", arr_0=X, arr_1=np.zeros((2, 2)))
    npz(to / "good-y-names.npz", X=X, Y=np.array(["1", "2", "1", "2"]), **names)
    npz(to / "good-bytes-y-names.npz", X=X, Y=Y.astype(str).astype("S"), feature_names=np.array(FEATURES, dtype=">U9"),
        sample_names=np.array(SAMPLES, dtype="S5"))
    npz(to / "good-objects-aside.npz", X=X, feature_names=np.array(FEATURES, dtype=object), raw={"notes.txt": "hello"})
    csr = sp.csr_matrix(X)
    for kind in "csr csc coo".split():
        for index in "i4", "i8":
            npz(to / f"good-{kind}-{index}.npz", **sparse_arrays(csr.asformat(kind), index))
    npz(to / "good-csr-f4-y-names.npz", Y=Y, **names, **sparse_arrays(csr.astype("f4")))
    npz(to / "good-csr-i2.npz", **sparse_arrays(csr.astype("i2")))
    # Columns out of order, 6 = 1 + 5 twice over, an explicit zero.
    npz(to / "good-unsorted.npz", format=np.array(b"csr"), shape=np.array([4, 3]), data=np.array([2., 1, 3, 4, 1, 5, 5, 0]),
        indices=np.array([2, 0, 1, 0, 2, 1, 2, 0]), indptr=np.array([0, 2, 3, 4, 8]))
    good = dict(sparse_arrays(csr))
    mapped(to / "good-mapped-X-y-names.npz", X=X, Y=Y, **names)
    mapped(to / "good-mapped-fortran.npz", X=np.asfortranarray(X.astype("f4")))
    mapped(to / "good-mapped-csr.npz", **sparse_arrays(csr.astype("f4")))
    mapped(to / "good-mapped-csc.npz", **sparse_arrays(csr.tocsc()))
    mapped(to / "good-mapped-unsorted.npz", **{**good, "indices": good["indices"][[1, 0, 2, 3, 5, 4]],
                                               "data": good["data"][[1, 0, 2, 3, 5, 4]]})
    mapped(to / "bad-mapped-column-out.npz", **{**good, "indices": np.array([0, 2, 1, 0, 1, 3], "i4")})
    mapped(to / "bad-mapped-pointers.npz", **{**good, "indptr": np.array([0, 2, 3, 9, 6], "i4")})
    damaged = bytearray((to / "good-mapped-csr.npz").read_bytes())
    damaged[damaged.index(np.float32(6).tobytes())] ^= 0x55  # a value: only the checksum tells
    (to / "bad-mapped-checksum.npz").write_bytes(damaged)
    lie = raw_npy("{'descr': '<f8', 'fortran_order': False, 'shape': (16384, 16384), }\n", X.tobytes())
    bad = {
        "no-array": dict(raw={"notes.txt": "hello"}),
        "no-matrix": dict(a=np.zeros(3), b=np.array("text")),
        "ambiguous": dict(a=np.zeros((2, 2)), b=np.zeros((3, 3))),
        "label-length": dict(X=X, Y=np.zeros(3)),
        "label-objects": dict(X=X, Y=np.array([1, "b", None, 2], dtype=object)),
        "label-matrix": dict(X=X, Y=np.zeros((4, 2))),
        "name-length": dict(X=X, feature_names=np.array(["a", "b"])),
        "bsr": {**good, "format": np.array(b"bsr")},
        "no-data": {k: v for k, v in good.items() if k != "data"},
        "pointers-fall": {**good, "indptr": np.array([0, 2, 1, 4, 6])},
        "pointers-pass": {**good, "indptr": np.array([0, 2, 3, 4, 2**62])},
        "pointers-begin": {**good, "indptr": np.array([1, 2, 3, 4, 6])},
        "pointers-few": {**good, "indptr": np.array([0, 2, 6])},
        "column-out": {**good, "indices": np.array([0, 2, 1, 0, 1, 3])},
        "column-negative": {**good, "indices": np.array([0, 2, 1, 0, 1, -1])},
        "column-huge": {**good, "indices": np.array([0, 2, 1, 0, 1, 2**32])},
        "column-float": {**good, "indices": np.array([0, 2, 1, 0, 1, 2.0])},
        "shape-rows": {**good, "shape": np.array([2**40, 3])},
        "shape-three": {**good, "shape": np.array([4, 3, 1])},
        "shape-negative": {**good, "shape": np.array([-4, 3])},
        "fewer-values": {**good, "data": good["data"][:-1]},
        "row-out": {**sparse_arrays(csr.tocoo()), "row": np.array([0, 0, 1, 2, 3, 4])},
        "row-few": {**sparse_arrays(csr.tocoo()), "row": np.array([0, 0, 1])},
        "empty-rows": {"format": np.array(b"coo"), "shape": np.array([2**31 - 1, 3]), "data": np.zeros(0),
                       "row": np.zeros(0, "i4"), "col": np.zeros(0, "i4")},
        "lie": dict(raw={"X.npy": lie}),
        "no-npy": dict(raw={"X.npy": "this is text"}),
        "short-npy": dict(raw={"X.npy": "x"}),
    }
    for name, arrays in bad.items():
        npz(to / f"bad-{name}.npz", **arrays)
    whole = (to / "good-X.npz").read_bytes()
    (to / "bad-cut.npz").write_bytes(whole[:-30])
    (to / "bad-empty.npz").write_bytes(b"")
    stored = bytearray((to / "good-stored.npz").read_bytes())
    stored[170] ^= 0x55  # within the values: only the checksum tells
    (to / "bad-checksum.npz").write_bytes(stored)
    with zipfile.ZipFile(to / "bad-bzip2.npz", "w") as z:
        z.writestr(zipfile.ZipInfo("X.npy"), npy_bytes(X), zipfile.ZIP_BZIP2)
    # A directory that claims 4 GB for an entry of a few bytes.
    bomb = bytearray(whole)
    at = bomb.rindex(b"PK\x01\x02")
    bomb[at + 24:at + 28] = struct.pack("<I", 0xFFFFFFF0)
    (to / "bad-bomb.npz").write_bytes(bomb)


def savemat(path, content, **kw):
    scipy.io.savemat(path, content, **kw)
    data = bytearray(pathlib.Path(path).read_bytes())
    if kw.get("format") != "4":
        data[:116] = b"MATLAB 5.0 MAT-file".ljust(116)  # without the date
    pathlib.Path(path).write_bytes(data)
    return bytes(data)


def cells(texts):
    out = np.empty((len(texts), 1), dtype=object)
    out[:, 0] = texts
    return out


def mat5_big_endian():
    def element(kind, data):
        return struct.pack(">II", kind, len(data)) + data + b"\0" * (-len(data) % 8)
    body = element(6, struct.pack(">II", 6, 0)) + element(5, struct.pack(">ii", 4, 3))
    body += struct.pack(">HH4s", 1, 1, b"X")  # name in the short form
    body += element(4, X.astype(">u2").tobytes(order="F"))
    return b"MATLAB 5.0 MAT-file".ljust(124) + b"\x01\x00MI" + struct.pack(">II", 14, len(body)) + body


def mat73(path, rows=4, dense=None, sparse=None, labels=None, names=None, **kw):
    with h5py.File(path, "w", userblock_size=512, libver="earliest") as f:
        def text(s):
            return np.string_(s)

        def array(name, values, klass, **more):
            d = f.create_dataset(name, data=np.ascontiguousarray(values.T), **more)
            d.attrs["MATLAB_class"] = text(klass)
            return d
        if dense is not None:
            array("X", dense, "double", **kw)
        if sparse is not None:
            g = f.create_group("X")
            g.attrs["MATLAB_class"] = text("double")
            g.attrs["MATLAB_sparse"] = np.uint64(rows)
            g["data"], g["ir"], g["jc"] = sparse.data, sparse.indices.astype("u8"), sparse.indptr.astype("u8")
        if labels is not None:
            array("Y", labels.reshape(-1, 1), "double")
        for name, values in (names or {}).items():
            refs = np.empty((1, len(values)), dtype=h5py.ref_dtype)
            for k, value in enumerate(values):
                d = array(f"#refs#/{name}{k}", np.frombuffer(value.encode("utf-16-le"), "u2").reshape(1, -1), "char")
                refs[0, k] = d.ref
            d = f.create_dataset(name, data=refs, dtype=h5py.ref_dtype)
            d.attrs["MATLAB_class"] = text("cell")
    with open(path, "r+b") as f:
        f.write(b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM")


def mat():
    to = folder("mat")
    y = Y.reshape(-1, 1)
    names = {"feature_names": cells(FEATURES), "sample_names": cells(SAMPLES)}
    for packed in False, True:
        kind = "packed" if packed else "plain"
        kw = dict(do_compression=packed)
        savemat(to / f"good-v5-{kind}-y.mat", {"X": X, "Y": y.astype("u1")}, **kw)
        savemat(to / f"good-v5-{kind}-sparse-y.mat", {"fea": sp.csc_matrix(X), "gnd": y.T.astype("f8")}, **kw)
        savemat(to / f"good-v5-{kind}-y-names.mat", {"X": X.astype("i2"), "label": cells(["1", "2", "1", "2"]), **names}, **kw)
        savemat(to / f"good-v5-{kind}-struct-aside.mat",
                {"s": {"a": 1, "b": "q"}, "c": cells(["x", "yz"]), "anything": X.astype("f4"), "z": 1j}, **kw)
    for code in "i1 i4 i8 u1 u2 u4 u8 f4".split():
        savemat(to / f"good-v5-{code}.mat", {"X": X.astype(code)})
    savemat(to / "good-v5-charlabels-y.mat", {"X": X, "Y": np.array(["1", "2", "1", "2"])})
    (to / "good-v5-bigendian.mat").write_bytes(mat5_big_endian())
    savemat(to / "truth.mat", {"X": X != 0})
    savemat(to / "good-v4-y.mat", {"X": X, "Y": y.astype("f8")}, format="4")
    savemat(to / "good-v4-sparse.mat", {"X": sp.csc_matrix(X)}, format="4")
    mat73(to / "good-v73-y.mat", dense=X, labels=Y.astype("f8"))
    mat73(to / "good-v73-packed.mat", dense=X.astype("f4"), chunks=(2, 2), compression="gzip", shuffle=True)
    mat73(to / "good-v73-sparse-y-names.mat", sparse=sp.csc_matrix(X), labels=Y.astype("u1"),
          names={"feature_names": FEATURES, "sample_names": SAMPLES})
    plain = savemat(to / "bad-complex.mat", {"X": X + 1j})
    savemat(to / "bad-no-matrix.mat", {"c": cells(["x"])})
    savemat(to / "bad-ambiguous.mat", {"a": np.zeros((2, 2)), "b": np.zeros((3, 3))})
    savemat(to / "bad-label-length.mat", {"X": X, "Y": np.zeros((3, 1))})
    savemat(to / "bad-name-length.mat", {"X": X, "feature_names": cells(["a", "b"])})
    savemat(to / "bad-name-kind.mat", {"X": X, "feature_names": cells([1.0, "b", "c"])})
    savemat(to / "bad-cube.mat", {"X": np.zeros((2, 2, 2))})
    savemat(to / "bad-no-rows.mat", {"X": np.zeros((0, 3))})
    plain = (to / "good-v5-plain-y.mat").read_bytes()
    packed = (to / "good-v5-packed-y.mat").read_bytes()
    for cut in 100, 130, 150, 200, 250, len(plain) - 1:
        (to / f"bad-v5-cut{cut}.mat").write_bytes(plain[:cut])
    (to / "bad-v5-packed-cut.mat").write_bytes(packed[:-5])
    damaged = bytearray(packed)
    damaged[150] ^= 0xFF
    (to / "bad-v5-packed-damaged.mat").write_bytes(damaged)
    lie = bytearray(plain)
    at = lie.index(struct.pack("<ii", 4, 3))
    lie[at:at + 8] = struct.pack("<ii", 2**30, 2**30)
    (to / "bad-v5-lie.mat").write_bytes(lie)
    lie[at:at + 8] = struct.pack("<ii", -4, -3)
    (to / "bad-v5-negative.mat").write_bytes(lie)
    sparse = bytearray((to / "good-v5-plain-sparse-y.mat").read_bytes())
    at = sparse.index(struct.pack("<ii", 4, 3))
    sparse[at:at + 8] = struct.pack("<ii", 2**31 - 1, 3)
    (to / "bad-v5-sparse-rows.mat").write_bytes(sparse)
    sparse[at:at + 8] = struct.pack("<ii", 3, 3)
    (to / "bad-v5-sparse-out.mat").write_bytes(sparse)
    v4 = bytearray((to / "good-v4-y.mat").read_bytes())
    v4[4:8] = struct.pack("<i", 2**31 - 1)
    (to / "bad-v4-lie.mat").write_bytes(v4)
    (to / "bad-v4-cut.mat").write_bytes((to / "good-v4-y.mat").read_bytes()[:-3])
    (to / "bad-empty.mat").write_bytes(b"")
    (to / "bad-text.mat").write_bytes(b"rank,index,name\n1,2,3\n")
    v73 = (to / "good-v73-y.mat").read_bytes()
    (to / "bad-v73-cut.mat").write_bytes(v73[:700])
    mat73(to / "bad-v73-empty-storage.mat", labels=Y.astype("f8"))
    with h5py.File(to / "bad-v73-empty-storage.mat", "r+") as f:
        d = f.create_dataset("X", shape=(2**20, 2**20), dtype="f8", chunks=(64, 64))
        d.attrs["MATLAB_class"] = np.string_("double")


def anndata(path, x, labels=None, names=True, old=False):
    with h5py.File(path, "w", libver="earliest") as f:
        def mark(at, kind, version):
            at.attrs["encoding-type"], at.attrs["encoding-version"] = kind, version

        def texts(at, name, values):
            mark(at.create_dataset(name, data=np.array(values, dtype=object), dtype=h5py.string_dtype()),
                 "string-array", "0.2.0")
        if not old:
            mark(f, "anndata", "0.1.0")
        if sp.issparse(x):
            g = f.create_group("X")
            if old:
                g.attrs["h5sparse_format"], g.attrs["h5sparse_shape"] = x.format, x.shape
            else:
                mark(g, x.format + "_matrix", "0.1.0")
                g.attrs["shape"] = x.shape
            g["data"], g["indices"], g["indptr"] = x.data, x.indices, x.indptr
        elif x is not None:
            mark(f.create_dataset("X", **x), "array", "0.2.0")
        if old:
            f["obs"] = np.array([(s.encode(),) for s in SAMPLES], dtype=[("index", "S4")])
            f["var"] = np.array([(s.encode(),) for s in FEATURES], dtype=[("index", "S4")])
            return
        for table, index in ("obs", SAMPLES), ("var", FEATURES):
            g = f.create_group(table)
            mark(g, "dataframe", "0.2.0")
            g.attrs["column-order"] = np.array([], dtype="f8")
            if names:
                g.attrs["_index"] = "names"
                texts(g, "names", index)
        obs = f["obs"]
        if labels == "categorical":
            g = obs.create_group("label")
            mark(g, "categorical", "0.2.0")
            g["codes"] = (Y - 1).astype("i1")
            texts(g, "categories", ["1", "2"])
        elif labels == "reference":
            obs["__categories/Y"] = np.array([1, 2])
            obs["Y"] = (Y - 1).astype("i1")
            obs["Y"].attrs["categories"] = obs["__categories/Y"].ref
        elif labels == "texts":
            texts(obs, "gnd", [str(v) for v in Y])
        elif labels == "numbers":
            obs["Y"] = Y.astype("f4")
        elif labels == "short":
            obs["Y"] = Y[:3]
        elif labels == "code":
            g = obs.create_group("label")
            g["codes"] = np.array([0, 1, 2, 0], dtype="i1")
            texts(g, "categories", ["1", "2"])


def put_zstd(path, code=32015):
    """X in one chunk that zstd has packed; h5py does not know the filter, so the chunk is put there as it is."""
    with h5py.File(path, "a") as f:
        plan = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        plan.set_chunk(X.shape)
        plan.set_filter(code, h5py.h5z.FLAG_OPTIONAL)
        h5py.h5d.create(f.id, b"X", h5py.h5t.IEEE_F64LE, h5py.h5s.create_simple(X.shape), plan)
        packed = subprocess.run(["zstd", f"--stream-size={X.nbytes}", "-c"], input=X.tobytes(), capture_output=True, check=True).stdout
        h5py.h5d.open(f.id, b"X").write_direct_chunk((0, 0), packed)


def h5ad():
    to = folder("h5ad")
    csr, csc = sp.csr_matrix(X), sp.csc_matrix(X)
    anndata(to / "good-dense-y-names.h5ad", dict(data=X), "categorical")
    anndata(to / "good-dense-f4-y-names.h5ad", dict(data=X.astype("f4"), chunks=(3, 2), compression="gzip"), "texts")
    anndata(to / "good-dense-i4-y.h5ad", dict(data=X.astype(">i4")), "numbers", names=False)
    anndata(to / "good-csr-names.h5ad", csr)
    anndata(to / "good-csr-f4-y-names.h5ad", csr.astype("f4"), "reference")
    anndata(to / "good-csc-names.h5ad", csc)
    anndata(to / "good-old-csr-names.h5ad", csr, old=True)
    anndata(to / "good-lzf-y-names.h5ad", dict(data=X, chunks=(4, 3), compression="lzf"), "texts")
    anndata(to / "good-zstd-names.h5ad", None)
    put_zstd(to / "good-zstd-names.h5ad")
    anndata(to / "bad-filter.h5ad", None)
    put_zstd(to / "bad-filter.h5ad", 32999)
    anndata(to / "truth-dense.h5ad", dict(data=X != 0), names=False)
    anndata(to / "bad-no-X.h5ad", None)
    anndata(to / "bad-label-length.h5ad", dict(data=X), "short")
    anndata(to / "bad-label-code.h5ad", dict(data=X), "code")
    anndata(to / "bad-texts.h5ad", dict(data=np.array([[b"a", b"b"]])))
    anndata(to / "bad-vector.h5ad", dict(data=X[0]))
    anndata(to / "bad-name-length.h5ad", dict(data=X[:, :2]))
    anndata(to / "bad-lie-chunked.h5ad", dict(shape=(2**20, 2**30), dtype="f8", chunks=(16, 16)))
    anndata(to / "bad-lie-gzip.h5ad", dict(shape=(2**20, 2**30), dtype="f8", chunks=(16, 16), compression="gzip"))
    anndata(to / "bad-lie-contiguous.h5ad", dict(shape=(2**20, 2**20), dtype="f8"))
    anndata(to / "bad-lie-chunk.h5ad", dict(shape=(4, 3), dtype="f8", chunks=(2**14, 2**14), maxshape=(None, None)))
    wrong = csr.copy()
    wrong.indices = np.array([0, 2, 1, 0, 1, 7], dtype="i4")
    anndata(to / "bad-column-out.h5ad", wrong)
    wrong = csr.copy()
    wrong.indptr = np.array([0, 2, 9, 4, 6], dtype="i4")
    anndata(to / "bad-pointers.h5ad", wrong)
    whole = (to / "good-csr-names.h5ad").read_bytes()
    (to / "bad-cut.h5ad").write_bytes(whole[: len(whole) // 2])
    (to / "bad-empty.h5ad").write_bytes(b"")
    (to / "bad-text.h5ad").write_bytes(b"this is text")


def tenx(path, version, kinds=None, shape=X.T.shape, **wrong):
    """Cell Ranger's .h5: genes x cells by columns; version 2 has the genome's name as a group."""
    csr = sp.csr_matrix(X)
    arrays = dict(data=csr.data.astype("i4"), indices=csr.indices.astype("i8"), indptr=csr.indptr.astype("i8"),
                  shape=np.array(shape, "i4"), barcodes=np.array(SAMPLES, "S")) | wrong
    names = np.array([n.encode() for n in FEATURES])
    with h5py.File(path, "w") as f:
        g = f.create_group("matrix" if version > 2 else "hg19")
        for name, values in arrays.items():
            g.create_dataset(name, data=values, compression="gzip", chunks=True)
        if version == 2:
            g["genes"], g["gene_names"] = np.array(["E1", "E2", "E3"], "S"), names
        else:
            g["features/id"], g["features/name"] = np.array(["E1", "E2", "E3"], "S"), names
            g["features/feature_type"] = np.array(kinds or ["Gene Expression"] * 3, "S")


def h5():
    to = folder("h5")
    tenx(to / "good-3-names.h5", 3)
    tenx(to / "good-2-names.h5", 2)
    tenx(to / "types.h5", 3, ["Gene Expression", "Antibody Capture", "Gene Expression"])
    tenx(to / "bad-shape.h5", 3, shape=(3, 5))
    tenx(to / "bad-shape-long.h5", 3, shape=(3, 4, 1))
    tenx(to / "bad-barcodes.h5", 3, barcodes=np.array(["s1"], "S"))
    tenx(to / "bad-indices.h5", 2, indices=np.array([0, 2, 1, 0, 1, 7]))
    (to / "bad-text.h5").write_bytes(b"this is text")
    with h5py.File(to / "bad-empty.h5", "w"):
        pass


if __name__ == "__main__":
    npy()
    npz_all()
    mat()
    h5ad()
    h5()
