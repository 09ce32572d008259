"""The formats Brain can tell apart: short name, media type, and what people call them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Detected:
    """A format's short name, its media type and what people call it."""

    format: str
    mime: str
    label: str


def _known(*rows: tuple[str, str, str]) -> dict[str, Detected]:
    return {name: Detected(name, mime, label) for name, mime, label in rows}


FORMATS = _known(
    ("empty", "application/x-empty", "an empty file"),
    ("binary", "application/octet-stream", "binary data of no known format"),
    ("text", "text/plain", "plain text"),
    ("markdown", "text/markdown", "Markdown"),
    ("html", "text/html", "a web page (HTML)"),
    ("json", "application/json", "JSON"),
    ("jsonl", "application/x-ndjson", "JSON lines"),
    ("xml", "application/xml", "XML"),
    ("rtf", "application/rtf", "rich text (RTF)"),
    ("pdf", "application/pdf", "a PDF"),
    ("docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "a Word document (.docx)"),
    ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "an Excel workbook (.xlsx)"),
    ("pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation", "PowerPoint slides (.pptx)"),
    ("odt", "application/vnd.oasis.opendocument.text", "an OpenDocument text"),
    ("ods", "application/vnd.oasis.opendocument.spreadsheet", "an OpenDocument spreadsheet"),
    ("epub", "application/epub+zip", "an e-book (EPUB)"),
    ("zip", "application/zip", "a zip archive"),
    ("office-encrypted", "application/vnd.ms-office", "an encrypted Office document"),
    ("odp", "application/vnd.oasis.opendocument.presentation", "an OpenDocument presentation"),
    ("doc", "application/msword", "a Word document of before 2007 (.doc)"),
    ("xls", "application/vnd.ms-excel", "an Excel workbook of before 2007 (.xls)"),
    ("ppt", "application/vnd.ms-powerpoint", "PowerPoint slides of before 2007 (.ppt)"),
    ("msg", "application/vnd.ms-outlook", "an Outlook message (.msg)"),
    ("ole", "application/x-ole-storage", "a file in Microsoft's compound format"),
    ("eml", "message/rfc822", "an e-mail"),
    ("mbox", "application/mbox", "a mailbox (mbox)"),
    ("mhtml", "multipart/related", "a saved web page (MHTML)"),
    ("warc", "application/warc", "a web archive (WARC)"),
    ("ics", "text/calendar", "a calendar (.ics)"),
    ("vcf", "text/vcard", "a contact card (.vcf)"),
    ("csv", "text/csv", "a table of comma-separated values"),
    ("tsv", "text/tab-separated-values", "a table of tab-separated values"),
    ("vtt", "text/vtt", "subtitles (WebVTT)"),
    ("srt", "application/x-subrip", "subtitles (SubRip)"),
    ("svg", "image/svg+xml", "a drawing (SVG)"),
    ("png", "image/png", "a PNG image"),
    ("jpeg", "image/jpeg", "a JPEG image"),
    ("gif", "image/gif", "a GIF image"),
    ("webp", "image/webp", "a WebP image"),
    ("tiff", "image/tiff", "a TIFF image"),
    ("bmp", "image/bmp", "a BMP image"),
    ("heic", "image/heic", "a HEIC image"),
    ("avif", "image/avif", "an AVIF image"),
    ("jp2", "image/jp2", "a JPEG 2000 image"),
    ("ico", "image/x-icon", "an icon"),
    ("psd", "image/vnd.adobe.photoshop", "a Photoshop image"),
    ("wav", "audio/wav", "a WAV recording"),
    ("mp3", "audio/mpeg", "an MP3 recording"),
    ("flac", "audio/flac", "a FLAC recording"),
    ("ogg", "audio/ogg", "an Ogg recording"),
    ("m4a", "audio/mp4", "an M4A recording"),
    ("aac", "audio/aac", "an AAC recording"),
    ("aiff", "audio/aiff", "an AIFF recording"),
    ("amr", "audio/amr", "an AMR recording"),
    ("caf", "audio/x-caf", "a Core Audio recording"),
    ("asf", "video/x-ms-asf", "a Windows Media recording"),
    ("mp4", "video/mp4", "an MP4 video"),
    ("mov", "video/quicktime", "a QuickTime video"),
    ("avi", "video/x-msvideo", "an AVI video"),
    ("mkv", "video/x-matroska", "a Matroska video"),
    ("webm", "video/webm", "a WebM video"),
    ("mpeg", "video/mpeg", "an MPEG video"),
    ("flv", "video/x-flv", "a Flash video"),
    ("gzip", "application/gzip", "a gzip archive"),
    ("bzip2", "application/x-bzip2", "a bzip2 archive"),
    ("xz", "application/x-xz", "an xz archive"),
    ("7z", "application/x-7z-compressed", "a 7-Zip archive"),
    ("rar", "application/vnd.rar", "a RAR archive"),
    ("elf", "application/x-elf", "a Linux program"),
    ("exe", "application/vnd.microsoft.portable-executable", "a Windows program"),
    ("sqlite", "application/vnd.sqlite3", "an SQLite database"),
    ("parquet", "application/vnd.apache.parquet", "a Parquet table"),
)
