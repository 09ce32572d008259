"""Which mails are written to many: newsletters and advertisements, in which "I" is no acquaintance of the reader."""

import re
from email.message import Message

from brain_pipelines.readers.email.mail_message import addresses, header
from brain_pipelines.readers.lexicons import LEXICONS

_FOOT = 1500  # characters at the end of a text, which hold how to get no more
_LEAVING = re.compile(rf"(?:{LEXICONS.every_language('mail').expression('leaving')})", re.IGNORECASE)


def is_mass_mail(mail: Message, text: str) -> bool:
    """Return whether one sender writes a mail to many readers, who can unsubscribe.

    The members of a list write to its address, and one who answers writes to a person.

    Args:
        mail: with its headers.
        text: all of it, with its foot.
    """
    if header(mail, "list-post") or header(mail, "in-reply-to"):
        return False
    if header(mail, "list-unsubscribe"):
        return True
    return len(addresses(mail, "to", "cc")) <= 1 and _LEAVING.search(text, max(0, len(text) - _FOOT)) is not None
