"""Types for the machine and the installed packages."""

from dataclasses import dataclass


@dataclass(frozen=True)
class NumpyBridge:
    """An array handed to torch and back, in a process of its own. `failed`: the call that did not work."""

    numpy: str
    torch: str
    failed: str = ""
    error: str = ""


@dataclass(frozen=True)
class ItemReading:
    """Items of the training set, read as the run will read them."""

    where: str
    tried: int
    read: int
    error: str = ""
    line: str = ""
    file: str = ""  # an audio file of the items that could not be read, and that another reader can
    missing: bool = False  # True: a package or a library is not there


@dataclass(frozen=True)
class TokenizerNeeds:
    """What the tokenizer's files need to be read, and which of it is not there."""

    source: str
    why: str
    packages: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True)
class Devices:
    """The devices that the run names, with who names each; and what torch sees here."""

    named: tuple[tuple[str, str], ...]
    present: tuple[str, ...]
    torch: str = ""


@dataclass(frozen=True)
class CheckpointRoom:
    """What the checkpoints of the run take on the disk at their most, and what is free there. All in bytes."""

    folder: str
    free: int
    weights: int
    state: int  # the optimiser's
    at_once: int  # checkpoints that lie there at the same time, the one being written included

    @property
    def checkpoint(self) -> int:
        return self.weights + self.state

    @property
    def needed(self) -> int:
        """The saved model after the run as well."""
        return self.at_once * self.checkpoint + self.weights


@dataclass(frozen=True)
class PackageLocation:
    """Which package a name leads to. `rivals`: other distributions that install under the same name."""

    name: str
    found: str
    ours: bool
    rivals: tuple[str, ...] = ()


@dataclass(frozen=True)
class PackageImport:
    """A package, imported in a process of its own. `ended` names the signal that ended it, if one did."""

    name: str
    version: str
    imported: bool
    error: str = ""
    ended: str = ""


@dataclass(frozen=True)
class TorchBuilds:
    """What the packages' own version files say; pip's metadata leaves the build tag out."""

    torch: str
    torchaudio: str
    loads: bool  # False: the extension is there, and it was built for another torch
