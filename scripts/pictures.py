# Part of gst-capture. Apache License 2.0, see LICENSE.
"""Many different pictures, for scripts that fill libraries."""


def dated(picture, count):
    """Yields a number and the bytes of a picture for each number, with another day in its tags and other last bytes."""
    place = picture.index(b"20", picture.index(b"Exif"))
    for number in range(count):
        date = f"20{number % 20:02}:{number % 12 + 1:02}:{number % 28 + 1:02}".encode()
        yield number, picture[:place] + date + picture[place + len(date):] + str(number).encode()


def write_dated(picture, count, folder):
    """Writes such pictures, a thousand in a folder."""
    for number, content in dated(picture, count):
        inner = folder / f"{number // 1000:03}"
        inner.mkdir(parents=True, exist_ok=True)
        (inner / f"{number:06}.jpg").write_bytes(content)
