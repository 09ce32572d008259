"""Reading of image files in the sandbox: measured attributes, refusals, bounded cost of hostile files."""

import io
import struct
import time
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from brain_pipelines.readers.extracted import Extracted
from brain_pipelines.readers.image.codes import confirmed, read_codes
from brain_pipelines.readers.image.image import READ_SIDE
from brain_pipelines.readers.registry import readers_of
from brain_retrieval.errors import BadInputError
from brain_retrieval.settings import Limits
from tests.pipelines.readers.image.drawn import draw_lines, phone_exif


@pytest.fixture
def read(tmp_path: Path):
    scratch = tmp_path / "scratch"
    scratch.mkdir()

    def read_it(data: bytes, name: str = "file", reader: str = "png", **limits: Any) -> Extracted:
        path = tmp_path / name
        path.write_bytes(data)
        return readers_of()[reader](path, Limits(**limits), scratch)

    return read_it


def encoded(image: Image.Image, form: str, **options: Any) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, form, **options)
    return buffer.getvalue()


def noise(width: int = 320, height: int = 240) -> Image.Image:
    rng = np.random.default_rng(7)
    return Image.fromarray(rng.integers(0, 255, (height, width, 3), dtype=np.uint8))


@pytest.mark.parametrize(
    ("form", "detected"),
    [
        ("PNG", "png"),
        ("JPEG", "jpeg"),
        ("GIF", "gif"),
        ("WEBP", "webp"),
        ("TIFF", "tiff"),
        ("BMP", "bmp"),
        ("AVIF", "avif"),
        ("HEIF", "heic"),
        ("ICO", "ico"),
        ("JPEG2000", "jp2"),
    ],
)
def test_every_format_becomes_one_plain_png(read, tmp_path: Path, form: str, detected: str) -> None:
    if form == "HEIF":
        import pillow_heif

        pillow_heif.register_heif_opener()
    image = draw_lines([((20, 20), "Lisbon")], (200, 100))
    options = {"sizes": [(200, 100)]} if form == "ICO" else {}
    found = read(encoded(image, form, **options))
    assert found.format == detected
    assert (found.attributes["width"], found.attributes["height"]) == (200, 100)
    (block,) = found.blocks
    assert block.text == ""
    with Image.open(tmp_path / "scratch" / str(block.picture)) as png:
        assert (png.format, png.mode, png.size) == ("PNG", "RGB", (200, 100))


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGBA", "CMYK", "I;16", "I", "F"])
def test_contrast_is_kept_in_every_colour_mode(read, tmp_path: Path, mode: str) -> None:
    grey = draw_lines([((20, 20), "Lisbon")], (200, 100)).convert("L")
    image = Image.fromarray(np.asarray(grey, dtype=np.uint16) * 200) if mode == "I;16" else grey.convert(mode)
    read(encoded(image, "TIFF" if mode in ("CMYK", "F") else "PNG"))
    with Image.open(tmp_path / "scratch" / "page-1.png") as png:
        low, high = png.convert("L").getextrema()
    assert high - low > 200


def test_light_transparent_drawing_gets_a_black_background(read, tmp_path: Path) -> None:
    image = Image.new("RGBA", (80, 40), (0, 0, 0, 0))
    image.paste((255, 255, 255, 255), (10, 10, 40, 30))
    read(encoded(image, "PNG"))
    with Image.open(tmp_path / "scratch" / "page-1.png") as png:
        assert png.getpixel((0, 0)) == (0, 0, 0)
        assert png.getpixel((20, 20)) == (255, 255, 255)


def test_camera_data(read) -> None:
    image = noise()
    found = read(encoded(image, "JPEG", exif=phone_exif())).attributes
    assert found["captured_at"] == "2026-02-07T16:42:10+01:00"
    assert (found["make"], found["model"]) == ("Fairphone", "FP5")
    assert found["gps"] == {"lat": 38.7169, "lon": -9.131167, "altitude": 79.0}
    assert found["kind_guess"]["kind"] == "photo"
    assert "a camera is named in it" in found["kind_guess"]["reasons"]


def test_exif_orientation_is_applied(read, tmp_path: Path) -> None:
    image = Image.new("RGB", (60, 30), "white")
    image.paste("black", (0, 0, 10, 10))
    exif = image.getexif()
    exif[0x0112] = 6  # to be turned clockwise
    found = read(encoded(image, "PNG", exif=exif))
    assert (found.attributes["width"], found.attributes["height"]) == (30, 60)
    with Image.open(tmp_path / "scratch" / "page-1.png") as png:
        assert png.size == (30, 60)
        assert png.getpixel((25, 5)) == (0, 0, 0)


def test_measured_facts(read) -> None:
    image = Image.new("RGB", (1280, 720), (45, 95, 200))
    image.paste((248, 248, 248), (0, 0, 1280, 200))
    found = read(encoded(image, "PNG")).attributes
    assert [(c["name"], c["share"]) for c in found["colours"]] == [("blue", 0.72), ("white", 0.28)]
    assert 0.4 < found["brightness"] < 0.6
    assert found["kind_guess"]["kind"] == "screenshot"
    again = read(encoded(image.resize((640, 360)), "PNG")).attributes
    assert found["perceptual_hash"] == again["perceptual_hash"]
    assert len(found["perceptual_hash"]) == 16


def test_codes_with_their_boxes(read) -> None:
    import zxingcpp

    page = Image.new("RGB", (600, 400), "white")
    for text, kind, place in (
        ("https://example.org/ticket", zxingcpp.QRCode, (30, 30)),
        ("4006381333931", zxingcpp.EAN13, (330, 250)),
    ):
        dots = np.asarray(zxingcpp.create_barcode(text, kind).to_image(scale=2 if kind == zxingcpp.EAN13 else 6))
        page.paste(Image.fromarray(dots), place)
    codes = read(encoded(page, "PNG")).attributes["codes"]
    assert [(code["format"], code["text"]) for code in codes] == [
        ("QRCode", "https://example.org/ticket"),
        ("EAN13", "4006381333931"),
    ]
    assert all(0 <= c["box"][0] < c["box"][2] <= 1 and 0 <= c["box"][1] < c["box"][3] <= 1 for c in codes)


def drawn_code(kind: str, text: str) -> Image.Image:
    import zxingcpp

    page = Image.new("RGB", (700, 300), "white")
    dots = np.asarray(zxingcpp.create_barcode(text, zxingcpp.barcode_format_from_str(kind)).to_image(scale=3))
    page.paste(Image.fromarray(dots), (40, 60))
    return page


@pytest.mark.parametrize(
    ("kind", "text", "found"),
    [
        ("Code39", "PARCEL-39", "PARCEL-39"),
        ("ITF", "12345678", "12345678"),
        ("Codabar", "A4012345B", "A4012345B"),
        ("DataBarOmni", "0950110153001", "(01)09501101530010"),
        ("ITF", "1234", None),  # lines look like so short a code by chance
    ],
)
def test_codes_without_a_strong_check_are_read_from_a_length_on(kind: str, text: str, found: str | None) -> None:
    codes = [(code["format"], code["text"]) for code in read_codes(drawn_code(kind, text))]
    assert codes == ([(kind, found)] if found else [])


def test_a_code_that_no_other_size_of_the_picture_shows_is_not_reported() -> None:
    page = drawn_code("ITF", "12345678")
    assert confirmed(page, {("ITF", "12345678"), ("ITF", "87654321")}) == {("ITF", "12345678")}


def test_pages_of_a_tiff_and_frames_of_an_animation(read) -> None:
    pages = [Image.new("L", (50, 50), shade) for shade in (0, 90, 180)]
    tiff = read(encoded(pages[0], "TIFF", save_all=True, append_images=pages[1:]))
    assert [block.page for block in tiff.blocks] == [1, 2, 3]
    assert tiff.attributes["pages"] == 3
    gif = read(encoded(pages[0], "GIF", save_all=True, append_images=pages[1:]))
    assert len(gif.blocks) == 1
    assert gif.attributes["frames"] == 3
    assert gif.repairs == ["an animation of 3 frames: only the first was read"]


def test_a_large_picture_is_scaled_down(read, tmp_path: Path) -> None:
    found = read(encoded(Image.new("RGB", (6000, 3000), "white"), "JPEG"))
    assert found.attributes["width"] == 6000
    with Image.open(tmp_path / "scratch" / "page-1.png") as png:
        assert png.size == (READ_SIDE, READ_SIDE // 2)


def test_text_of_an_svg(read) -> None:
    svg = b'<svg xmlns="http://www.w3.org/2000/svg"><title>Plan</title><g><text>Hall <tspan>B</tspan></text></g></svg>'
    found = read(svg, reader="svg")
    assert (found.title, found.blocks[0].text) == ("Plan", "Plan\nHall B")
    bomb = b'<!DOCTYPE s [<!ENTITY a "x"><!ENTITY b "&a;&a;">]><svg><text>&b; seen</text></svg>'
    assert "x" not in read(bomb, reader="svg").blocks[0].text
    for bad in (b"<svg><rect/></svg>", b"<svg><text>cut"):
        with pytest.raises(BadInputError):
            read(bad, reader="svg")


def png_bomb(width: int, height: int) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = zlib.compress(b"\0" * 4_000_000, 9)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def circular_tiff() -> bytes:
    entries = [(256, 3, 1, 4), (257, 3, 1, 4), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1), (273, 4, 1, 8)]
    entries += [(277, 3, 1, 1), (278, 3, 1, 4), (279, 4, 1, 16)]
    directory = struct.pack("<H", len(entries)) + b"".join(struct.pack("<HHII", *entry) for entry in entries)
    return b"II*\0" + struct.pack("<I", 24) + b"\x80" * 16 + directory + struct.pack("<I", 24)


def exif_loop() -> bytes:
    exif = b"II*\0\x08\0\0\0" + struct.pack("<HHHII", 2, 0x8769, 4, 1, 8) + struct.pack("<HHII", 0x8825, 4, 1, 8)
    data = b"Exif\0\0" + exif + struct.pack("<I", 8)
    plain = encoded(noise(64, 64), "JPEG")
    return plain[:2] + b"\xff\xe1" + struct.pack(">H", len(data) + 2) + data + plain[2:]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        pytest.param(lambda: png_bomb(50_000, 50_000), "too many pixels: 50000 x 50000", id="bomb"),
        pytest.param(lambda: png_bomb(9_000, 9_000), "damaged or truncated", id="short-of-pixels"),
        pytest.param(lambda: encoded(noise(), "JPEG")[:4000], "damaged or truncated JPEG", id="half-jpeg"),
        pytest.param(lambda: encoded(noise(), "PNG")[:4000], "damaged or truncated PNG", id="half-png"),
        pytest.param(lambda: b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" + b"\xff" * 4000, "damaged", id="heic"),
        pytest.param(lambda: b"\0\0\0\x18ftypavif\0\0\0\0mif1avif" + b"\0" * 4000, "damaged", id="avif"),
        pytest.param(lambda: b"GIF89a" + b"\xff" * 2000, "damaged", id="gif"),
        pytest.param(lambda: b"II*\0" + b"\xff" * 2000, "damaged", id="tiff"),
        pytest.param(lambda: b"RIFF\xff\xff\0\0WEBPVP8X" + b"\xff" * 500, "damaged", id="webp"),
        pytest.param(lambda: b"%PDF-1.7\n%%EOF", "of no format that is read as a picture", id="pdf"),
    ],
)
def test_hostile_image_is_refused_quickly_with_a_reason(read, data, reason: str) -> None:
    raw = data()
    began = time.process_time()
    with pytest.raises(BadInputError, match=reason):
        read(raw, parse_memory_mb=512)
    assert time.process_time() - began < 10


def test_circular_references_terminate(read) -> None:
    assert len(read(circular_tiff()).blocks) == 1
    assert "gps" not in read(exif_loop()).attributes


def test_frame_count_of_an_animation_is_bounded(read) -> None:
    one = encoded(Image.new("P", (2, 2)), "GIF")
    start = one.index(b",\0\0\0\0")
    frame = b"\x21\xf9\x04\0\0\0\0\0" + one[start:-1]
    found = read(one[:start] + frame * 100_000 + b";")
    assert found.attributes["frames"] == 10_001
    assert found.repairs == ["an animation of more than 10000 frames: only the first was read"]


def test_pages_are_limited(read) -> None:
    pages = [Image.new("1", (8, 8)) for _ in range(5)]
    with pytest.raises(BadInputError, match="too many pages: the limit is 4"):
        read(encoded(pages[0], "TIFF", save_all=True, append_images=pages[1:]), max_scanned_pages=4)


def test_polyglot_of_picture_and_zip_is_a_picture(read) -> None:
    import zipfile

    buffer = io.BytesIO(encoded(noise(64, 64), "PNG"))
    buffer.seek(0, 2)
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.writestr("word/document.xml", "<x/>")
    assert read(buffer.getvalue()).format == "png"
