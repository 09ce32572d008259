"""Text messages as "SMS Backup & Restore" writes them: XML, each message with its words in an attribute.

Its `type` says who speaks: 1 was received, 2 was sent. Messages with pictures (`mms`) have their words in parts.
"""

import re
from datetime import date, tzinfo
from xml.parsers import expat

from brain_pipelines.readers.chat.exports.export import Chat, Export, Said
from brain_retrieval.errors import BadInputError

OWNER = "Me"
LOOKED_AT = 4_000  # characters
_SENT = "2"
_MARK = re.compile(r"<smses\b")
_BEFORE = ("<?", "<!", "<smses")  # declarations and comments may stand before the first element
_NO_NAME = frozenset(("", "null", "(Unknown)"))


class _Reader:
    def __init__(self) -> None:
        self.chats: dict[str, Chat] = {}
        self.message: dict[str, str] | None = None
        self.words: list[str] = []
        self.parser = expat.ParserCreate()
        self.parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.EntityDeclHandler = self._refuse

    def _refuse(self, *_: object) -> None:
        raise BadInputError("XML with a declaration of entities (entity bomb)")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "sms":
            self._add(attributes, attributes.get("body", ""), attributes.get("type", ""))
        elif name == "mms":
            self.message, self.words = attributes, []
        elif name == "part" and attributes.get("ct") == "text/plain":
            self.words.append(attributes.get("text", ""))

    def _end(self, name: str) -> None:
        if name == "mms" and self.message is not None:
            self._add(self.message, "\n".join(self.words), self.message.get("msg_box", ""))
            self.message = None

    def _add(self, attributes: dict[str, str], words: str, kind: str) -> None:
        number = attributes.get("address", "")
        name = attributes.get("contact_name", "")
        name = number if name in _NO_NAME else name
        if not words.strip() or words == "null" or not number:
            return
        said: Said = {
            "speaker": OWNER if kind == _SENT else name,
            "content": words,
            "timestamp": attributes.get("date"),
        }
        chat = self.chats.setdefault(number, {"id": number, "title": f"Messages with {name}", "messages": []})
        chat["messages"].append(said)


def _chats(text: str, _zone: tzinfo, _day: date | None) -> list[Chat]:
    reader = _Reader()
    try:
        reader.parser.Parse(text.removeprefix("\ufeff").lstrip().encode("utf-8", "replace"), True)
    except expat.ExpatError as error:
        if not reader.chats:
            raise BadInputError(f"damaged XML: {error}") from None
    return list(reader.chats.values())


def _fits(head: str) -> bool:
    return head.lstrip("\ufeff \r\n").startswith(_BEFORE) and _MARK.search(head, 0, LOOKED_AT) is not None


EXPORT = Export("SMS Backup & Restore", _fits, _chats)
