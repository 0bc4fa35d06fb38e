#!/bin/sh
# Install what is missing of the given system packages, each as program:package, where that is possible: as root, with
# apt-get. Elsewhere it only says what is missing; the tests that need it then skip, and say why.
set -u
missing=
for pair in "$@"; do
    command -v "${pair%%:*}" >/dev/null 2>&1 || missing="$missing ${pair#*:}"
done
[ -z "$missing" ] && exit 0
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then
    echo "packages: missing:$missing (only root with apt-get can install them here; some tests will skip)"
    exit 0
fi
echo "packages: installing$missing"
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
# The lists of packages may be absent or old: fetch them once, and only when the first try fails.
# shellcheck disable=SC2086  # $missing is a list
install() { apt-get install -y -q --no-install-recommends $missing </dev/null >"$log" 2>&1; }
if ! install && ! { apt-get update -q >"$log" 2>&1 && install; }; then
    tail -n 5 "$log"
    echo "packages: could not install:$missing (some tests will skip)"
fi
rm -f "$log"
