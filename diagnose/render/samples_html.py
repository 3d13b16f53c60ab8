"""The page of `diagnose samples --html`: audio player, pictures of the inputs, texts and labels; all in one file."""

import base64
import io
import struct
import wave
import zlib
from collections.abc import Iterator
from html import escape
from typing import Any

from diagnose.render.log_mel import log_mel
from diagnose.render.samples import clip_line, ending, label_line, row_lines

STYLE = "body{font-family:sans-serif;margin:2em;max-width:70em}pre{white-space:pre-wrap}img{display:block;height:12em}"
WIDEST = 1200  # columns of a picture


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
    if sample.clip is not None:
        yield f'<audio controls src="data:audio/wav;base64,{_wav(sample.clip)}"></audio>'
        yield f"<p>{escape(clip_line(sample.clip))}</p>"
    for lead, one in (("", sample), ("drawn again: ", sample.drawn_again)):
        for name, values in (one.pictures if one else {}).items():
            yield _picture(f"{lead}{name}", values)
    if sample.clip is not None and not sample.pictures:
        yield _picture("log-mel of the audio", log_mel(sample.clip.samples, sample.clip.rate or 16_000))
    yield f"<details><summary>numbers</summary><pre>{escape(chr(10).join(row_lines(sample)))}</pre></details>"


def _picture(name: str, values: Any) -> str:
    source = base64.b64encode(png(_oriented(values))).decode()
    caption = escape(f"{name}, {values.shape[0]} x {values.shape[1]}")
    image = f'<img alt="{caption}" src="data:image/png;base64,{source}">'
    return f"<figure>{image}<figcaption>{caption}</figcaption></figure>"


def _oriented(values: Any) -> Any:
    """Time to the right, low bands below; the longer axis is time."""
    bands_first = values if values.shape[0] <= values.shape[1] else values.T
    return bands_first[::-1, :: -(-bands_first.shape[1] // WIDEST)]


def png(values: Any) -> bytes:
    """A grayscale picture, dark for low values; what is not finite is white."""
    import numpy as np

    finite = np.isfinite(values)
    low, high = (values[finite].min(), values[finite].max()) if finite.any() else (0.0, 1.0)
    scaled = np.where(finite, (values - low) / max(high - low, 1e-12) * 254, 255.0)
    rows = np.nan_to_num(scaled, nan=255).astype(np.uint8)
    height, width = rows.shape
    raw = b"".join(b"\0" + row.tobytes() for row in rows)
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(raw)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*chunk) for chunk in chunks)


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def _wav(clip: Any) -> str:
    import numpy as np

    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setparams((1, 2, clip.rate or 16_000, 0, "NONE", ""))
        sound.writeframes((np.nan_to_num(clip.samples).clip(-1, 1) * 32767).astype("<i2").tobytes())
    return base64.b64encode(file.getvalue()).decode()
