#!/bin/sh
# tools/install-packages.sh, with stand-ins for dpkg-query, apt and sudo that write down how they are called.
set -eu
script=$(cd "$(dirname "$0")/../.." && pwd)/tools/install-packages.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/tools"
cp "$script" "$work/tools/"
printf '# list\n[build]  # first\nalpha\nbeta | gamma   # either\n\n[test]\ndelta | epsilon\n' >"$work/tools/packages.txt"

stand_in() {
    printf '#!/bin/sh\n%s\n' "$2" >"$work/bin/$1"
    chmod +x "$work/bin/$1"
}
# shellcheck disable=SC2016 # the stand-ins expand these
{
    stand_in dpkg-query 'for a; do last=$a; done; case " $INSTALLED " in *" $last "*) printf installed ;; *) exit 1 ;; esac'
    stand_in apt-cache 'case " $KNOWN " in *" $2 "*) echo "  Candidate: 1.0" ;; *) echo "  Candidate: (none)" ;; esac'
    stand_in apt-get 'echo "apt-get $*" >>"$LOG"'
    stand_in sudo 'echo "sudo" >>"$LOG"; exec "$@"'
    stand_in id 'echo "$USER_ID"'
}

# expect NAME INSTALLED KNOWN USER_ID STATUS LOG SECTION...: what is called, a line each, in order.
failures=0
expect() {
    name=$1 status=$5 wanted=$6
    : >"$work/log"
    got=0
    said=$(
        INSTALLED=$2 KNOWN=$3 USER_ID=$4 LOG=$work/log PATH=$work/bin:$PATH
        export INSTALLED KNOWN USER_ID LOG PATH
        shift 6
        "$work/tools/install-packages.sh" "$@" 2>&1
    ) || got=$?
    if [ "$got" != "$status" ] || [ "$(cat "$work/log")" != "$wanted" ]; then
        printf 'FAILED %s: exit %s, calls:\n%s\nsaid: %s\n' "$name" "$got" "$(cat "$work/log")" "$said"
        failures=$((failures + 1))
    fi
}
install='apt-get install -q -y --no-install-recommends'

expect nothing_missing_touches_no_package_manager 'alpha gamma delta' '' 1000 0 '' build test
expect only_the_named_sections_count 'alpha beta' '' 1000 0 '' build
expect root_needs_no_sudo 'alpha beta' 'delta epsilon' 0 0 "apt-get update -q
$install delta" build test
expect others_ask_for_sudo 'beta' 'alpha delta' 1000 0 "sudo
apt-get update -q
sudo
$install alpha delta" build test
expect an_alternative_that_apt_knows_is_taken 'alpha delta' 'gamma' 0 0 "apt-get update -q
$install gamma" build test
expect a_package_that_apt_does_not_know_is_an_error 'alpha' 'beta' 0 1 'apt-get update -q' build test
expect an_unknown_section_is_an_error 'alpha' 'beta' 0 2 '' nothing
exit $((failures > 0))
