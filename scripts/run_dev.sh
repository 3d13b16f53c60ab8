#!/usr/bin/env bash
# Development, a GPU of 4 GB: Whisper-tiny, then Wav2Vec2 + mBART. See run_pipeline.sh.
exec "$(dirname "$0")/run_pipeline.sh" dev_whisper dev_e2e -- "$@"
