"""Labelled sentences for redaction: personal data by kind, and sentences that only look as if they held some.

Every number is made up or a published test number; keys are assembled so that secret scanners do not report them.
"""

_KEY = "AKIA" + "QWERTYUIOPASDFGH"
_GITHUB = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
_OPENAI = "sk-" + "proj-Zx81Kd02Lw93Mf74Nv65Bt56"
_SLACK = "xoxb-" + "123456789012-abcdefGHIJKL"
_JWT = "eyJhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxMjM0NSJ9" + ".c2lnbmF0dXJlLXZhbHVl"
_PEM = "-----BEGIN " + "RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\nabc/def+ghi=\n-----END RSA PRIVATE KEY-----"

PERSONAL: tuple[tuple[str, dict[str, str]], ...] = (
    ("Write to alice.chen+brain@northwind.example or call.", {"alice.chen+brain@northwind.example": "EMAIL"}),
    ("Contact: <BOB@Example.co.uk>, thanks", {"BOB@Example.co.uk": "EMAIL"}),
    ("jürgen.müller@straße.example hat geantwortet", {"jürgen.müller@straße.example": "EMAIL"}),
    ("Her number is +351 912 345 678.", {"+351 912 345 678": "PHONE"}),
    ("Ring me: +49 (0)30 1234567", {"+49 (0)30 1234567": "PHONE"}),
    ("Office: (415) 555-0132, ask for Mei", {"(415) 555-0132": "PHONE"}),
    ("call 415-555-0199 before noon", {"415-555-0199": "PHONE"}),
    ("Tel. 030 / 1234 567", {"030 / 1234 567": "PHONE"}),
    ("My phone is 07700 900123", {"07700 900123": "PHONE"}),
    ("WhatsApp 0044 7700 900456", {"0044 7700 900456": "PHONE"}),
    ("desk 397.884.0519x718 or mail", {"397.884.0519x718": "PHONE"}),
    ("001-234-203-0635 | Bratislava", {"001-234-203-0635": "PHONE"}),
    ("Paid with 4111 1111 1111 1111 yesterday", {"4111 1111 1111 1111": "CARD"}),
    ("Amex 378282246310005 expires in May", {"378282246310005": "CARD"}),
    ("Mastercard 5555-5555-5555-4444.", {"5555-5555-5555-4444": "CARD"}),
    ("Transfer to DE89 3704 0044 0532 0130 00 please", {"DE89 3704 0044 0532 0130 00": "IBAN"}),
    ("IBAN: GB82WEST12345698765432", {"GB82WEST12345698765432": "IBAN"}),
    ("SSN 123-45-6789 on file", {"123-45-6789": "SSN"}),
    ("social security number: 123456789", {"123456789": "SSN"}),
    ("Login came from 203.0.113.77 at night", {"203.0.113.77": "IP"}),
    ("and from 2001:db8:85a3::8a2e:370:7334 too", {"2001:db8:85a3::8a2e:370:7334": "IP"}),
    ("Send it to 1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", {"1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa": "CRYPTO"}),
    ("or bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", {"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4": "CRYPTO"}),
    ("ETH 0x52908400098527886E0F7030069857D2E4169EE7", {"0x52908400098527886E0F7030069857D2E4169EE7": "CRYPTO"}),
    ("Passport number: C01X00T47, valid until 2031", {"C01X00T47": "ID"}),
    ("Reisepass Nr. L01X00T44", {"L01X00T44": "ID"}),
    (f"aws key {_KEY} leaked", {_KEY: "SECRET"}),
    (f"token={_GITHUB}", {_GITHUB: "SECRET"}),
    (f"export OPENAI_API_KEY={_OPENAI}", {_OPENAI: "SECRET"}),
    (f"slack bot {_SLACK}", {_SLACK: "SECRET"}),
    (f"Authorization: Bearer {_JWT}", {_JWT: "SECRET"}),
    (f"the key:\n{_PEM}\nkeep it", {_PEM: "SECRET"}),
    ("password: hunter2!", {"hunter2!": "SECRET"}),
    ("The wifi password is Sunflower-22.", {"Sunflower-22": "SECRET"}),
    ("Passwort: geheimnis", {"geheimnis": "SECRET"}),
    ("PIN: 4711", {"4711": "SECRET"}),
    ("postgres://brain:s3cr3t@db.example/main", {"brain:s3cr3t": "SECRET"}),
    ('{"password": "correct-horse-9"}', {"correct-horse-9": "SECRET"}),
)

HARMLESS = (
    "Version 10.2.33.4 is out, and v1.2.3.4 was before it.",
    "The meeting of 2026-01-05 moved to 12.01.2026 at 10:30:45.",
    "ISBN 978-3-16-148410-0 is the book.",
    "Order 4111 1111 1111 1112 was shipped.",
    "Commit 9fceb02d0ae598e95dc970b74767f19372d61af8 breaks the build.",
    "The password is wrong, and the token is missing.",
    "password: required",
    "@northwind/tokens is a package; follow @alice on it.",
    "It cost 1,280,000 euros and took 3 500 000 steps.",
    "Pages 100-200-3000 of the report, lines 1234-5678.",
    "Call 12 people, ring twice, phone home.",
    "std::vector<int> a; 10:20:30:40 is the timecode.",
    "unix time 1700000000000, id 8a6e0804-2bd0-4672-b79d-d97027f9071a",
    "localhost is 127.0.0.1, the default route 0.0.0.0.",
    "My passport is expired; the passport office opens at 9.",
    "GB stands for gigabyte, DE for Germany, PT12 is a train.",
    "She scored 123-45-67 points, 555 in all; the ratio is 3.14159265358979.",
    "The secret of the soup is garlic; PIN down the date.",
    "Ticket 415-5550-132 and part 00-11-22.",
    "A star at 22 56 17.933 and +01 14 57.997.",
    "lot | 001500000 | 002200000 | 00",
    "DOI 10.1016/j.cell.2018.02.058, also j.scitotenv.2016.05.006 27203517 and abs/2206.00785 (2022).",
    "Section 1.2.3 and paragraph 1.2.3.1 of the shell 6.3.1.5 apply.",
    "[EMAIL_1] and [PHONE_2] were here before.",
)
