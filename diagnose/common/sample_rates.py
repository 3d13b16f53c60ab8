"""The sample rate that the samples of a clip have, where its header may be wrong."""

USUAL = (8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000)
NEAR = 0.01  # of the rate; the nearest two usual ones differ by 8 %
ROWS = 3  # one clip may have a duration that fits another rate by chance, three hardly the same one


def rate_by_duration(header: int, header_seconds: float, seconds: float) -> int | None:
    """The usual rate at which the samples last so many seconds; None if it is that of the header, or there is none."""
    fits = header_seconds * header / seconds
    rate = min(USUAL, key=lambda usual: abs(fits - usual))
    return rate if rate != header and abs(fits / rate - 1) < NEAR else None
