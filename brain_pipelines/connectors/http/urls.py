"""Canonical URLs, so that the same page is not fetched or stored twice.

Only known tracking parameters are dropped: courlan's rules also drop `cid`, `uid`, `source` and `keyword`, which would
merge different pages. A page's own `<link rel=canonical>` is only accepted within its host.
"""

import re
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit

from brain_pipelines.connectors.http.targets import MAX_URL, FetchError, Target, parse_target

ANY_PORT = tuple(range(1, 65536))
MAX_SEGMENTS, MAX_REPEATS, MAX_CRAWLED = 16, 3, 2000
# click ids, session ids, and campaign or referrer parameters
_TRACKING = re.compile(
    r"(?:utm_|hsa_|mtm_|pk_|piwik_|matomo_|oly_|vero_|_hs|at_campaign|at_medium)\w*|(?:fbclid|gclid|dclid|gbraid|wbraid|"
    r"msclkid|yclid|twclid|ttclid|igshid|mc_cid|mc_eid|mkt_tok|_ga|_gl|spm|scid|wt_mc|ref_src|ref_url|cmpid|ncid|"
    r"phpsessid|jsessionid|sessionid|fb_action_ids|fb_ref|trk|trkcampaign|s_kwcid|ocid|srsltid)",
    re.I,
)
_SESSION_PATH = re.compile(r";(?:jsessionid|phpsessid|sid)=[^/?#]*", re.I)
_NOT_PAGES = re.compile(
    r"\.(?:css|js|mjs|json|xml|rss|atom|ico|png|jpe?g|gif|webp|avif|svg|bmp|tiff?|woff2?|ttf|eot|mp[34]|m4[av]|webm|ogg|"
    r"ogv|wav|flac|avi|mov|mkv|zip|gz|tgz|bz2|xz|7z|rar|tar|exe|dmg|iso|apk|deb|rpm|msi|jar|bin)$",
    re.I,
)


def canonical(url: str) -> str | None:
    """Return the canonical form of an absolute http(s) URL, or None if it is invalid.

    Lower-case IDNA host, no default port, user or fragment, dot segments resolved, no tracking parameters, parameters
    sorted by name.
    """
    try:
        target = parse_target(url.strip().partition("#")[0], ANY_PORT)
    except FetchError:
        return None
    path, _, query = target.path.partition("?")
    path = _SESSION_PATH.sub("", _resolved(path))
    pairs = [(name, value) for name, value in parse_qsl(query, keep_blank_values=True) if not _tracks(name)]
    kept = urlencode(sorted(pairs, key=lambda pair: pair[0]))
    return Target(target.scheme, target.host, target.port, path + (f"?{kept}" if kept else "")).url


def _tracks(name: str) -> bool:
    return _TRACKING.fullmatch(name) is not None


def _resolved(path: str) -> str:
    parts: list[str] = []
    for part in path.split("/")[1:]:
        if part == "..":
            del parts[-1:]
        elif part != ".":
            parts.append(part)
    tail = "/" if path.endswith(("/.", "/..")) and parts else ""
    return "/" + "/".join(parts) + tail


def absolute(base: str, reference: str) -> str | None:
    """Return the canonical form of a link found in a page, or None if it is not a page: mailto:, javascript:, …"""
    reference = re.sub(r"[\t\r\n]", "", reference.strip())
    if not reference or len(reference) > MAX_URL or reference.startswith("#"):
        return None
    try:
        return canonical(urljoin(base, reference.replace(" ", "%20")))
    except ValueError:
        return None


def page_name(url: str, declared: str | None) -> str | None:
    """Return the canonical URL of a page at `url` that declares `declared`, which must be on the same host."""
    own = canonical(url)
    named = absolute(url, declared) if declared else None
    if own is None or named is None:
        return own
    theirs, ours = urlsplit(named), urlsplit(own)
    same = (theirs.hostname, theirs.port) == (ours.hostname, ours.port)
    # some sites declare their front page on every page, which would merge all pages into one
    return named if same and (theirs.path != "/" or ours.path == "/") else own


def host_of(url: str) -> str:
    """Return the host of a canonical URL, or ""."""
    return urlsplit(url).hostname or ""


def within(host: str, domains: tuple[str, ...]) -> bool:
    """Return whether a host equals one of the domains or is a subdomain of one."""
    return any(host == domain or host.endswith("." + domain) for domain in domains)


def may_be_page(url: str) -> bool:
    """Return whether a link may lead to a page: not a media file or archive, and not a crawler trap."""
    parts = urlsplit(url)
    segments = [part for part in parts.path.split("/") if part]
    repeats = max((segments.count(part) for part in set(segments)), default=0)
    if len(url) > MAX_CRAWLED or len(segments) > MAX_SEGMENTS or repeats > MAX_REPEATS:
        return False
    return not _NOT_PAGES.search(parts.path)


def template(url: str) -> str:
    """Return a URL with its digits replaced, to count the pages that calendars and counters generate."""
    parts = urlsplit(url)
    names = "&".join(sorted({name for name, _ in parse_qsl(parts.query, keep_blank_values=True)}))
    return f"{parts.netloc}{re.sub(r'[0-9]+', '0', parts.path)}?{names}"
