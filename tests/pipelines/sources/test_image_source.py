"""Images and screenshots as items: time, text with places, attributes, descriptions by a model."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from PIL import Image
from pydantic import SecretStr

from brain_pipelines.readers.event_time import date_in_name
from brain_pipelines.readers.image.describe_image import describe_image
from brain_pipelines.readers.image.exif_time import exif_time
from brain_pipelines.sources import image, screenshot
from brain_retrieval.errors import BadInputError, ModelCallError
from brain_retrieval.settings import OcrSettings, VisionSettings, load_settings
from tests.fake_openai import FakeOpenAI
from tests.fake_openai_replies import chat_content, refusal, server_error
from tests.paths import ROOT
from tests.pipelines.readers.image.drawn import draw_lines, phone_exif
from tests.samples.pictures import read_once
from tests.samples.shared import ReadSample
from tests.samples.taking import take_one

SAMPLES = ROOT / "data/samples/alice"
SEEN = {
    "description": "A blue sign at a viewpoint. It names opening hours.",
    "visibleText": ["Miradouro da Senhora"],
    "entities": [{"type": "place", "name": "Lisboa", "confidence": 0.9}],
    "context": "Likely a holiday photo.",
    "relationships": [{"from": "sign", "to": "Lisboa", "type": "stands in"}],
}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("IMG_20260105_101112.jpg", "2026-01-05T10:11:12"),
        ("PXL_20260105_101112345.jpg", "2026-01-05T11:11:12"),  # in UTC
        ("Screenshot 2026-01-05 at 10.11.12.png", "2026-01-05T10:11:12"),
        ("Screenshot 2026-01-05 at 9.05.12\u202fPM.png", "2026-01-05T21:05:12"),
        ("Screenshot_20260105-101112.png", "2026-01-05T10:11:12"),
        ("Screenshot from 2026-01-05 10-11-12.png", "2026-01-05T10:11:12"),
        ("Bildschirmfoto 2026-01-05 um 10.11.12.png", "2026-01-05T10:11:12"),
        ("WhatsApp Image 2026-01-05 at 10.11.12.jpeg", "2026-01-05T10:11:12"),
        ("signal-2026-01-05-101112.png", "2026-01-05T10:11:12"),
        ("IMG-20260105-WA0001.jpg", "2026-01-05T12:00:00"),
        ("2026-01-05 99.99.99.png", "2026-01-05T12:00:00"),
        ("2026-01-05-kickoff.png", "2026-01-05T12:00:00"),
    ],
)
def test_time_in_the_name(name: str, expected: str) -> None:
    zone = ZoneInfo("Europe/Berlin")
    found = date_in_name(name, zone)
    assert found is not None
    assert found.astimezone(zone).replace(tzinfo=None) == datetime.fromisoformat(expected)


@pytest.mark.parametrize(("form", "suffix"), [("JPEG", "jpg"), ("PNG", "png"), ("WEBP", "webp"), ("TIFF", "tif")])
def test_time_of_the_camera(tmp_path: Path, form: str, suffix: str) -> None:
    path = tmp_path / f"picture.{suffix}"
    Image.new("RGB", (60, 60), "blue").save(path, form, exif=phone_exif().tobytes())
    assert exif_time(path, UTC) == datetime(2026, 2, 7, 15, 42, 10, tzinfo=UTC)
    taken = take_one("image", path)
    assert (taken.item.event_from, taken.item.event_at.hour) == ("metadata", 15)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff\xd8\xff",
        b"II*\0\xff\xff\xff\xff",
        b"Exif\0\0II*\0\x08\0\0\0\xff\xff" + b"\x69\x87" * 50,
        b"MM\0*" * 999,
    ],
)
def test_broken_image_has_no_exif_time(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "broken"
    path.write_bytes(data)
    assert exif_time(path, UTC) is None


def test_the_photo_of_a_sign(read_sample: ReadSample) -> None:
    (taken,) = read_sample(SAMPLES / "image/miradouro.jpg")
    assert taken.document is not None
    attributes = json.loads(taken.document["attributes"])
    assert taken.item.event_at == datetime(2026, 2, 7, 16, 42, 10, tzinfo=UTC)
    assert taken.document["title"] == "Miradouro da Senhora"
    assert "Taken on 2026-02-07 at 16:42 with Fairphone FP5" in taken.text
    assert attributes["gps"] == {"lat": 38.7169, "lon": -9.131167, "altitude": 79.0}
    description = attributes["description"]
    assert set(description) == {"description", "visibleText", "entities", "context", "relationships", "describer"}
    assert description["describer"] == "local"
    assert description["entities"] == []
    assert {segment["kind"] for segment in taken.segments} == {"generated", "image"}
    (sign,) = [a for a in taken.document["anchors"] if taken.text[a["start"] : a["end"]] == "Miradouro da Senhora"]
    left, top, right, bottom = sign["box"]
    assert left < 0.4 < 0.6 < right
    assert 0.35 < top < bottom < 0.65


def test_the_screenshot_of_an_error_reads_dialog_after_side_bar(read_sample: ReadSample) -> None:
    (taken,) = read_sample(SAMPLES / "screenshot/Screenshot 2026-01-29 at 15.20.41.png")
    assert (taken.item.event_at.isoformat(), taken.item.event_from) == ("2026-01-29T15:20:41+00:00", "name")
    dialog = taken.text.index("Preview could not be built")
    assert (
        taken.text.index("Settings") < dialog < taken.text.index("Error TBL-4102: token --color-accent is not defined")
    )


def test_the_code_on_a_ticket(read_sample: ReadSample) -> None:
    (taken,) = read_sample(SAMPLES / "image/2026-02-11 train ticket.png")
    assert taken.document is not None
    assert taken.text.endswith("QRCode: TICKET CS-2026-03-20 A4-52 K7Q9")
    assert taken.text.count("K7Q9") == 2  # in the description, and as a segment with a box
    assert taken.segments[-1]["box"][0] > 0.5
    assert json.loads(taken.document["attributes"])["codes"][0]["format"] == "QRCode"


def test_picture_without_text_has_a_description(tmp_path: Path) -> None:
    path = tmp_path / "sky.png"
    Image.new("RGB", (200, 100), (140, 190, 235)).save(path)
    taken = take_one("image", path)
    assert "mostly light blue" in taken.text
    assert "text" not in taken.text


def test_disabled_ocr_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "note.png"
    draw_lines([((20, 20), "Lisbon")], (300, 100)).save(path)
    settings = load_settings().model_copy(update={"ocr": OcrSettings(provider="off")})
    taken = take_one("image", path, settings=settings)
    assert "Lisbon" not in taken.text
    assert taken.reasons == ["the text in it was not recognised: text recognition is switched off"]


def test_settings_that_change_the_text() -> None:
    plain = load_settings()
    for source in (image.SOURCE, screenshot.SOURCE):
        config = source.text_config
        for changed in (
            {"ocr": OcrSettings(max_side=1000)},
            {"vision": VisionSettings(provider="openai")},
            {"ocr": OcrSettings(min_confidence=0.7)},
        ):
            assert config(plain.model_copy(update=changed)) != config(plain)
        same = {"ocr": OcrSettings(threads=2), "vision": VisionSettings(model="other", api_key=SecretStr("sk-x"))}
        assert config(plain.model_copy(update=same)) == config(plain)


@pytest.fixture(scope="module")
def sign(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    path = tmp_path_factory.mktemp("sign") / "sign.png"
    draw_lines([((20, 40), "Miradouro da Senhora")], (420, 120)).save(path)
    with read_once():
        yield path


def _with_model(server: FakeOpenAI):
    vision = VisionSettings(
        provider="openai", model="eye-1", base_url=server.base_url, api_key=SecretStr("sk-secret"), max_attempts=1
    )
    return load_settings().model_copy(update={"vision": vision})


def test_what_a_vision_model_sees(sign: Path) -> None:
    with FakeOpenAI(chat=lambda body: json.dumps(SEEN)) as server:
        text, description = describe_image(sign, _with_model(server))
        (request,) = server.requests
    assert text == f"{SEEN['description']}\n\n{SEEN['context']}\n\nMiradouro da Senhora"
    assert description.as_json() == {**SEEN, "describer": "eye-1"}
    parts = request.body["messages"][1]["content"]
    assert [part["type"] for part in parts] == ["text", "image_url", "text"]
    assert parts[1]["image_url"]["url"].startswith("data:image/png;base64,")
    assert "Miradouro da Senhora" in parts[2]["text"]
    assert "<data id=" in parts[2]["text"]
    schema = request.body["response_format"]["json_schema"]["schema"]
    assert set(schema["required"]) == set(SEEN)


@pytest.mark.parametrize(
    "replies", [[refusal()], [chat_content("no"), chat_content("{}")]], ids=["refusal", "nonsense"]
)
def test_a_model_that_cannot_answer_leaves_the_local_description(sign: Path, replies: list) -> None:
    with FakeOpenAI() as server:
        server.script(*replies)
        _, description = describe_image(sign, _with_model(server))
    assert description.describer == "local"
    assert description.remark.startswith("described without a vision model: ")
    assert "sk-secret" not in description.remark


def test_failing_endpoint_leads_to_a_retry(sign: Path) -> None:
    with FakeOpenAI() as server:
        server.script(server_error())
        with pytest.raises(ModelCallError) as failure:
            describe_image(sign, _with_model(server))
    assert "sk-secret" not in str(failure.value)


def test_a_question_with_a_file_that_is_no_picture(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("no picture")
    with pytest.raises(BadInputError, match="not read as a picture"):
        describe_image(path, load_settings())
