# The README's two commands, demo and test, each complete by itself on Debian and Ubuntu, and what they are
# made of. Building itself is CMake's: see CMakePresets.json.

PREFIX ?= /usr/local
PYTHON ?= /usr/bin/python3
JOBS := $(shell nproc 2>/dev/null || echo 2)
TESTS := $(shell expr $(JOBS) + 1) # at a time: some wait, for a signal or for the disk

.PHONY: help demo test check test-asan test-tsan test-valgrind release dev install package \
        cuda mpi tidy format docs clean packages-build packages-test packages-package packages-mpi

help:
	@echo 'make demo     installs what is missing, builds, runs `pith demo`'
	@echo 'make test     installs what is missing, builds, runs the tests: does it work?'
	@echo 'make check    the same under sanitizers, valgrind and fuzzers'
	@echo 'make install  builds a release and installs it into PREFIX=$(PREFIX)'
	@echo 'make package  a .deb, a tarball of the sources, a Python wheel and the R package, in build/packages'
	@echo 'make cuda     the engine for NVIDIA GPUs, build/cuda/libpith-cuda.so; needs nvcc: docs/gpu.md'
	@echo 'make mpi      the engine for clusters, build/mpi/libpith-mpi.so: docs/cluster.md'
	@echo 'make format   formats the sources; make tidy runs clang-tidy over them'
	@echo 'make docs     rewrites the generated parts of the documentation'

demo: packages-build release
	build/release/pith demo

# Does it work? Everything that can be told without a tool that watches.
test: packages-test dev
	ctest --preset dev -j $(TESTS) -LE check

# And how well: fuzzing, many damaged files, sanitizers of memory and of threads, valgrind. A tool that is not
# installed is named, not silently left out; with PITH_NO_SKIP=1, as in .ci/run, it is an error.
check: packages-test dev
	ctest --preset dev -j $(TESTS) -L check
	$(MAKE) --no-print-directory test-asan
	$(MAKE) --no-print-directory test-tsan
	$(MAKE) --no-print-directory test-valgrind

test-asan test-tsan test-valgrind: test-%:
	tools/check-memory.sh $* $(TESTS)

release dev:
	cmake --preset $@
	cmake --build --preset $@

install: packages-build release
	cmake --install build/release --prefix $(PREFIX)
	@if [ "$$(id -u)" = 0 ] && [ -z "$$DESTDIR" ]; then ldconfig; fi # else programs that are linked with it do not find it

package: packages-package release
	cd build/release && cpack -G DEB && cpack --config CPackSourceConfig.cmake
	tools/r-package.sh build/release build/packages
	if pkg-config --exists slepc petsc ompi-c; then cmake -S engines/mpi -B build/mpi && cmake --build build/mpi && cd build/mpi && cpack -G DEB; \
	else echo 'no package of the engine mpi: `make mpi` installs what it needs'; fi
	rm -rf build/wheel
	PITH_LIBRARY=$(CURDIR)/build/release $(PYTHON) -m pip wheel -q --no-deps --no-build-isolation --no-index -w build/wheel ./python
	$(PYTHON) tools/bundle-wheel.py build/wheel/pith-*.whl build/packages

# A project of its own: pith does not need it, and it needs nothing of pith but two headers.
cuda:
	cmake -S engines/cuda -B build/cuda
	cmake --build build/cuda -j $(JOBS)

# The same: it needs MPI and SLEPc, and is part of `make test` where these are.
mpi: packages-mpi
	cmake -S engines/mpi -B build/mpi
	cmake --build build/mpi -j $(JOBS)

tidy: dev
	tools/tidy.sh build/dev $(JOBS)

format:
	tools/format.sh

docs: dev
	tools/update-docs.py build/dev/pith

clean:
	rm -rf build

packages-build:
	@tools/install-packages.sh build
packages-test:
	@tools/install-packages.sh build test
packages-package:
	@tools/install-packages.sh build package
packages-mpi:
	@tools/install-packages.sh build mpi
