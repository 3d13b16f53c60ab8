"""Audio on an object store or a web server, by its address."""


def is_address(path: str) -> bool:
    """Whether fsspec reads it, such as s3://bucket/a.wav."""
    return "://" in path[:32]


def size_at(address: str) -> int | None:
    """Its bytes; None if it is not there."""
    import fsspec

    try:
        system, path = fsspec.core.url_to_fs(address)
        return int(system.size(path) or 0)
    except Exception:  # each file system of fsspec raises errors of its own
        return None
