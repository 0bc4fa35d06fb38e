#!/bin/sh
# Resolve pyproject.toml's dependencies into requirements.lock: every package, for every platform and Python from 3.11,
# with hashes. Versions already locked are kept where they still fit; UPGRADE=1 takes the newest of all.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
uv=$(command -v uv || true)
if [ -z "$uv" ]; then
    python3 -m venv "$work/venv"
    "$work/venv/bin/python" -m pip install --quiet --disable-pip-version-check uv
    uv=$work/venv/bin/uv
fi
"$uv" pip compile pyproject.toml --quiet --universal --python-version 3.11 --extra dev --generate-hashes \
    --custom-compile-command "make lock" ${UPGRADE:+--upgrade} --output-file requirements.lock
