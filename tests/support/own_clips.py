"""Sixty spoken English sentences with a CSV of `path,sentence`, as somebody brings them."""

import csv
import wave
from pathlib import Path

from trainer.demo.espeak import SAMPLE_RATE, Voice, speak

SENTENCES = tuple(
    """the train to the coast leaves at nine|she bought fresh bread this morning|our neighbor plays the violin
rain is expected after lunch|please close the window quietly|the museum opens on sunday|he forgot his blue umbrella
we walked along the river|a cat slept on the sofa|my sister studies chemistry|the soup needs more salt
they painted the kitchen yellow|can you repeat the question|the doctor will call tomorrow
children laughed in the garden|this road goes to the village|i lost my keys yesterday|the coffee machine is broken
snow covered the whole valley|her flight was delayed again|the library has a new roof|fishermen return before dawn
his answer surprised everyone|turn left at the old church|the battery is almost empty|we need a bigger table
dogs are not allowed inside|the moon looked very bright|grandmother tells funny stories
the bus was full of students|put the boxes near the door|a strong wind broke the branch|she speaks four languages
the concert starts at eight|nobody knew the right way|tomatoes grow well in summer|the baker sold all his cakes
i prefer tea without sugar|the bridge was closed for repair|lightning struck a tall tree
the teacher praised our work|open the letter carefully|he repaired the bicycle himself|the shop sells cheap shoes
birds were singing outside|our team won the final game|the phone rang at midnight|a small boat crossed the lake
the farmer feeds twenty horses|write your name on the form|the elevator stopped suddenly
we visited an ancient castle|her brother works in a bank|the green jacket fits you|wolves live in those forests
the movie was too long|bring some water and fruit|the engine makes a strange noise|i will send you the photos
the judge listened with patience""".replace("\n", "|").split("|")
)
VOICES = (
    Voice("vi", "en-us", "f2"),
    Voice("vi", "en-gb-x-rp", "m3"),
    Voice("vi", "en", "f4"),
    Voice("vi", "en-us", "m1", pitch=40),
)
SPEEDS = (150, 165, 180)


def make_clips(folder: Path, count: int = 60) -> list[tuple[str, str]]:
    """The path and the sentence of each clip."""
    (folder / "clips").mkdir(parents=True)
    rows = [(f"clips/{index:03d}.wav", SENTENCES[index]) for index in range(count)]
    for index, (path, sentence) in enumerate(rows):
        samples = speak([("en", sentence)], VOICES[index % len(VOICES)], SPEEDS[index % len(SPEEDS)])
        with wave.open(str(folder / path), "wb") as file:
            file.setparams((1, 2, SAMPLE_RATE, 0, "NONE", ""))
            file.writeframes(samples.tobytes())
    return rows


def write_csv(path: Path, columns: tuple[str, ...], rows: list[tuple[str, ...]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([columns, *rows])
    return path
