#!/usr/bin/env python3
"""Makes a wheel that needs nothing of the system but the C library: the shared libraries go into it.

    tools/bundle-wheel.py WHEEL FOLDER

Every library that WHEEL's parts need, and those that these need, is copied into pith.libs under a name of its own
(so that no other package's copy is taken for it), finds the others there, and comes with its Debian package's
licence. The new wheel is written to FOLDER; its name says which C library is the oldest that will do. Needs patchelf,
binutils, gcc and python3-wheel.

LAPACK and BLAS are those of OpenBLAS for ARPACK, too. Two libraries are not taken along: HDF5 is linked with libcurl
to read files from the web, and both HDF5 and libzip with OpenSSL for secrets. pith does neither, they would bring
thirty more libraries whose security updates nobody would install, and so their functions are replaced by ones that
fail.
"""
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

# Part of every Linux with glibc, as auditwheel has them.
SYSTEM = re.compile(r"^(ld-linux.*|lib(c|m|pthread|dl|rt|util|gcc_s)\.so\.\d+)$")
INSTEAD = {"liblapack.so.3": "libopenblas.so.0", "libblas.so.3": "libopenblas.so.0"}
REFUSED = {"libcurl.so.4", "libcrypto.so.3"}
HOME = "pith.libs"


def told(*words):
    return subprocess.run([str(w) for w in words], check=True, capture_output=True, text=True).stdout


def needed(path):
    return re.findall(r"\(NEEDED\).*\[(.+)\]", told("readelf", "-dW", path))


def found_by_loader(path):
    """Name to file, of all that the loader would load."""
    pairs = re.findall(r"^\s*(\S+) => (/\S+)", told("ldd", path), re.M)
    return {name: pathlib.Path(file).resolve() for name, file in pairs}


def elf_files(folder):
    return [f for f in sorted(folder.rglob("*")) if f.is_file() and f.open("rb").read(4) == b"\x7fELF"]


def collect(parts):
    """Name to file, of what must come along."""
    files, queue = {}, list(parts)
    while queue:
        part = queue.pop()
        where = found_by_loader(part)
        for name in (INSTEAD.get(n, n) for n in needed(part)):
            if SYSTEM.match(name) or name in REFUSED or name in files or any(p.name == name for p in parts):
                continue
            if name not in where:
                raise SystemExit(f"{part}: {name} is not found")
            files[name] = where[name]
            queue.append(where[name])
    return files


def own_name(name, file):
    """libz.so.1 -> libz-0a1b2c3d.so.1"""
    stem, dot, rest = name.partition(".so")
    return f"{stem}-{hashlib.sha256(file.read_bytes()).hexdigest()[:8]}{dot}{rest}"


def refusing(name, users, folder):
    """A library in place of `name`: the functions that `users` ask it for, all of which return 0."""
    wanted = {}
    for user in users:
        owner = re.findall(rf"File: {re.escape(name)}.*?(?=File:|\Z)", told("readelf", "-VW", user), re.S)
        versions = set(re.findall(r"Name: (\S+)", "".join(owner)))
        for symbol, version in re.findall(r"UND (\w+)@(\S+)", told("readelf", "--dyn-syms", "-W", user)):
            if version in versions:
                wanted.setdefault(version, set()).add(symbol)
    symbols = sorted(set().union(*wanted.values()))
    place = folder / f"libpith-no-{name[3:].partition('.')[0]}.so"
    with tempfile.TemporaryDirectory() as work:
        source, script = pathlib.Path(work, "none.c"), pathlib.Path(work, "none.map")
        source.write_text("".join(f"void *{s}(void);\nvoid *{s}(void) {{ return 0; }}\n" for s in symbols))
        script.write_text("".join(f"{v} {{ global: {' '.join(f'{s};' for s in sorted(names))} local: *; }};\n"
                                  for v, names in sorted(wanted.items())))
        told("gcc", "-shared", "-fPIC", "-O1", "-fno-builtin", source, f"-Wl,--version-script={script}", f"-Wl,-soname,{place.name}",
             "-Wl,-z,relro,-z,now,-z,noexecstack", "-o", place)
    return place.name


def licence(file, to):
    """The copyright file of the Debian package that the library is from."""
    for path in (file, pathlib.Path(str(file).removeprefix("/usr"))):
        owner = subprocess.run(["dpkg", "-S", path], capture_output=True, text=True).stdout.partition(":")[0]
        if owner:
            shutil.copyfile(f"/usr/share/doc/{owner}/copyright", to / owner)
            return
    raise SystemExit(f"{file}: belongs to no package, so its licence is not known")


def oldest_glibc(parts):
    """(2, 34): the newest version of the C library that anything asks for."""
    versions = re.findall(r"\bGLIBC_(\d+)\.(\d+)", "".join(told("readelf", "-VW", p) for p in parts))
    return max((int(a), int(b)) for a, b in versions)


def bundle(root):
    """Changes the unpacked wheel; the names of what came along."""
    parts, home = elf_files(root), root / HOME
    files = collect(parts)
    home.mkdir()
    licences = next(root.glob("*.dist-info")) / "licenses"
    licences.mkdir(exist_ok=True)
    new = {name: own_name(name, file) for name, file in files.items()}
    for name, file in files.items():
        shutil.copy(file, home / new[name])
        licence(file, licences)
    copies = [home / n for n in new.values()]
    for name in sorted(REFUSED):
        users = [p for p in parts + copies if name in needed(p)]
        if users:
            new[name] = refusing(name, users, home)
    new |= {name: new[other] for name, other in INSTEAD.items() if other in new}
    for part in parts + copies:
        # One change at a time: patchelf 0.14 writes over its own strings if it is given several.
        for name in needed(part):
            if name in new:
                told("patchelf", "--replace-needed", name, new[name], part)
        if part in copies:
            told("patchelf", "--set-soname", part.name, part)
            told("patchelf", "--set-rpath", "$ORIGIN", part)
        else:
            told("patchelf", "--set-rpath", "$ORIGIN:$ORIGIN/" + os.path.relpath(home, part.parent), part)
    return sorted(set(new.values()))


def unpack(wheel, work):
    """The folder of what is in the wheel. Until 0.40, `wheel unpack` forgets which files are programs."""
    told(sys.executable, "-m", "wheel", "unpack", "-d", work, wheel)
    root = next(pathlib.Path(work).iterdir())
    with zipfile.ZipFile(wheel) as packed:
        for member in packed.infolist():
            (root / member.filename).chmod(member.external_attr >> 16 & 0o777 or 0o644)
    return root


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    wheel, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as work:
        root = unpack(wheel, work)
        names = bundle(root)
        major, minor = oldest_glibc(elf_files(root))
        about = next(root.glob("*.dist-info")) / "WHEEL"
        about.write_text(re.sub(r"-linux_(\w+)", rf"-manylinux_{major}_{minor}_\1", about.read_text()))
        out.mkdir(parents=True, exist_ok=True)
        packed = told(sys.executable, "-m", "wheel", "pack", "-d", out, root)
    name = re.search(r"pith-\S+?\.whl", packed)[0]
    print(f"{out / name}: {(out / name).stat().st_size / 1e6:.1f} MB, with {', '.join(names)}")


if __name__ == "__main__":
    main()
