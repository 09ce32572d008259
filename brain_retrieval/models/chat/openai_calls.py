"""Calls to an OpenAI-compatible endpoint: client, bounded retries, errors without secrets. No task lives here."""

import os
import re
import ssl
import time
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from typing import Any, TypeVar

from pydantic import SecretStr

from brain_retrieval.errors import InvalidSettingsError, ModelCallError, NoAnswerError
from brain_retrieval.extras import naming_the_extra
from brain_retrieval.models.chat.pace import LONGEST_WAIT_SECONDS, Pace, seconds_of
from brain_retrieval.models.chat.streaming import NoTokenError, StreamError

FIRST_WAIT_SECONDS = 0.5
MOST_SILENT = 2  # calls that got no token in time, which is minutes of waiting each
# Local servers need no key, but the client library requires one.
NO_KEY = "no-key"
_KEY_LIKE = re.compile(r"(?i)\b(sk-[\w*.-]+|bearer\s+\S+)|(?<=://)[^/\s@]+@")

Result = TypeVar("Result")


def resolve_key(
    api_key: SecretStr | None, base_url: str | None, *, variable: str = "BRAIN_EMBEDDING__API_KEY"
) -> SecretStr:
    """Return the key to send. `OPENAI_API_KEY` is used for OpenAI alone: another host must not receive it.

    `variable` is the environment variable named in the error.

    Raises:
        InvalidSettingsError: no key for OpenAI's own endpoint.
    """
    if api_key is not None and api_key.get_secret_value():
        return api_key
    if base_url is not None:
        return SecretStr(NO_KEY)
    from_environment = os.environ.get("OPENAI_API_KEY", "")
    if not from_environment:
        raise InvalidSettingsError(f"no key: set {variable} or OPENAI_API_KEY, or a base_url")
    return SecretStr(from_environment)


def open_client(
    api_key: SecretStr,
    *,
    base_url: str | None,
    timeout_seconds: float,
    connect_seconds: float | None = None,
    pace: Pace | None = None,
) -> Any:
    """Return an `openai.OpenAI` that does not retry by itself; `call` does, so that attempts are counted once.

    `timeout_seconds` bounds each wait for bytes; `connect_seconds` None is the same. `pace` learns the limits that
    each answer states.
    """
    with naming_the_extra():
        import openai

    timeout = openai.Timeout(timeout_seconds, connect=connect_seconds or timeout_seconds)
    hooks = {"response": [lambda response: pace.note(response.headers)]} if pace else {}
    client = openai.DefaultHttpxClient(timeout=timeout, event_hooks=hooks, verify=_context())
    key = api_key.get_secret_value()
    return openai.OpenAI(api_key=key, base_url=base_url, timeout=timeout, max_retries=0, http_client=client)


@cache
def _context() -> ssl.SSLContext:
    import httpx

    return httpx.create_ssl_context()  # reads all authorities, which takes 20 ms and more


def call(
    request: Callable[[], Result],
    *,
    what: str,
    secret: SecretStr,
    max_attempts: int,
    sleep: Callable[[float], None] = time.sleep,
    blames_input: bool = False,
    pace: Pace | None = None,
    tokens: int = 0,
) -> Result:
    """Return what `request` returns, retrying 429, 5xx, time-outs and broken connections up to `max_attempts` calls.

    The wait is what Retry-After says, else 0.5 s doubled each time, at most 60 s. Every other failure is
    deterministic (bad key, bad request, exhausted quota) and is not retried. Before a request of at most `tokens`
    tokens, `pace` waits for the endpoint's limits.

    Raises:
        ModelCallError: the last failure, prefixed by `what`, without the key. With `blames_input`, a request whose
            content the endpoint rejects raises NoAnswerError.
    """
    for attempt in range(1, max_attempts + 1):
        if pace is not None and (held := pace.take(tokens)):
            sleep(held)
        try:
            return request()
        except Exception as error:
            wait = _wait_before_retry(error, attempt)
            if wait is None or attempt == max_attempts:
                kind = NoAnswerError if blames_input and _is_refused_input(error) else ModelCallError
                raise kind(f"{what}: {_describe(error, secret)} (call {attempt})") from None
        sleep(wait)
    raise AssertionError("max_attempts is at least 1")


def _wait_before_retry(error: Exception, attempt: int) -> float | None:
    """Return seconds to wait, or None if a retry is pointless or the server asks for too long a wait."""
    import openai

    if isinstance(error, NoTokenError) and attempt >= MOST_SILENT:
        return None
    if isinstance(error, openai.APIConnectionError | StreamError) or _is_within_the_stream(error):  # time-outs too
        return _backoff(attempt)
    if not isinstance(error, openai.APIStatusError):
        return None
    if error.code == "insufficient_quota" or (error.status_code != 429 and error.status_code < 500):
        return None
    headers = error.response.headers
    asked = _retry_after(headers.get("retry-after"))
    if asked is None and (exact := headers.get("retry-after-ms")):
        asked = seconds_of(f"{exact}ms")
    wait = _backoff(attempt) if asked is None else asked
    return wait if wait <= LONGEST_WAIT_SECONDS else None


def _is_within_the_stream(error: Exception) -> bool:
    """Return whether an answer that had begun ended with an error of the endpoint that may pass."""
    import openai

    if type(error) is not openai.APIError or error.code == "insufficient_quota":
        return False
    return re.fullmatch(r"4(?!29)\d\d", str(error.code)) is None


def _is_refused_input(error: Exception) -> bool:
    import openai

    return isinstance(error, openai.APIStatusError) and error.status_code in (400, 413, 422)


def _backoff(attempt: int) -> float:
    return min(FIRST_WAIT_SECONDS * 2.0 ** (attempt - 1), LONGEST_WAIT_SECONDS)


def _retry_after(header: str | None) -> float | None:
    """Return seconds from a Retry-After header: a number or an HTTP date (RFC 9110, section 10.2.3)."""
    if not header:
        return None
    try:
        return max(0.0, float(header))
    except ValueError:
        pass
    try:
        moment = parsedate_to_datetime(header)
    except ValueError:
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())


def _describe(error: Exception, secret: SecretStr) -> str:
    import openai

    status = f"HTTP {error.status_code} " if isinstance(error, openai.APIStatusError) else ""
    if isinstance(error, StreamError):
        return str(error)
    if not isinstance(error, openai.OpenAIError):
        # Parsing errors quote the body, which may contain user texts.
        return f"the answer is not what was agreed ({type(error).__name__})"
    wait = _retry_after(error.response.headers.get("retry-after")) if isinstance(error, openai.APIStatusError) else None
    later = f"; it asks to wait {wait:,.0f} s" if wait is not None and wait > LONGEST_WAIT_SECONDS else ""
    advice = "; check the key and the base_url of the settings" if status.startswith(("HTTP 401", "HTTP 403")) else ""
    return f"{status}{type(error).__name__}: {scrub(str(error), secret)[:300]}{later}{advice}"


def scrub(text: str, secret: SecretStr) -> str:
    """Return `text` without the key and anything that looks like one; endpoints quote parts of it."""
    value = secret.get_secret_value()
    if value and value != NO_KEY:
        text = text.replace(value, "<key>")
    return _KEY_LIKE.sub("<key>", text)
