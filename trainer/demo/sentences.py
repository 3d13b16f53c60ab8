"""Vietnamese-English office talk from a small grammar, each sentence with its Vietnamese translation."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

# (as it is said, as it is translated)
Phrase = tuple[str, str]
NOTHING: Phrase = ("", "")

PAST: tuple[Phrase, ...] = (("hôm qua", "hôm qua"), ("tuần trước", "tuần trước"))
FUTURE: tuple[Phrase, ...] = (("ngày mai", "ngày mai"), ("tuần sau", "tuần sau"), ("weekend này", "cuối tuần này"))
PRESENT: tuple[Phrase, ...] = (("hôm nay", "hôm nay"), ("sáng nay", "sáng nay"))
WILL: tuple[Phrase, ...] = tuple((word, word) for word in ("sẽ", "cần", "phải", "muốn"))
DID: tuple[Phrase, ...] = (("đã", "đã"), ("chưa", "chưa"))
WHEN: tuple[tuple[tuple[Phrase, ...], tuple[Phrase, ...]], ...] = ((PAST, DID), (FUTURE, WILL), (PRESENT, WILL + DID))

SUBJECTS: tuple[Phrase, ...] = (
    ("mình", "mình"),
    ("anh ấy", "anh ấy"),
    ("chị ấy", "chị ấy"),
    ("team mình", "nhóm mình"),
    ("cả team", "cả nhóm"),
    ("manager", "người quản lý"),
    ("intern", "thực tập sinh"),
)

OBJECTS: dict[str, str] = {
    "report": "báo cáo",
    "code": "mã nguồn",
    "email": "thư điện tử",
    "budget": "ngân sách",
    "file": "tập tin",
    "design": "bản thiết kế",
    "contract": "hợp đồng",
    "plan": "kế hoạch",
    "website": "trang mạng",
    "app": "ứng dụng",
    "feature": "tính năng",
    "slide": "bài trình chiếu",
    "schedule": "lịch làm việc",
}

VERBS: dict[Phrase, tuple[str, ...]] = {
    ("check", "kiểm tra"): tuple(OBJECTS),
    ("review", "xem lại"): ("report", "code", "design", "contract", "plan", "slide", "budget", "file"),
    ("update", "cập nhật"): ("report", "website", "app", "plan", "slide", "schedule", "file", "feature"),
    ("fix", "sửa"): ("code", "website", "app", "feature", "design", "slide", "file"),
    ("send", "gửi"): ("report", "email", "contract", "file", "slide", "schedule", "plan"),
    ("share", "chia sẻ"): ("file", "slide", "plan", "design", "report", "schedule", "budget"),
    ("test", "chạy thử"): ("app", "website", "feature", "code"),
    ("approve", "phê duyệt"): ("budget", "plan", "contract", "design", "feature", "schedule"),
    ("viết", "viết"): ("report", "email", "code", "plan", "contract"),
    ("làm", "làm"): ("report", "slide", "website", "app", "design", "feature"),
}

QUALITIES: tuple[Phrase, ...] = (
    ("{}", "{}"),
    ("{} này", "{} này"),
    ("{} mới", "{} mới"),
    ("new {}", "{} mới"),
    ("final {}", "{} cuối cùng"),
)

TAILS: tuple[Phrase, ...] = (
    ("cho boss", "cho sếp"),
    ("cho client", "cho đối tác"),
    ("trước deadline", "trước hạn chót"),
    ("trong meeting", "trong cuộc họp"),
    ("ở office", "ở văn phòng"),
    ("online", "trực tuyến"),
)

ENGLISH = frozenset(OBJECTS) | {
    *("check", "review", "update", "fix", "send", "share", "test", "approve"),
    *("team", "manager", "intern", "boss", "client", "new", "final"),
    *("weekend", "deadline", "meeting", "office", "online"),
}

KEY_MARK = "quan trọng là"


@dataclass(frozen=True, order=True)
class Sentence:
    """A transcript in mixed language and its Vietnamese translation."""

    source: str
    target: str

    def segments(self) -> list[tuple[str, str]]:
        """The words in runs of one language, ready to be spoken."""
        words = self.source.split()
        runs = groupby(words, key=lambda word: "en" if word in ENGLISH else "vi")
        return [(language, " ".join(run)) for language, run in runs]


def draw_sentence(rng: random.Random) -> Sentence:
    """One sentence of the grammar: time, subject, auxiliary, verb, object, circumstance."""
    times, auxiliaries = rng.choice(WHEN)
    verb, objects = rng.choice(list(VERBS.items()))
    quality = rng.choice(QUALITIES)
    thing = rng.choice(objects)
    parts = [_perhaps(rng, times), rng.choice(SUBJECTS), rng.choice(auxiliaries), verb]
    parts += [(quality[0].format(thing), quality[1].format(OBJECTS[thing])), _perhaps(rng, TAILS)]
    source, target = (" ".join(" ".join(side).split()) for side in zip(*parts, strict=True))
    return Sentence(source, target)


def _perhaps(rng: random.Random, phrases: tuple[Phrase, ...]) -> Phrase:
    return rng.choice(phrases) if rng.random() < 0.5 else NOTHING


def draw_distinct(rng: random.Random, count: int) -> list[Sentence]:
    """`count` sentences, no two with the same transcript or the same translation."""
    sources: set[str] = set()
    targets: set[str] = set()
    found: list[Sentence] = []
    while len(found) < count:
        sentence = draw_sentence(rng)
        if sentence.source not in sources and sentence.target not in targets:
            sources.add(sentence.source)
            targets.add(sentence.target)
            found.append(sentence)
    return found


def draw_documents(rng: random.Random, sentences: list[Sentence], count: int) -> Iterator[tuple[str, str]]:
    """Different documents of three sentences, one marked as the key; its translation is the summary."""
    drawn: set[str] = set()
    while len(drawn) < count:
        chosen = rng.sample(sentences, 3)
        key = rng.randrange(3)
        spoken = [f"{KEY_MARK} {s.source}" if i == key else s.source for i, s in enumerate(chosen)]
        document = " . ".join(spoken)
        if document not in drawn:
            drawn.add(document)
            yield document, chosen[key].target
