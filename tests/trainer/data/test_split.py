"""The split: every row once, no video on two sides, near 80/10/10, the same again, and a refusal when it cannot be."""

import random
import unicodedata
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diagnose.common.errors import InputError
from trainer.data.manifest import columns_of, read_rows, write_rows
from trainer.data.split import SHARES, assign, split

COLUMNS = ["audio_path", "transcript", "duration", "video_id"]


def manifest(folder, videos, columns=COLUMNS):
    """A manifest with so many rows of each video, in mixed order."""
    rows = [
        {
            "audio_path": f"{name}-{number}.wav",
            "transcript": "xin chào",
            "duration": f"{1 + number % 4}",
            "video_id": name,
        }
        for name, count in videos.items()
        for number in range(count)
    ]
    random.Random(0).shuffle(rows)
    write_rows(folder / "manifest.tsv", rows, columns)
    return folder / "manifest.tsv"


def sides(folder):
    return {name: read_rows(folder / f"{name}.csv") for name in SHARES}


def test_every_row_is_in_one_set_and_no_video_in_two(tmp_path):
    path = manifest(tmp_path, {f"video {number}": 5 + number % 7 for number in range(40)})
    report = split(path, tmp_path / "splits")
    parts = sides(tmp_path / "splits")
    clips = [row["audio_path"] for rows in parts.values() for row in rows]
    assert sorted(clips) == sorted(row["audio_path"] for row in read_rows(path))
    videos = {name: {row["video_id"] for row in rows} for name, rows in parts.items()}
    assert sum(map(len, videos.values())) == len(set.union(*videos.values())) == 40
    for name, rows in parts.items():
        part = report.parts[name]
        assert (part.rows, part.videos) == (len(rows), len(videos[name]))
        assert part.seconds == sum(float(row["duration"]) for row in rows)
        assert columns_of(rows) == COLUMNS
        assert abs(part.rows / len(clips) - SHARES[name]) < 0.01


def test_rows_keep_the_order_of_the_manifest(tmp_path):
    path = manifest(tmp_path, {f"v{number}": 4 for number in range(10)})
    split(path, tmp_path)
    order = [row["audio_path"] for row in read_rows(path)]
    for rows in sides(tmp_path).values():
        positions = [order.index(row["audio_path"]) for row in rows]
        assert positions == sorted(positions)


def test_the_same_seed_gives_the_same_files_and_another_seed_others(tmp_path):
    path = manifest(tmp_path, {f"v{number}": 3 + number % 5 for number in range(30)})
    contents = {}
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        split(path, tmp_path / name, seed=seed)
        contents[name] = [(tmp_path / name / f"{part}.csv").read_bytes() for part in SHARES]
    assert contents["a"] == contents["b"] != contents["c"]


def test_the_split_does_not_depend_on_the_order_of_the_rows(tmp_path):
    path = manifest(tmp_path, {f"v{number}": 3 + number % 5 for number in range(30)})
    split(path, tmp_path / "one")
    write_rows(tmp_path / "turned.tsv", read_rows(path)[::-1], COLUMNS)
    split(tmp_path / "turned.tsv", tmp_path / "two")
    for one, two in zip(sides(tmp_path / "one").values(), sides(tmp_path / "two").values(), strict=True):
        assert {row["video_id"] for row in one} == {row["video_id"] for row in two}


@pytest.mark.parametrize("count", [0, 1, 2])
def test_fewer_than_three_videos_are_refused(tmp_path, count):
    path = manifest(tmp_path, {f"v{number}": 20 for number in range(count)} or {"": 5})
    with pytest.raises(InputError) as caught:
        split(path, tmp_path / "splits", "video_id")
    sentence = caught.value.message
    assert str(path) in sentence and "\n" not in sentence and "; " in sentence
    assert ("found" in sentence) == (count > 0)
    assert not (tmp_path / "splits").exists()


def test_three_videos_are_one_each(tmp_path):
    report = split(manifest(tmp_path, {"small": 1, "large": 50, "middle": 9}), tmp_path)
    assert {name: part.rows for name, part in report.parts.items()} in (
        {"train": 50, "dev": 9, "test": 1},
        {"train": 50, "dev": 1, "test": 9},
    )


def test_a_missing_column_and_an_empty_value_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"no column 'video_id'.*rename 'video' to 'video_id'"):
        split(_renamed(tmp_path), tmp_path, "video_id")
    path = manifest(tmp_path, {"a": 2, "b": 2, "c": 2, " ": 1})
    line = next(row["_line"] for row in read_rows(path) if not row["video_id"].strip())
    with pytest.raises(InputError, match=f"manifest.tsv:{line}: 'video_id' is empty"):
        split(path, tmp_path, "video_id")


def _renamed(folder):
    write_rows(folder / "other.tsv", [{"audio_path": "a.wav", "video": "v"}], ["audio_path", "video"])
    return folder / "other.tsv"


def test_one_video_written_in_two_ways_stays_together(tmp_path):
    name = "Tiếng Việt"
    twice = {unicodedata.normalize("NFD", name): 5, f" {name} ": 5, "b": 40, "c": 5, "d": 5}
    report = split(manifest(tmp_path, twice), tmp_path)
    assert sum(part.videos for part in report.parts.values()) == 4
    homes = [side for side, rows in sides(tmp_path).items() for row in rows if "Vi" in row["video_id"]]
    assert len(homes) == 10 and len(set(homes)) == 1


def test_documents_split_by_another_column_without_durations(tmp_path):
    rows = [{"document": f"text {number % 20}", "summary": "x"} for number in range(60)]
    write_rows(tmp_path / "news.csv", rows, ["document", "summary"])
    report = split(tmp_path / "news.csv", tmp_path, group="document")
    assert [part.rows for part in report.parts.values()] == [48, 6, 6]
    assert all(part.seconds == 0 for part in report.parts.values())


sizes = st.dictionaries(
    st.text(max_size=5), st.tuples(st.floats(0.01, 100), st.floats(0.01, 100)), min_size=3, max_size=30
)


@settings(max_examples=25, deadline=None)
@given(sizes, st.integers(0, 2**32))
def test_any_videos_are_assigned_once_with_no_empty_set(raw, seed):
    rows, seconds = (sum(pair[axis] for pair in raw.values()) for axis in (0, 1))
    shares = {name: (pair[0] / rows, pair[1] / seconds) for name, pair in raw.items()}
    place = assign(shares, seed)
    assert set(place) == set(raw) and set(place.values()) == set(SHARES)
    assert place == assign(dict(reversed(shares.items())), seed)
    largest = max(sum(pair) / 2 for pair in shares.values())
    train = sum(sum(shares[name]) / 2 for name, part in place.items() if part == "train")
    assert abs(train - SHARES["train"]) <= max(2 * largest, 1 / 3)


@pytest.mark.parametrize("videos", [20, 100, 2000])
def test_long_tailed_videos_come_near_the_shares_in_rows_and_in_seconds(videos):
    chance = random.Random(videos)
    raw = {f"v{number}": (chance.lognormvariate(3, 1), chance.lognormvariate(3, 1)) for number in range(videos)}
    totals = [sum(pair[axis] for pair in raw.values()) for axis in (0, 1)]
    shares = {name: (pair[0] / totals[0], pair[1] / totals[1]) for name, pair in raw.items()}
    place, found = assign(shares, 42), Counter()
    for name, part in place.items():
        found[part, "rows"] += shares[name][0]
        found[part, "seconds"] += shares[name][1]
    off = max(abs(found[part, unit] - share) for part, share in SHARES.items() for unit in ("rows", "seconds"))
    print(f"{videos} videos: at most {off:.2%} off the shares")
    assert off < (0.05 if videos == 20 else 0.01)


def test_the_table_tells_what_lies_where(tmp_path):
    from rich.console import Console

    report = split(manifest(tmp_path, {f"v{number}": 10 for number in range(10)}), tmp_path)
    console = Console(width=200, record=True, stderr=True)
    console.print(report.table())
    shown = console.export_text()
    assert "80.0%" in shown and "video_id" in shown and "train.csv" in shown
