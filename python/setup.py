"""Builds the extension and puts libpith beside it, with pith-hdf5, its program that reads HDF5.

Which libpith: PITH_LIBRARY is the full path of a build folder of CMake whose library is taken, or "installed", for
the one that pkg-config knows, which then stays where it is. Without it, a checkout builds its own; elsewhere it is
the installed one.
"""
import glob
import os
import pathlib
import re
import shutil
import subprocess

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

HERE = pathlib.Path(__file__).resolve().parent
CHECKOUT = HERE.parent if (HERE.parent / "CMakeLists.txt").exists() else None

# As cmake/Compiler.cmake has them for the library.
HARDENED = ["-fstack-protector-strong", "-U_FORTIFY_SOURCE", "-O2", "-D_FORTIFY_SOURCE=2"]
LINKED = ["-Wl,-z,relro", "-Wl,-z,now", "-Wl,-z,noexecstack"]


def pkg_config(*words):
    try:
        return subprocess.run(["pkg-config", *words, "pith"], check=True, capture_output=True, text=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError) as why:
        raise SystemExit(f"no libpith: pkg-config {' '.join(words)} pith: {getattr(why, 'stderr', why)}")


def version():
    header = HERE.parent / "include/pith.h"
    if not header.exists():
        return pkg_config("--modversion")
    parts = re.findall(r"#define PITH_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header.read_text())
    return ".".join(parts)


def soname(of):
    """The name of the library's file that programs ask for, as CMakeLists.txt makes it."""
    major, minor, _ = of.split(".")
    return f"libpith.so.{major}.{minor}" if major == "0" else f"libpith.so.{major}"


class Build(build_ext):
    """The extension is linked with libpith: one beside it, or the installed one."""

    def library(self):
        """(folder of the header, folder of the library, is it to be put beside the extension?)"""
        asked = os.environ.get("PITH_LIBRARY") or ("" if CHECKOUT else "installed")
        if asked == "installed":
            return pkg_config("--variable=includedir"), pkg_config("--variable=libdir"), False
        if not asked:
            asked = os.path.abspath(os.path.join(self.build_temp, "libpith"))
            subprocess.run(["cmake", "-S", CHECKOUT, "-B", asked, "-DCMAKE_BUILD_TYPE=Release", "-DPITH_TESTS=OFF"],
                           check=True)
            subprocess.run(["cmake", "--build", asked, "--target", "pith", "--parallel", str(os.cpu_count() or 1)],
                           check=True)
        elif not os.path.exists(os.path.join(asked, soname(version()))):
            # pip builds in this folder, wherever it was called from.
            raise SystemExit(f"PITH_LIBRARY={asked}: has no {soname(version())}" +
                             ("" if os.path.isabs(asked) else "; give the full path of the build folder"))
        return str(HERE.parent / "include"), os.path.abspath(asked), True

    def build_extension(self, extension):
        header, folder, beside = self.library()
        extension.include_dirs.append(header)
        extension.library_dirs.append(folder)
        extension.extra_link_args.append("-Wl,-rpath," + ("$ORIGIN" if beside else folder))
        place = os.path.dirname(self.get_ext_fullpath(extension.name))
        for stale in glob.glob(os.path.join(place, "libpith.so.*")) + glob.glob(os.path.join(place, "pith-hdf5")):
            os.remove(stale)  # of an earlier build
        self.force = True  # its library may be another one than last time
        super().build_extension(extension)
        if not beside:
            return
        # By the name that the extension asks for: libpith.so.0.2, whatever it points at.
        name = soname(version())
        shutil.copyfile(os.path.join(folder, name), os.path.join(place, name))
        shutil.copy(os.path.join(folder, "pith-hdf5"), place)  # it stays a program


setup(version=version(), cmdclass={"build_ext": Build},
      ext_modules=[Extension("pith._core", sorted(os.path.relpath(f, HERE) for f in glob.glob(str(HERE / "core/*.c"))),
                             depends=["core/core.h"], libraries=["pith"], extra_compile_args=["-std=c17", *HARDENED], extra_link_args=list(LINKED))])
