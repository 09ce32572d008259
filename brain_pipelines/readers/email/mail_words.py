"""The words by which mail programs and people mark what is not the message, in the languages they are met in.

Closings, device lines and disclaimers of thirteen languages are those of mail-parser-reply, a maintained list; what
it lacks is added here. Its own regular expressions over whole texts are not used: they take exponential time.
"""

import re
from functools import cache

FROM_FIELDS = "From|Von|De|Da|Van|Od|Från|Fra|От|От кого|发件人|差出人|보낸 ?사람|Lähettäjä|Kimden|Expéditeur"
SUBJECT_FIELDS = (
    "Subject|Betreff|Objet|Asunto|Oggetto|Onderwerp|Temat|Ämne|Emne|Тема|主题|件名|제목|Předmět|Assunto|Aihe|Konu"
)
OTHER_FIELDS = (
    "Sent|Date|To|Cc|Bcc|Reply-To|Gesendet|Datum|An|Kopie|Envoyé|Enviado|Fecha|Para|À|A|Inviato|Data|Verzonden|Aan|"
    "Wysłano|Do|DW|Odesláno|Komu|Skickat|Till|Kopia|Sendt|Til|Dato|Kopi|Дата|Кому|Отправлено|Копия|发送时间|收件人|抄送|"
    "送信日時|日時|宛先|보낸 ?날짜|받는 ?사람|참조|"
    "Organization|Importance|Attachments|Lähetetty|Vastaanottaja|Gönderilme|Kime"
)
_WROTE = (
    r"wrote|writes|schrieb|geschrieben|escribió|écrit|ha scritto|schreef|geschreven|skrev|napsala?\b|napisał|"
    r"nadesłał|"
    r"написала?|пишет|写道|寫道|escreveu|kirjoitti|yazdı|作成しました|작성|đã viết|írta|a scris|έγραψε|כתב"
)
FORWARD_SUBJECT = re.compile(r"\s*(?:\[[^\]]{1,40}\]\s*)?(?:fwd?|wg|tr|rv|i|doorst|vs|vb|enc|转发|ПЕРЕСЛ)\s*:", re.I)
REPLY_PREFIX = re.compile(
    r"\s*(?:(?:re|aw|sv|vs|antw|odp|rif|ref|res|回复|答复|отв|fwd?|wg|tr|rv|i|enc|"
    r"转发)(?:\s*[\[(]?\d+[\])]?)?\s*[:：]|\[[^\]]{1,40}\])",
    re.I,
)
FORWARDED = re.compile(
    r"[-_*\s]*(?:begin forwarded message|(?:original )?forwarded message|anfang der weitergeleiteten|"
    r"weitergeleitete nachricht|"
    r"message transféré|début du message|mensaje reenviado|inizio messaggio inoltrato|messaggio inoltrato|"
    r"doorgestuurd bericht|"
    r"начало переадресованного|пересылаемое сообщение|mensagem encaminhada|videresendt|vidarebefordrat|"
    r"forwarded by)\b.{0,60}",
    re.I,
)
ORIGINAL = re.compile(
    r"[-_*\s]{3,}(?:original message|original appointment|reply message|ursprüngliche nachricht|"
    r"originalnachricht|message d'origine|"
    r"mensaje original|messaggio originale|oorspronkelijk bericht|oprindelig meddelelse|исходное сообщение|"
    r"mensagem original|wiadomość oryginalna|ursprungligt meddelande|原始邮件)[-_*\s]*",
    re.I,
)
WROTE = re.compile(rf"\b(?:{_WROTE})", re.I)
STARTS = re.compile(
    r"(?:(?:On|At|Am|Le|El|Il|Op|Den|Dne|Dnia|W dniu|Em|På|Vào|În|Στις)\s|\d|(?:mon|tue|wed|thu|fri|sat|sun|mo|di|mi|"
    r"do|fr|sa|so|lun|mar|mer|"
    r"jeu|ven|sam|dim|пн|вт|ср|чт|пт|сб|вс|понедельник|вторник|среда|четверг|пятница|суббота|"
    r"воскресенье)\w{0,7}[,.]?\s)",
    re.I,
)
WHEN = re.compile(r"\d{1,2}[:.h]\d{2}|\b(?:19|20)\d\d\b|\d{1,2}[./-]\d{1,2}[./-]\d{2}|年")
ADDRESS = re.compile(r"[^\s<>@]{1,64}@[^\s<>@]{1,250}")
PHONE = re.compile(r"(?:\+|\(?\d)[\d\s().\-/]{6,20}\d")
LINK = re.compile(r"https?://\S|\bwww\.\S", re.I)
DASHES = re.compile(r"\s*(?:[-_—–=*~#]\s?){1,120}\s*")
SENT_MORE = (
    r"Sent (?:from|with|via|by|using)|via mobile|Get Outlook|Von meinem .* gesendet|Gesendet (?:mit|von|über)|"
    r"Отправлено (?:с|из)|"
    r"Envoyé de|Enviado (?:desde|do|de)|Inviato da|Verstuurd vanaf|Diese Nachricht wurde von meinem"
)
CLOSING_MORE = (
    r"(?:(?:kind|best|warm|many|with|my|kindest|warmest)\s+)*(?:regards|wishes)|cheers|sincerely|"
    r"yours(?: \w+)?|(?:many )?thanks"
    r"(?: again| so much| a lot)?|thank you(?: very much)?|best|br|thx|ciao|take care|talk soon|see you|respectfully|"
    r"mit freundlichem gruß|(?:freundliche|herzliche|beste|liebe|viele)n? grüße?n?|gruß|grüße|lg|vg|mfg|bg|"
    r"danke|vielen dank|"
    r"bien à vous|cordialement|merci|amicalement|saludos(?: cordiales)?|un abrazo|gracias|atentamente|"
    r"atenciosamente|abraços?|"
    r"obrigad[oa]|с уважением|спасибо|с наилучшими пожеланиями|saluti|grazie|distinti saluti|groeten|groetjes|"
    r"mvh|hälsningar|hilsen"
)
DISCLAIMER = re.compile(
    r"this (?:e-?mail|message|communication|transmission)\b.{0,200}\b(?:confidential|privileged|"
    r"intended (?:only|solely|for))|"
    r"(?:confidential|privileged).{0,200}\bif you (?:have received|are not the)|"
    r"if you are not the intended recipient|"
    r"you (?:are receiving|received) this (?:e-?mail|message|because)|to unsubscribe|unsubscribe (?:from|here)|"
    r"reply to this email directly|view (?:it|this email) (?:on github|in your browser)|"
    r"email originated from outside|"
    r"please consider the environment|diese e-?mail.{0,120}vertraulich|diese nachricht.{0,80}vertraulich|"
    r"ce (?:message|courriel).{0,160}confidentiel|este (?:mensaje|correo).{0,160}confidencial|virus-free\. www",
    re.I | re.S,
)


@cache
def closings() -> re.Pattern[str]:
    """Return what a whole line is that closes a letter."""
    return re.compile(rf"\s*(?:{'|'.join([CLOSING_MORE, *_listed('signatures')])})[\s,.!;:–-]*", re.I)


@cache
def device_lines() -> re.Pattern[str]:
    """Return how a line begins that a mail program has put under the text."""
    return re.compile(rf"\s*(?:{'|'.join([SENT_MORE, *_listed('sent_from')])})\b", re.I)


@cache
def disclaimer_marks() -> re.Pattern[str]:
    """Return how a paragraph begins that may be a disclaimer."""
    return re.compile(rf"\s*+(?:{'|'.join(_listed('disclaimers'))})", re.I)


def _listed(key: str) -> list[str]:
    from mailparser_reply.constants import MAIL_LANGUAGES

    found: list[str] = []
    for words in MAIL_LANGUAGES.values():
        listed = words.get(key) or []
        found += [listed] if isinstance(listed, str) else listed
    return [one.rstrip(",") for one in found if one and one != r"/\w+"]
