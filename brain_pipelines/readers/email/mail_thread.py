"""Threading of mails: by message ids and references, or by the subject without prefixes if ids are missing."""

import re
from email.message import Message

from brain_pipelines.readers.email.mail_message import headers
from brain_retrieval.ids import stable_hash
from brain_retrieval.language.folding import fold

MAX_REFERENCES = 200
MAX_ID = 400  # characters
_ID = re.compile(r"<\s*([^<>\s]{1,400})\s*>")


def message_id(mail: Message) -> str:
    """Return the Message-ID without its brackets, "" if there is none."""
    value = next(iter(headers(mail, "message-id")), "")
    match = _ID.search(value)
    return match[1] if match else value.strip("<> ")[:MAX_ID].replace(" ", "")


def reply_to(mail: Message) -> tuple[str, list[str]]:
    """Return the id of the mail that this one answers ("" if none), and the ids of all earlier ones, oldest first."""
    answered = _ID.findall(" ".join(headers(mail, "in-reply-to")))
    before = list(dict.fromkeys(_ID.findall(" ".join(headers(mail, "references")))))
    kept = before if len(before) <= MAX_REFERENCES else [before[0], *before[1 - MAX_REFERENCES :]]
    return (answered[0] if answered else before[-1] if before else ""), kept


def thread_id(mail: Message) -> str:
    """Return the id of a mail's thread: the message id of its first mail, else a hash of the bare subject."""
    answered, before = reply_to(mail)
    subject = next(iter(headers(mail, "subject")), "")
    bare = bare_subject(subject)
    own = message_id(mail)
    if before or answered:
        return before[0] if before else answered
    if own and bare == fold(subject):
        return own
    return f"subject-{stable_hash(bare)}" if bare else own


def bare_subject(subject: str) -> str:
    """Return a subject without "Re:", "AW:", "Fwd:" and list tags, in lower case."""
    from brain_pipelines.readers.email.mail_words import REPLY_PREFIX

    for _ in range(20):
        match = REPLY_PREFIX.match(subject)
        if not match or not subject[match.end() :].strip():
            break
        subject = subject[match.end() :]
    return fold(subject)
