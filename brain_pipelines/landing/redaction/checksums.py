"""Checksum validation of identifiers: payment cards, bank accounts (IBAN), cryptocurrency addresses."""

import hashlib

_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
_BECH32_GENERATOR = (0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)
_BECH32_CONSTANTS = (1, 0x2BC830A3)  # BIP 173, and BIP 350 for later versions
# ISO 13616 registry: IBAN length by country.
IBAN_LENGTHS = {
    code: int(size)
    for group in (
        "15:NO 16:BE 18:DK,FI,FO,GL,NL,SD 19:MK,SI 20:AT,BA,EE,KZ,LT,LU,XK 21:CH,HR,LI,LV 22:BG,BH,CR,DE,GB,GE,IE,"
        "ME,RS 23:AE,GI,IL,IQ,OM,SO,TL 24:AD,CZ,ES,MD,PK,RO,SA,SE,SK,TN,VG 25:LY,PT,ST "
        "26:IS,TR 27:BI,DJ,FR,GR,IT,MC,MR,SM 28:AL,AZ,BY,CY,DO,GT,HU,LB,NI,PL,SV "
        "29:BR,EG,PS,QA,UA 30:JO,KW,MU,YE 31:MT,SC 32:LC 33:RU"
    ).split()
    for size, codes in [group.split(":")]
    for code in codes.split(",")
}


def luhn(digits: str) -> bool:
    """Return whether the last digit is the Luhn check digit of the others (ISO/IEC 7812-1, annex B)."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + place % 2)
        total += value - 9 * (value > 9)
    return total % 10 == 0


def is_card(digits: str) -> bool:
    """Return whether digits are a payment card number: known issuer prefix and length, valid check digit."""
    size, two, four = len(digits), int(digits[:2]), int(digits[:4])
    known = (
        (digits[0] == "4" and size in (13, 16, 19))
        or ((51 <= two <= 55 or 2221 <= four <= 2720) and size == 16)
        or (two in (34, 37) and size == 15)
        or (two in (30, 36, 38, 39) and size == 14)
        or ((two in (62, 64, 65, 35) or four == 6011) and 16 <= size <= 19)
    )
    return known and len(set(digits)) > 1 and luhn(digits)


def is_iban(compact: str) -> bool:
    """Return whether an IBAN without spaces has its country's length and valid check digits (ISO 7064, mod 97-10)."""
    if IBAN_LENGTHS.get(compact[:2]) != len(compact) or not (compact.isascii() and compact.isalnum()):
        return False
    return int("".join(str(int(char, 36)) for char in compact[4:] + compact[:4])) % 97 == 1


def is_base58_address(text: str) -> bool:
    """Return whether a text is 25 bytes in base 58 whose last four are the double SHA-256 checksum of the rest."""
    number = 0
    for char in text:
        number = number * 58 + _BASE58.index(char)
    if number.bit_length() > 200:
        return False
    raw = number.to_bytes(25, "big")
    return hashlib.sha256(hashlib.sha256(raw[:21]).digest()).digest()[:4] == raw[21:]


def is_bech32_address(text: str) -> bool:
    """Return whether a lower-case text such as bc1… has a valid checksum (BIP 173, BIP 350)."""
    name, _, data = text.rpartition("1")
    if not name or any(char not in _BECH32 for char in data):
        return False
    check = 1
    values = [ord(c) >> 5 for c in name] + [0] + [ord(c) & 31 for c in name] + [_BECH32.index(c) for c in data]
    for value in values:
        top = check >> 25
        check = (check & 0x1FFFFFF) << 5 ^ value
        for bit, generator in enumerate(_BECH32_GENERATOR):
            check ^= generator if top >> bit & 1 else 0
    return check in _BECH32_CONSTANTS
