#!/bin/sh
# Do the README's commands work on a machine that has nothing, and what `make package` makes on another one? Each
# command gets a minimal Debian (or Ubuntu) of its own, in a new folder, with the committed state of this checkout.
#
#     sudo tools/check-chroot.sh [--suite bookworm] [COMMAND...]
#
# COMMAND is one of: demo, test, ci, package, c, python, r, mpi, small, install; demo, test and package, in this
# order, if none is given. Needs root and debootstrap. Mirror and proxy are those of this machine's apt.
set -eu
cd "$(dirname "$0")/.."
suite=bookworm
if [ "${1:-}" = --suite ]; then
    suite=$2
    shift 2
fi
[ $# -gt 0 ] || set -- demo test package

# shellcheck disable=SC2016 # apt's own variables
mirror=$(apt-get indextargets --format '$(CODENAME) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages' |
    awk -v suite="$suite" '$1 == suite && $2 == "main" { print $3; exit }')
if [ -z "$mirror" ]; then
    echo "$0: this machine's apt has no mirror for $suite" >&2
    exit 1
fi
work=$(mktemp -d "${TMPDIR:-/tmp}/pith-chroot.XXXXXX")
root=$work/root

leave_root() {
    for folder in dev/shm dev/pts proc; do
        if mountpoint -q "$root/$folder"; then umount "$root/$folder"; fi
    done
    # Never through a mount that would not go away.
    rm -rf --one-file-system "$root"
}

# No folder of this machine is mounted into it: debootstrap has made the device files it needs, terminals are its
# own, and whoever deletes the folder from outside deletes nothing else.
enter_root() {
    cp -a "$work/bare" "$root"
    mount -t proc proc "$root/proc"
    mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
    mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm" # clang's OpenMP asks for it, whoever the user is
    mkdir -p "$root/usr/src/pith"
}

in_root() {
    echo "=== $suite: $1"
    started=$(date +%s)
    env -i HOME=/tmp PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin CI=true DEBIAN_FRONTEND=noninteractive \
        chroot "$root" sh -c "cd /usr/src/pith && $1" </dev/null
    echo "=== $suite: done in $(($(date +%s) - started)) s"
}

clean_up() {
    leave_root
    rm -rf --one-file-system "$work"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

get='apt-get update -q && apt-get install -q -y --no-install-recommends'

# A machine that has nothing but what `make package` made on another one.
enter_root_with_packages() {
    leave_root
    enter_root
    cp "$work"/packages/* "$root/usr/src/pith/"
}

# All packages are made on one machine, and each is installed and used on one that has nothing. The .deb gives a command
# that works; the tarball builds like the checkout. The wheel needs Python and NumPy alone, and SciPy for sparse files.
# The engine of clusters and the R package stand on the .deb.
check_package() {
    in_root "$get make && tools/install-packages.sh build package mpi r && $get r-cran-knitr r-cran-markdown && make mpi && make package"
    mkdir "$work/packages"
    cp "$root"/usr/src/pith/build/packages/pith* "$root/usr/src/pith/tests/fuzz/corpus/h5ad/good-csr-names.h5ad" "$work/packages/"
    page_blocks r docs/r.md >"$work/packages/page.R"
    enter_root_with_packages
    in_root "ls -l pith* && $get ./pith_*.deb && pith --version && pith demo"
    in_root "apt-get install -q -y --no-install-recommends make && tar -xzf pith-*.tar.gz && make -C pith-*/ demo"
    enter_root_with_packages
    in_root "$get python3-venv python3-numpy && python3 -m venv --system-site-packages /opt/env && /opt/env/bin/pip install --no-index pith-*.whl"
    in_root "/opt/env/bin/python -c 'import numpy, pith
print(pith.rank(numpy.random.default_rng(0).normal(size=(300, 30)), \"mcfs\").ranking)
print(pith.__version__, len(pith.methods()))'"
    in_root "$get python3-scipy && /opt/env/bin/python -c 'import pith
data = pith.read(\"good-csr-names.h5ad\")
print(data.X.shape, data.feature_names)'"
    enter_root_with_packages
    in_root "$get ./pith_*.deb ./pith-engine-mpi_*.deb"
    two_processes pith ""
    enter_root_with_packages
    in_root "$get ./pith_*.deb r-base-dev r-cran-matrix && R CMD INSTALL pith_*.tar.gz && cd /tmp && Rscript /usr/src/pith/page.R &&
        Rscript -e 'stopifnot(nrow(vignette(package = \"pith\")\$results) == 1)'"
}

# The fenced blocks of one kind on a page: page_blocks KIND PAGE
page_blocks() {
    awk -v fence="\`\`\`$1" '$0 == fence { inside = 1; next } /^```/ { inside = 0 } inside' "$2"
}

# Pages say sudo, for people; nobody is there to say yes.
as_root() {
    sed 's/^sudo apt-get install/apt-get update -q \&\& apt-get install -q -y --no-install-recommends/'
}

# A program of one's own, as the README builds it.
check_c() {
    in_root "$get make && make install"
    # shellcheck disable=SC2016 # Markdown's quotes
    in_root "cd examples && $(sed -n 's/^Build with `\(cc [^`]*\)`.*/\1/p' README.md) && ./a.out"
}

# docs/python.md from the top, with the checkout in place of the wheel.
check_python() {
    sed -n -e '/^This builds/q' -e '/whl$/d' -e 's/^    //p' docs/python.md | as_root >"$root/tmp/page.sh"
    page_blocks python docs/python.md >"$root/tmp/page.py"
    in_root "sh -ex /tmp/page.sh && env/bin/python /tmp/page.py"
}

# docs/embedding.md from the top: what it says to install is enough.
check_small() {
    page_blocks sh docs/embedding.md | as_root | sed 's/^cc program.c/cc examples\/laplacian.c/' >"$root/tmp/page.sh"
    in_root "sh -ex /tmp/page.sh && ldd /tmp/pith/lib/libpith.so && ./program"
}

# docs/r.md from the top: the library, R, the package, and the examples of the page.
check_r() {
    page_blocks r docs/r.md >"$root/tmp/page.R"
    in_root "$get make && make install && tools/install-packages.sh r && R CMD INSTALL r"
    in_root "cd /tmp && Rscript page.R"
}

# docs/cluster.md from the top: the engine beside a build of the checkout. Two processes must give the order of features
# that one gives.
two_processes() {
    in_root "cd /tmp && export PITH_ENGINE_PATH=$2 && $1 synth blobs -qo d.npz && $1 rank d.npz -qm laplacian -o one.csv &&
        mpirun --allow-run-as-root --oversubscribe -n 2 $1 rank d.npz -qm laplacian --engine mpi -o two.csv &&
        cut -d, -f1,2 one.csv >one && cut -d, -f1,2 two.csv >two && head -n 3 two.csv && cmp one two"
}
check_mpi() {
    in_root "$get make && make mpi && make release"
    two_processes /usr/src/pith/build/release/pith /usr/src/pith/build/mpi
}

# The steps of the Dockerfile, read off it: the build in one root, and in another its result beside the libraries alone.
dockerfile_step() {
    sed -e ':join' -e '/\\$/{N;s/\\\n//;b join' -e '}' Dockerfile | sed -n 's/^RUN //p' | sed -n "$1p"
}
check_install() {
    in_root "$(dockerfile_step 1)"
    in_root "$(dockerfile_step 2)"
    cp -a "$root/opt/pith" "$work/installed"
    leave_root
    enter_root
    in_root "$(dockerfile_step 3)"
    cp -a "$work/installed/." "$root/usr/local/"
    in_root "pith --version && pith demo && pith synth blobs -o /tmp/d.h5ad && pith rank /tmp/d.h5ad -qm ndfs >/dev/null"
    in_root "du -sh --exclude=/proc --exclude=/usr/src /"
}

debootstrap --variant=minbase "$suite" "$work/bare" "$mirror"
apt-config dump Acquire | grep -i 'proxy' >"$work/bare/etc/apt/apt.conf.d/99proxy" || true
cp /etc/resolv.conf "$work/bare/etc/resolv.conf"

for command in "$@"; do
    enter_root
    git archive HEAD | tar -x -C "$root/usr/src/pith"
    case $command in
    ci) in_root .ci/run ;;
    package) check_package ;;
    c) check_c ;;
    python) check_python ;;
    small) check_small ;;
    r) check_r ;;
    mpi) check_mpi ;;
    install) check_install ;;
    *) in_root "$get make && make $command" ;;
    esac
    leave_root
done
