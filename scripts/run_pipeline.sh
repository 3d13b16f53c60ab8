#!/usr/bin/env bash
# Sets up .venv in the project, then prepares, splits, trains, evaluates and draws charts for each configuration.
#
#   scripts/run_pipeline.sh CONFIG... [-- OPTIONS of train pipeline]
#
# TORCH_INDEX  the package index with the torch wheels for your CUDA version; unset: the default index of pip
# PYTHON       the Python to build .venv with (3.11); VENV  another place than .venv
# Run it from the folder that holds data/.
set -euo pipefail
project="$(cd "$(dirname "$0")/.." && pwd)"
venv="${VENV:-$project/.venv}"

if [ ! -x "$venv/bin/train" ]; then
  "${PYTHON:-python3.11}" -m venv "$venv"
  "$venv/bin/python" -m pip install --quiet -c "$project/constraints.txt" ${TORCH_INDEX:+--index-url "$TORCH_INDEX"} torch torchaudio
  "$venv/bin/python" -m pip install --quiet -c "$project/constraints.txt" -e "$project"
  "$venv/bin/diagnose" env --repair
fi

words=()
while [ $# -gt 0 ] && [ "$1" != "--" ]; do
  words+=(--config "$1")
  shift
done
[ $# -gt 0 ] && shift
exec "$venv/bin/train" pipeline "${words[@]}" "$@"
