"""The page of `diagnose samples --html`: audio player, pictures of the inputs, texts and labels; all in one file."""

import base64
from collections.abc import Iterator
from html import escape
from typing import Any

from diagnose.render.samples import clip_line, ending, label_line, row_lines

STYLE = "body{font-family:sans-serif;margin:2em;max-width:70em}pre{white-space:pre-wrap}img{display:block;height:12em}"


def samples_page(samples: Any, title: str) -> str:
    """A page without scripts; every text is escaped."""
    body = "".join(map(_row, samples.rows))
    head = f'<meta charset="utf-8"><title>{escape(title)}</title><style>{STYLE}</style>'
    intro = f"<h1>{escape(title)}</h1><p>{escape(ending(samples))}</p>"
    return f"<!doctype html>\n<html lang=en><head>{head}</head><body>{intro}{body}</body></html>\n"


def _row(sample: Any) -> str:
    return f"<section><h2>{escape(sample.where)}</h2>{''.join(_parts(sample))}</section>\n"


def _parts(sample: Any) -> Iterator[str]:
    texts = [*(f"{name}: {text}" for name, text in sample.texts.items())]
    texts += [f"labels: {label_line(sample.labels)}"] * bool(sample.labels)
    yield f"<pre>{escape(chr(10).join(texts))}</pre>"
    for lead, one in (("without augmentation: ", sample.plain), ("", sample)):
        if one is not None and one.clip is not None:
            yield f'<audio controls src="data:audio/wav;base64,{base64.b64encode(one.clip.wav()).decode()}"></audio>'
            yield f"<p>{lead}{escape(clip_line(one.clip))}</p>"
    for lead, one in (("without augmentation: ", sample.plain), ("", sample), ("second draw: ", sample.second_draw)):
        for name, content in (one.pictures() if one else {}).items():
            yield _picture(f"{lead}{name}", content)
    yield f"<details><summary>numbers</summary><pre>{escape(chr(10).join(row_lines(sample)))}</pre></details>"


def _picture(name: str, content: bytes) -> str:
    caption = escape(name)
    image = f'<img alt="{caption}" src="data:image/png;base64,{base64.b64encode(content).decode()}">'
    return f"<figure>{image}<figcaption>{caption}</figcaption></figure>"
