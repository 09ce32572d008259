"""Names of the people of a mail: the display name, "X-From" of exported mailboxes, or "first.last@" of the address."""

import re
from email.message import Message
from email.utils import parseaddr

from brain_pipelines.readers.email.mail_message import addresses, header
from brain_pipelines.readers.lexicons import LEXICONS
from brain_pipelines.readers.webpage.person_name import is_person, person_names

_NO_PERSON = LEXICONS.every_language("mail").words("mailboxes")
_FULL = re.compile(r"[^\W\d_]{2,20}(?:\.[^\W\d_]{1,20})?\.[^\W\d_]{2,20}")  # before the "@"
_OF_NOTES = re.compile(r"(?:(?<!\s)\s++)?[/@].*")  # "Ann Lee/HOU/ECT@ECT", "Ann Lee@ECT", "Ann Lee @ ECT"
MAX_FIELD = 320  # characters


def name_of_address(address: str) -> str:
    """Return "First Last" of "first.last@example.com", "" if an address does not say a name."""
    local = address.partition("@")[0][:MAX_FIELD]
    parts = local.split(".") if _FULL.fullmatch(local) else []
    if not parts or any(part.casefold() in _NO_PERSON for part in parts):
        return ""
    name = " ".join(part.capitalize() for part in parts)
    return name if is_person(name) else ""


def name_of_field(field: str) -> str:
    """Return the person of a written sender, else the address: "Kim, Amy <AKim@m.example>", "Ann Lee/HOU/ECT@ECT"."""
    field = " ".join(field[:MAX_FIELD].replace('"', " ").replace("'", " ").split())
    bare, _, rest = field.partition("<")
    if not bare.strip() and rest:
        bare = rest.rstrip("> ")
    if " " in bare.strip() or "/" in bare:
        names = person_names(_OF_NOTES.sub("", bare), inverted=True)
        if len(names) == 1:
            return names[0]
    address = parseaddr(field)[1]
    return name_of_address(address) or address


def sender_of(mail: Message) -> str:
    """Return the name of who wrote a mail, else the address, "" if neither is known."""
    people = addresses(mail, "from") or addresses(mail, "sender")
    if not people:
        return ""
    name, address = people[0]
    if name and "@" not in name:
        return name
    exported = name_of_field(header(mail, "x-from"))
    return exported if exported and "@" not in exported else name_of_address(address) or name or address


def people_of(mail: Message, *names: str) -> list[str]:
    """Return the names of those in address headers; of one without a name what the address says."""
    return [name or name_of_address(address) or address for name, address in addresses(mail, *names)]
