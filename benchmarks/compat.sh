#!/usr/bin/env bash
# Load a release with the newest datasets 3.x, 4.x and 5.x, each in a throw-away environment.
set -euo pipefail
release=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for major in 3 4 5; do
  "${PYTHON:-python3}" -m venv "$work/$major"
  "$work/$major/bin/python" -m pip install --quiet --disable-pip-version-check "datasets>=$major,<$((major + 1))"
  "$work/$major/bin/python" -m benchmarks.load "$release"
  million=$(ls "$release/data" | grep '_1M$' | sort -r | head -n 1)
  "$work/$major/bin/python" -m benchmarks.stream_first_row "$release" "$million"
done
