"""Pictures and recordings as questions: real text and speech recognition, real stores, the limits, the command."""

import io
import json
import wave
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from brain_retrieval.brain import Brain
from brain_retrieval.errors import InvalidQueryError
from brain_retrieval.query.media_question import MediaQuestion, audio_question, image_question
from brain_retrieval.settings import Limits, Settings, load_settings
from tests.paths import ROOT
from tests.pipelines.readers.image.drawn import draw_lines, save_png
from tests.retrieval.library import fill, note_rows, row
from tests.retrieval.serve.test_search_commands import run
from tests.samples.pictures import read_once

SPEECH = ROOT / "tests" / "samples" / "jfk.opus"
PAGE = [((60, 40), "Router manual"), ((60, 120), "error code E-4711"), ((60, 200), "restart the device twice")]


@pytest.fixture(scope="module")
def settings() -> Settings:
    return load_settings()


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("media")
    speech = row("note", "speech.md", "2026-01-20", "Ask what you can do for your country, the president said.")
    fill(home, "alice", [*note_rows(), speech])
    return home


@pytest.fixture
def brain(home: Path) -> Iterator[Brain]:
    with Brain.open(home, user="alice") as opened:
        yield opened


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    return save_png(draw_lines(PAGE, (900, 300)), tmp_path / "manual.png")


@pytest.fixture(scope="module", autouse=True)
def remembered() -> Iterator[None]:
    with read_once():  # most tests ask with the same picture
        yield


def limited(settings: Settings, **limits: float) -> Settings:
    return settings.model_copy(update={"limits": Limits.model_validate(limits)})


def test_a_picture_is_asked_with_its_description_and_its_text(picture: Path, settings: Settings) -> None:
    asked = image_question(picture, "what is this?", settings)
    assert asked.text.startswith("what is this? Image shows: A picture (PNG, 900 by 300 pixels).")
    assert "E-4711" in asked.text and "restart the device twice" in asked.text
    assert asked.words.startswith("what is this?") and "E-4711" in asked.words and "pixels" not in asked.words
    assert (asked.intent, asked.warnings) == ("exploratory", ())
    assert image_question(picture, "a page", settings).text.startswith("a page. Image shows: A")
    assert image_question(picture, "", settings).text.startswith("Image shows: ")


def test_a_picture_finds_the_passage_about_its_text(brain: Brain, picture: Path) -> None:
    for given in (str(picture), picture.read_bytes()):
        found = brain.search_image(given, k=2, log=False)
        assert "E-4711" in found[0].text and not found.warnings
    text = "Sourdough starter: how long to bake?"
    assert any("Sourdough" in hit.text for hit in brain.search_image(picture, text, k=2, log=False))
    asked = image_question(picture, "", brain.settings)
    assert brain.search(asked, sources="conversation", log=False) == []
    assert "E-4711" in brain.context(asked, 200, log=False).text


def test_a_media_question_is_exploratory_and_its_words_go_to_the_lexical_retriever(brain: Brain) -> None:
    asked = MediaQuestion("Image shows: a picture of 900 pixels", "router error", "exploratory", ("dim",))
    question = brain._searcher.questions.read(asked)
    assert (question.intent, question.strategy) == ("exploratory", "hybrid_balanced")
    assert question.text == asked.text and set(question.words.split()) == {"router", "error"}
    assert "dim" in question.warnings
    said = brain._searcher.questions.read(MediaQuestion("when was the launch of Phoenix"))
    assert said.intent == brain._searcher.questions.read("when was the launch of Phoenix").intent != "exploratory"


def test_a_picture_without_text_says_so(brain: Brain, settings: Settings) -> None:
    plain = io.BytesIO()
    Image.new("RGB", (300, 200), "navy").save(plain, "JPEG")
    assert image_question(plain.getvalue(), "", settings).warnings
    assert any("no text is recognised" in w for w in brain.search_image(plain.getvalue(), log=False).warnings)
    assert image_question(plain.getvalue(), "a navy square", settings).warnings == ()


def test_a_recording_is_asked_with_what_is_said_in_it(brain: Brain) -> None:
    found = brain.search_audio(SPEECH, k=1, log=False)
    assert "country" in found[0].text
    assert "ask not what your country" in audio_question(str(SPEECH), brain.settings).text


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"max_file_bytes": 100}, "the picture is too large: "),
        ({"max_pixels": 1000}, "the picture has 900 x 300 pixels, the limit is 0.001 million"),
    ],
)
def test_limits_of_a_picture(picture: Path, settings: Settings, limits: dict[str, float], message: str) -> None:
    for given in (picture, picture.read_bytes()):
        with pytest.raises(InvalidQueryError, match=message):
            image_question(given, "", limited(settings, **limits))


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"max_media_bytes": 100}, "the recording is too large: "),
        ({"max_audio_seconds": 3.0}, "the recording is too long: the limit is 3 s"),
        ({"media_seconds": 1e-9}, "takes more than 1e-09 s to unpack"),
    ],
)
def test_limits_of_a_recording(settings: Settings, limits: dict[str, float], message: str) -> None:
    with pytest.raises(InvalidQueryError, match=message):
        audio_question(SPEECH, limited(settings, **limits))


def test_what_is_no_picture_or_recording(tmp_path: Path, picture: Path, settings: Settings) -> None:
    note = tmp_path / "a.txt"
    note.write_text("secret words")
    cut = picture.read_bytes()[:300]
    for given in (note, b"secret words", b"", cut):
        with pytest.raises(InvalidQueryError, match=r"^the picture cannot be read: .* \(\w+\)$"):
            image_question(given, "", settings)
    for given in (note, picture):
        with pytest.raises(InvalidQueryError, match=r"^the recording (cannot be read: .* \(\w+\)|has no sound)$"):
            audio_question(given, settings)
    for ask in (lambda: image_question(tmp_path / "no.png", "", settings), lambda: audio_question("no.wav", settings)):
        with pytest.raises(InvalidQueryError, match="does not exist"):
            ask()


def test_a_recording_without_speech(tmp_path: Path, settings: Settings) -> None:
    with wave.open(str(tmp_path / "silence.wav"), "wb") as silence:
        silence.setparams((1, 2, 16_000, 0, "NONE", ""))
        silence.writeframes(bytes(2 * 16_000))
    with pytest.raises(InvalidQueryError, match="no speech is recognised"):
        audio_question(tmp_path / "silence.wav", settings)


def test_the_command_takes_a_file(home: Path, picture: Path) -> None:
    common = ("--user", "alice", "--home", home, "--json", "--k", "1")
    done = run("search", "what is this", "--image", picture, *common)
    assert done.exit_code == 0, done.output
    assert "E-4711" in json.loads(done.stdout)["hits"][0]["text"]
    assert json.loads(done.stdout)["query"].startswith("what is this. Image shows: ")
    assert "asked: what is this. Image shows:" in done.stderr
    heard = run("search", "--audio", SPEECH, *common)
    assert "country" in json.loads(heard.stdout)["query"]
    for wrong in ((), ("words", "--audio", SPEECH), ("--image", picture, "--audio", SPEECH)):
        failed = run("search", *wrong, *common)
        assert failed.exit_code == 2 and "give a QUERY" in json.loads(failed.stdout)["message"]
