"""Speech recognition by any endpoint with OpenAI's `/v1/audio/transcriptions` API, with word and segment times.

A recording is sent in pieces below the endpoint's 25 MB, cut in pauses. Retries and errors live in `openai_calls`.
"""

import copy
import io
import time
import wave
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np

from brain_retrieval.errors import ModelCallError
from brain_retrieval.models.chat.metering import Meter
from brain_retrieval.models.chat.openai_calls import call, open_client, resolve_key
from brain_retrieval.models.chat.pace import Pace
from brain_retrieval.models.chat.protocol import Usage
from brain_retrieval.models.speech.protocol import Progress, Transcript, Utterance
from brain_retrieval.models.speech.speech_words import place_words
from brain_retrieval.models.speech.waveform import RATE, Window, duration_of, windows
from brain_retrieval.settings import SpeechSettings

MAX_BYTES = 24_000_000  # of one request; OpenAI takes 25 MB
WINDOW_SECONDS = MAX_BYTES / (2 * RATE)
MAX_COMPRESSION_RATIO, MIN_LOG_PROBABILITY, MAX_NO_SPEECH = 2.4, -1.0, 0.6  # Whisper's own thresholds
TOKENS_PER_SECOND = 10  # of sound, where the endpoint reports no tokens: what OpenAI's models take
TASK = "speech"
SILENCE = 10 ** (-70 / 20)  # peak amplitude (-70 dBFS) below which a window is not sent
# Whisper returns language names; Brain uses ISO 639-1 codes.
_LANGUAGES = (
    "en english zh chinese de german es spanish ru russian ko korean fr french ja japanese pt portuguese tr turkish "
    "pl polish ca catalan nl dutch ar arabic sv swedish it italian id indonesian hi hindi fi finnish vi vietnamese "
    "he hebrew uk ukrainian el greek ms malay cs czech ro romanian da danish hu hungarian ta tamil no norwegian "
    "th thai ur urdu hr croatian bg bulgarian lt lithuanian la latin sk slovak fa persian lv latvian bn bengali "
    "sr serbian sl slovenian et estonian is icelandic eu basque gl galician af afrikaans cy welsh"
).split()
LANGUAGE_CODES: Mapping[str, str] = dict(zip(_LANGUAGES[1::2], _LANGUAGES[::2], strict=True))


class OpenAITranscriber:
    """Transcripts from a remote model, one request per window of a recording."""

    def __init__(
        self,
        settings: SpeechSettings,
        *,
        window_seconds: float = WINDOW_SECONDS,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Check the settings; nothing is opened yet. `window_seconds` is the length of sound per request.

        Raises:
            InvalidSettingsError: no key for OpenAI's own endpoint.
        """
        self.name = settings.model
        self._settings = settings
        self._seconds = window_seconds
        self._key = resolve_key(settings.api_key, settings.base_url, variable="BRAIN_SPEECH__API_KEY")
        self._sleep = sleep
        self._pace = Pace()
        self._meter: Meter | None = None

    def metered(self, meter: Meter) -> Self:
        """Return this transcriber with its requests counted by `meter` and held back by its budget."""
        _ = self._client  # shared by the copies
        counted = copy.copy(self)
        counted._meter = meter
        return counted

    def transcribe(self, sound: Path, *, language: str | None = None, progress: Progress | None = None) -> Transcript:
        """Return the transcript of a recording; see `Transcriber`.

        Raises:
            BudgetExceededError: a request was not sent.
            ModelCallError: the endpoint failed after all attempts or gave an invalid answer.
        """
        kept: list[Utterance] = []
        dropped = 0
        for window in windows(sound, self._seconds):
            if len(window.samples) and float(np.abs(window.samples).max()) > SILENCE:
                answer = self._request(window, language)
                try:
                    found = _utterances(answer, window)
                except (AttributeError, KeyError, TypeError, ValueError) as error:
                    raise ModelCallError(
                        f"{self.name}: segments without text or times ({type(error).__name__})"
                    ) from None
                good = [utterance for utterance, is_speech in found if is_speech]
                dropped += len(found) - len(good)
                kept.extend(good)
                if language is None and good:
                    language = _code(answer.get("language"))
            if progress is not None:
                progress(window.seconds)
        return Transcript(language, tuple(kept), duration_of(sound), self.name, None, dropped)

    @cached_property
    def _client(self) -> Any:
        wait = self._settings.timeout_seconds
        return open_client(self._key, base_url=self._settings.base_url, timeout_seconds=wait, pace=self._pace)

    def _request(self, window: Window, language: str | None) -> dict[str, Any]:
        tokens, money = round(window.seconds * TOKENS_PER_SECOND), self._price(window)
        if self._meter is not None:
            self._meter.allow(tokens, money)
        began = time.perf_counter()
        answer = self._ask(window, language, tokens)
        if self._meter is not None:
            used = answer.get("usage") or {}
            reported = (int(used.get("input_tokens") or tokens), int(used.get("output_tokens") or 0))
            self._meter.count(Usage(self.name, TASK, *reported, time.perf_counter() - began), money)
        return answer

    def _price(self, window: Window) -> float:
        return window.seconds / 60 * (self._settings.minute_price or 0.0)

    def _ask(self, window: Window, language: str | None, tokens: int) -> dict[str, Any]:
        data = _wav(window.samples)
        options: dict[str, Any] = {"language": language} if language else {}

        def send() -> dict[str, Any]:
            answer = self._client.audio.transcriptions.create(
                model=self.name,
                file=("sound.wav", data, "audio/wav"),
                response_format="verbose_json",
                timestamp_granularities=["word", "segment"],
                temperature=0,
                **options,
            )
            return answer.to_dict()

        return call(
            send,
            what=f"transcribing with {self.name}",
            secret=self._key,
            max_attempts=self._settings.max_attempts,
            sleep=self._sleep,
            pace=self._pace,
            tokens=tokens,
        )


def _utterances(answer: Mapping[str, Any], window: Window) -> list[tuple[Utterance, bool]]:
    """Return the segments of an answer and whether each is speech; a text without segments is one segment."""
    segments: Sequence[Any] = answer.get("segments") or ()
    if not segments and str(answer.get("text") or "").strip():
        segments = [{"text": answer["text"], "start": 0.0, "end": window.seconds}]
    words = [(str(w["word"]), float(w["start"]), float(w["end"])) for w in answer.get("words") or ()]
    found = []
    for segment in segments:
        text, start, end = str(segment["text"]).strip(), float(segment["start"]), float(segment["end"])
        own = [w for w in words if start - 0.01 <= (w[1] + w[2]) / 2 < end + 0.01]
        probability = float(np.exp(min(0.0, float(segment.get("avg_logprob") or 0.0))))
        placed = place_words(text, own, offset=window.start, probability=round(probability, 3))
        utterance = Utterance(text, round(window.start + start, 3), round(window.start + end, 3), placed)
        found.append((utterance, bool(text) and _is_speech(segment)))
    return found


def _is_speech(segment: Mapping[str, Any]) -> bool:
    if float(segment.get("compression_ratio") or 0.0) > MAX_COMPRESSION_RATIO:
        return False
    silent = float(segment.get("no_speech_prob") or 0.0) > MAX_NO_SPEECH
    return not (silent and float(segment.get("avg_logprob") or 0.0) < MIN_LOG_PROBABILITY)


def _code(language: Any) -> str | None:
    name = str(language or "").strip().lower()
    return LANGUAGE_CODES.get(name, name if len(name) == 2 else None)


def _wav(samples: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as output:
        output.setparams((1, 2, RATE, 0, "NONE", ""))
        output.writeframes(np.round(samples * 32768.0).clip(-32768, 32767).astype("<i2").tobytes())
    return buffer.getvalue()
