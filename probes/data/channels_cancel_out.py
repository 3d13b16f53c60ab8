from diagnose import Findings, Severity, Stage, probe
from probes.facts.audio.types import AudioFiles
from probes.reporting.row_finding import row_finding

QUIET = 0.05  # of the louder channel's rms; two independent channels keep 0.7, two equal ones 1


@probe(id="DAT013", stage=Stage.DATA, severity=Severity.WARNING, explains=("DAT018",), spoils_row=True)
def channels_cancel_out(audio_files: AudioFiles) -> Findings:
    """Audio channels cancel out when averaged to mono, or one of them is all zeros."""
    for clip, wave in audio_files.decoded:
        if clip.header and clip.header.channels > 1 and wave.mono_rms_ratio < QUIET:
            yield row_finding(
                clip.row,
                f"the mono mix of the {clip.header.channels} channels of {clip.row.audio} has "
                f"{wave.mono_rms_ratio:.1%} of the level of the loudest channel, expected more than {QUIET:.0%}",
                "use one channel of these files instead of the average",
                kept=wave.mono_rms_ratio,
            )
    dead = [(clip, wave) for clip, wave in audio_files.decoded if wave.silent_channels]
    for clip, wave in dead:
        first = 1 in wave.silent_channels
        yield row_finding(
            clip.row,
            f"channel {', '.join(map(str, wave.silent_channels))} of {clip.row.audio} is all zeros; the same holds "
            f"for {len(dead)} of {len(audio_files.rows)} files: "
            f"{'the first channel is silent' if first else 'averaging halves the level'}",
            "keep the channel with the signal and save the files as mono",
            None if first else Severity.NOTE,
            channel=wave.silent_channels[0],
            files=len(dead),
        )
