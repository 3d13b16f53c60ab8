"""Types for audio: headers and samples of files, and the items that a dataset makes of them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from probes.facts.corpus.types import CorpusRow


@dataclass(frozen=True)
class AudioHeader:
    """The header of an audio file."""

    rate: int
    channels: int
    seconds: float
    format: str
    lossy: bool = False


@dataclass(frozen=True)
class WaveformStats:
    """Samples as numbers; full scale is 1. Of several channels, their average, as loaders take it."""

    seconds: float
    shape: tuple[int, ...] = ()
    dtype: str = "int16"
    peak: float = 0.0  # of what is finite
    mean: float = 0.0
    rms: float = 0.0  # around the mean
    clipped_fraction: float = 0.0  # of samples in runs of three and more at the very highest or lowest value
    voiced_seconds: float = 0.0  # of 20 ms frames that are not silent
    not_finite: int = 0
    bad_second: float | None = None  # where the first of these is
    mono_rms_ratio: float = 1.0  # rms of the average over the rms of the loudest channel
    silent_channels: tuple[int, ...] = ()  # those that hold only zeros where others do not, counted from one
    sound: bytes = field(default=b"", repr=False)  # digest of the samples: the same for a lossless copy
    marks: bytes = field(default=b"", repr=False)  # of its loudness over time: most are the same in a lossy copy


@dataclass(frozen=True)
class AudioFile:
    """One row's audio file. `problem`: missing, outside, empty, truncated or unreadable; `detail` is the reason."""

    row: CorpusRow
    problem: str = ""
    detail: str = ""
    header: AudioHeader | None = None
    wave: WaveformStats | None = None


@dataclass(frozen=True)
class AudioPresence:
    """How many rows name a file that was looked for, and those whose file is not there."""

    looked: int
    missing: tuple[CorpusRow, ...]


@dataclass(frozen=True)
class SameSounds:
    """Of each file that repeats a sound, the first one that has it, and whether every sample is the same."""

    first: Mapping[str, tuple[str, bool]]
    there: Collection[str]  # all files that exist


@dataclass(frozen=True)
class AudioFiles:
    """The files that were decoded, and how many rows name one."""

    rows: Sequence[AudioFile]
    total: int

    @property
    def decoded(self) -> tuple[tuple[AudioFile, WaveformStats], ...]:
        return tuple((clip, clip.wave) for clip in self.rows if clip.wave is not None)


@dataclass(frozen=True)
class AudioLimits:
    """What the run expects of its audio; None where it is not configured."""

    sample_rate: int | None = None
    min_seconds: float | None = None
    max_seconds: float | None = None
    source: str = ""


@dataclass(frozen=True)
class LoadedItem:
    """An item of the dataset, as it was loaded. `wave` None: it holds no waveform. `error`: reading it raised."""

    row: CorpusRow
    wave: WaveformStats | None = None
    rate: int | None = None  # as given in the item
    error: str = ""
    line: str = ""
    file_seconds: float | None = None  # by the header of the file that it came from

    @property
    def samples(self) -> int:
        return max(self.wave.shape) if self.wave else 0

    @property
    def real_rate(self) -> float | None:
        """The rate at which its samples last as long as its file."""
        return self.samples / self.file_seconds if self.samples and self.file_seconds else None


@dataclass(frozen=True)
class LoadedItems:
    """The items of a dataset that were read, and how many it has."""

    rows: tuple[LoadedItem, ...]
    total: int


@dataclass(frozen=True)
class RowWaveform:
    """Samples of a row: of its file, or of the item that the dataset made of it."""

    row: CorpusRow
    wave: WaveformStats
    loaded: bool = False

    @property
    def name(self) -> str:
        return f"{self.row.audio or 'its audio'}{' as the dataset gives it' if self.loaded else ''}"


@dataclass(frozen=True)
class UsedAudio:
    """Seconds of a clip, and how many of them reach the model."""

    row: CorpusRow
    seconds: float
    used: float
