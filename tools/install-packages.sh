#!/bin/sh
# Installs the packages of the named sections of tools/packages.txt that are missing. Where none is, no
# package manager is touched and no password asked.
#
#     tools/install-packages.sh build test
set -eu

list=$(dirname "$0")/packages.txt

# The lines of one section, without comments: a package, or alternatives with bars between.
section() {
    sed 's/[[:space:]]*#.*//' "$list" | awk -v name="[$1]" '
        /^\[/ { inside = ($1 == name); found = found || inside; next }
        NF && inside
        END { if (!found) exit 1 }'
}

installed() {
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# The lines of one section of which no alternative is installed.
missing() {
    lines=$(section "$1") || { echo "$0: no section [$1] in $list" >&2; return 2; }
    echo "$lines" | while IFS= read -r line; do
        for package in $(echo "$line" | tr '|' ' '); do
            if installed "$package"; then continue 2; fi
        done
        echo "$line"
    done
}

# The first alternative that apt can install.
choose() {
    for package in $(echo "$1" | tr '|' ' '); do
        if apt-cache policy "$package" | grep -q 'Candidate: [^(]'; then
            echo "$package"
            return
        fi
    done
    echo "$0: apt knows none of: $1" >&2
    return 1
}

if ! command -v dpkg-query >/dev/null; then
    echo "$0: no Debian or Ubuntu here; what pith needs is listed in $list" >&2
    exit 0
fi
wanted=
for name in "$@"; do
    more=$(missing "$name")
    wanted="$wanted${more:+$more
}"
done
if [ -z "$wanted" ]; then
    exit 0
fi

as_root=
if [ "$(id -u)" != 0 ]; then
    as_root=sudo
    if ! command -v sudo >/dev/null; then
        echo "$0: run as root, or with sudo installed, to install:" >&2
        printf '%s' "$wanted" >&2
        exit 1
    fi
fi
printf 'installing what is missing:\n%s' "$wanted"
$as_root apt-get update -q
packages=$(printf '%s' "$wanted" | while IFS= read -r line; do choose "$line" || exit 1; done)
# shellcheck disable=SC2086 # one word per package
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $packages
