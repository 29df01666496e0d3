#!/bin/sh
# Do the README's commands work on a machine that has nothing? Puts a minimal Debian (or Ubuntu) into a new
# folder, the committed state of this checkout into it, and runs there what the README says.
#
#     sudo tools/check-chroot.sh [--suite bookworm] [COMMAND...]
#
# COMMAND is one of: demo, test, ci; all three, in this order, if none is given. Needs root and debootstrap.
# Mirror and proxy are those of this machine's apt.
set -eu
cd "$(dirname "$0")/.."
suite=bookworm
if [ "${1:-}" = --suite ]; then
    suite=$2
    shift 2
fi
[ $# -gt 0 ] || set -- demo test ci

# shellcheck disable=SC2016 # apt's own variables
mirror=$(apt-get indextargets --format '$(CODENAME) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages' |
    awk -v suite="$suite" '$1 == suite && $2 == "main" { print $3; exit }')
if [ -z "$mirror" ]; then
    echo "$0: this machine's apt has no mirror for $suite" >&2
    exit 1
fi
root=$(mktemp -d "${TMPDIR:-/tmp}/pith-chroot.XXXXXX")
clean_up() {
    for folder in dev/pts proc; do
        if mountpoint -q "$root/$folder"; then umount "$root/$folder"; fi
    done
    # Never through a mount that would not go away.
    rm -rf --one-file-system "$root"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

debootstrap --variant=minbase "$suite" "$root" "$mirror"
apt-config dump Acquire | grep -i 'proxy' >"$root/etc/apt/apt.conf.d/99proxy" || true
cp /etc/resolv.conf "$root/etc/resolv.conf"
# No folder of this machine is mounted into it: debootstrap has made the device files it needs, terminals are
# its own, and whoever deletes the folder from outside deletes nothing else.
mount -t proc proc "$root/proc"
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"

for command in "$@"; do
    # A new clone for each, so that no command lives on what another has built.
    rm -rf "$root/usr/src/pith"
    mkdir -p "$root/usr/src/pith"
    git archive HEAD | tar -x -C "$root/usr/src/pith"
    case $command in
    ci) line='.ci/run' ;;
    *) line="apt-get update -q && apt-get install -q -y --no-install-recommends make && make $command" ;;
    esac
    echo "=== $suite, nothing installed: $line"
    started=$(date +%s)
    env -i HOME=/tmp PATH=/usr/sbin:/usr/bin:/sbin:/bin CI=true \
        chroot "$root" sh -c "cd /usr/src/pith && $line" </dev/null
    echo "=== $suite: $command done in $(($(date +%s) - started)) s"
done
