"""Redaction of names of files and folders, and of the uris made of them.

Only what is shown and derived is redacted. The landing record keeps the real name, which finds the file in the inbox,
and the id of a source is a hash of the real uri, so a new version of a file replaces the old one whether redaction is
on or off.
"""

from pathlib import PurePosixPath
from urllib.parse import quote, unquote

from brain_pipelines.landing.redaction.document import build_redactor
from brain_pipelines.landing.redaction.redactor import Finder
from brain_retrieval.ids import content_id
from brain_retrieval.settings import Settings

DIGEST = 8  # hex digits that keep apart files whose names are equal without personal data


class FileNames:
    """The names of files as they are shown under the settings."""

    def __init__(self, settings: Settings) -> None:
        self._find: Finder | None = build_redactor(settings).find if settings.privacy.redact else None

    def name(self, name: str) -> str:
        """Return a file name with the kinds of values in their place: "Jane SSN [SSN].txt".

        The placeholders have no number: numbers are given out in the text of a source, where the value may be another.
        """
        if self._find is None:
            return name
        plain = name.replace("_", " ")
        stem = plain.removesuffix(PurePosixPath(plain).suffix)
        found, in_stem = self._find(plain), self._find(stem)
        if len(in_stem) >= len(found):  # a suffix is no part of an address such as "a@b.example.pdf"
            found = in_stem
        for one in reversed(found):
            name = f"{name[: one.start]}[{one.kind}]{name[one.end :]}"
        return name

    def uri(self, uri: str) -> str:
        """Return the uri of a file or of an item in it; one that is changed ends in a hash, so that it stays unique."""
        if self._find is None:
            return uri
        file, mark, fragment = uri.partition("#")
        head, slash, path = file.partition("/")
        parts = path.split("/")
        # One that holds no personal data is kept as it is, also where its bytes are not valid UTF-8.
        shown = [self._part(part) for part in parts]
        if shown != parts:
            last = PurePosixPath(shown[-1])
            shown[-1] = f"{last.stem}~{content_id('file', file)[-DIGEST:]}{last.suffix}"
        if mark and self._find(unquote(fragment).replace("_", " ").replace("~", " ")):
            fragment = content_id("ref", fragment)
        return head + slash + "/".join(shown) + mark + fragment

    def _part(self, part: str) -> str:
        plain = unquote(part, errors="replace")
        shown = self.name(plain)
        return part if shown == plain else quote(shown, safe="~.-_[]")
