"""What redacted text depends on, apart from the patterns: comparing versions of stages needs none of them."""

import importlib.util

from brain_retrieval.errors import InvalidSettingsError
from brain_retrieval.settings import Settings

VERSION = "2"
MISSING_EXTRA = 'privacy.detector "presidio" needs the extra: pip install "brain[pii]" (or set it to "patterns")'


def config(settings: Settings) -> list[str]:
    """Return the settings that the redacted text depends on; empty when redaction is off.

    Raises:
        InvalidSettingsError: if the detector needs an extra that is not installed. It is not the fault of an item.
    """
    if not settings.privacy.redact:
        return []
    if settings.privacy.detector == "presidio" and importlib.util.find_spec("presidio_analyzer") is None:
        raise InvalidSettingsError(MISSING_EXTRA)
    return [settings.privacy.detector, VERSION]
