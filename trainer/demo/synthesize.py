"""The clips of the corpus on disk, made by several processes; Ctrl-C and a kill leave whole clips and no process."""

import multiprocessing
import os
import signal
import wave
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

from diagnose.common.errors import InputError
from diagnose.common.forked_workers import INTERRUPT_POLL
from diagnose.common.interrupts import deferred_interrupts
from diagnose.common.parent_death import die_with
from trainer.demo.corpus_plan import SEEN, UNSEEN, PlannedClip
from trainer.demo.espeak import SAMPLE_RATE, speak


def in_parallel(root: Path, videos: Sequence[Sequence[PlannedClip]], workers: int) -> Iterator[int]:
    """The number of clips of each video, as they are finished in processes."""
    # Spawned, not forked: the caller may hold torch's threads.
    pool = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _prepare_worker, (os.getpid(),))
    with deferred_interrupts() as interrupts:  # raised while the pool ends its workers, Ctrl-C would leave it waiting
        try:
            waiting = {pool.submit(say_all, root, video) for video in videos}
            while waiting and not interrupts:
                done, waiting = wait(waiting, INTERRUPT_POLL, FIRST_COMPLETED)
                if done:
                    yield sum(future.result() for future in done)
        except BrokenProcessPool as error:
            remedy = "start again: finished clips are kept"
            raise InputError(f"{root}: a process that synthesizes speech was ended by the system; {remedy}") from error
        finally:
            pool.shutdown(cancel_futures=True)


def _prepare_worker(parent: int) -> None:
    """One thread; Ctrl-C is for the parent, and a parent that is killed leaves no worker behind."""
    import torch

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with(parent)
    torch.set_num_threads(1)


def say_all(root: Path, clips: Sequence[PlannedClip]) -> int:
    """Writes the clips; their number."""
    for clip in clips:
        samples = speak(clip.sentence.segments(), (SEEN | UNSEEN)[clip.speaker], clip.speed)
        _write_wav(root / clip.path, samples.tobytes())
    return len(clips)


def _write_wav(path: Path, samples: bytes) -> None:
    """Renamed when it is whole, so that a clip that is there need not be made again."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with wave.open(str(draft), "wb") as file:
            file.setparams((1, 2, SAMPLE_RATE, 0, "NONE", ""))
            file.writeframes(samples)
        draft.replace(path)
    except OSError as error:
        raise InputError(
            f"{path}: cannot be written ({error.strerror}); free space or choose another folder"
        ) from error
