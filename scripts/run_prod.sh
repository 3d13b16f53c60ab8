#!/usr/bin/env bash
# Production, one H100: Whisper-medium, then XLSR-53 + mBART-50. See run_pipeline.sh.
exec "$(dirname "$0")/run_pipeline.sh" prod_whisper prod_e2e -- "$@"
