"""Factories of the face finder, the OCR reader and the image describer of the settings. See `protocol.py`."""

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from brain_retrieval.models.chat.protocol import ChatModel
from brain_retrieval.models.vision.protocol import Describer, OcrReader
from brain_retrieval.models.weights.first_use import obtain
from brain_retrieval.models.weights.manifest import find_entry
from brain_retrieval.models.weights.weights import is_installed
from brain_retrieval.settings import OcrSettings, Settings, VisionSettings

if TYPE_CHECKING:
    from brain_retrieval.models.vision.faces import FaceFinder

FACES = "mtcnn"  # entry of the manifest


def build_ocr(settings: Settings) -> OcrReader | None:
    """Return the OCR reader of these settings, cached by settings; None if it is "off".

    Raises:
        ModelMissingError: the package or its weights are not installed.
    """
    return _ocr(settings.ocr)


@lru_cache(maxsize=2)
def _ocr(settings: OcrSettings) -> OcrReader | None:
    if settings.provider == "off":
        return None
    from brain_retrieval.models.vision.ocr_rapid import RapidReader

    return RapidReader(settings)


def build_describer(settings: Settings, counted: Callable[[ChatModel], ChatModel | None] | None = None) -> Describer:
    """Return the describer of these settings; `counted` may wrap its chat model, to count costs.

    Raises:
        InvalidSettingsError: OpenAI's own endpoint without a key.
    """
    if settings.vision.provider == "openai" and counted is not None:
        from brain_retrieval.models.vision.vision_openai import OpenAIDescriber

        return OpenAIDescriber(settings.vision, counted)
    return _describer(settings.vision)


@lru_cache(maxsize=2)
def _describer(settings: VisionSettings) -> Describer:
    if settings.provider == "openai":
        from brain_retrieval.models.vision.vision_openai import OpenAIDescriber

        return OpenAIDescriber(settings)
    from brain_retrieval.models.vision.vision_local import LocalDescriber

    return LocalDescriber()


def build_face_finder(models_dir: Path) -> "FaceFinder | None":
    """Return the finder, the same object each time; None if its weights are not installed."""
    return _faces(models_dir) if has_face_finder(models_dir) else None


def has_face_finder(models_dir: Path) -> bool:
    """Return whether the weights are installed."""
    return is_installed(find_entry(FACES), models_dir)


@lru_cache(maxsize=1)
def _faces(models_dir: Path) -> "FaceFinder":
    from brain_retrieval.models.vision.faces import FaceFinder

    return FaceFinder(obtain(find_entry(FACES), models_dir))
