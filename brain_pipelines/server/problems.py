"""Errors as `application/problem+json` (RFC 9457). `exit_code` is that of the `brain` command for the same error."""

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from brain_pipelines.server.log import log_failure
from brain_retrieval.errors import BadInputError, BrainError, NoSnapshotError, UnusableHomeError, WriterBusyError

MEDIA_TYPE = "application/problem+json"
_BY_EXIT_CODE = {2: 400, 3: 404, 4: 503, 5: 501, 6: 507, 7: 503, 8: 500}
_BY_TYPE: tuple[tuple[type[BrainError], int], ...] = (
    (BadInputError, 422),
    (NoSnapshotError, 409),
    (WriterBusyError, 503),
)
MEANINGS = {
    400: "the request cannot be answered as it is",
    401: "there is no key, or it is not valid",
    403: "the key lacks the scope, or the request comes from another site",
    404: "this user has nothing of that name",
    409: "it contradicts what is stored, or needs a snapshot that is not there yet",
    413: "the body is too large",
    422: "the input cannot be read, or a field is not valid",
    429: "too many requests; Retry-After says when to come back",
    503: "a model is missing, another process is writing, or too many requests wait",
}


class ProblemError(HTTPException):
    """An error of the interface itself, with a sentence for the caller."""

    def __init__(self, status: int, detail: str, *, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(status, detail, dict(headers or {}))


def too_large(most: int) -> ProblemError:
    """Return the error for a body beyond `most` bytes."""
    return ProblemError(413, f"the body is larger than {most} bytes")


def problem(status: int, detail: str, *, error: str = "", exit_code: int | None = None, **more: Any) -> dict[str, Any]:
    """Return the document of a problem."""
    name = error or HTTPStatus(status).phrase.replace(" ", "")
    value = {"type": f"urn:brain:problem:{name}", "title": HTTPStatus(status).phrase, "status": status}
    return value | {"detail": detail} | ({} if exit_code is None else {"exit_code": exit_code}) | more


def problem_response(document: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> Response:
    """Return the response of a problem."""
    body = json.dumps(document, ensure_ascii=False).encode("utf-8", "replace")
    return Response(body, document["status"], dict(headers or {}), MEDIA_TYPE)


def of_brain(error: BrainError) -> dict[str, Any]:
    """Return the document for an expected error. A path of this machine is not shown."""
    status = next((code for kind, code in _BY_TYPE if isinstance(error, kind)), None)
    status = status or _BY_EXIT_CODE.get(error.exit_code, 500)
    hidden = isinstance(error, UnusableHomeError)
    detail = "the server cannot use its disk" if hidden else str(error)
    return problem(status, detail, error=type(error).__name__, exit_code=error.exit_code)


def register(app: FastAPI) -> None:
    """Answer every error of `app` with a problem."""

    @app.exception_handler(HTTPException)
    async def on_http(_: Request, error: HTTPException) -> Response:
        return problem_response(problem(error.status_code, str(error.detail)), error.headers)

    @app.exception_handler(RequestValidationError)
    async def on_invalid(request: Request, error: RequestValidationError) -> Response:
        # what was sent is not repeated: it may be text of a source or a secret
        wrong = [{"field": ".".join(map(str, one["loc"])), "reason": one["msg"]} for one in error.errors()]
        is_json = "json" in request.headers.get("content-type", "")
        whole = any(one["loc"] == ("body",) for one in error.errors())  # the body was not read as an object
        detail = "a field is missing or not valid"
        if whole and not is_json:
            detail = "the body is no JSON object; send it with Content-Type: application/json"
        return problem_response(problem(422, detail, exit_code=2, errors=wrong[:20]))

    @app.exception_handler(BrainError)
    async def on_brain(_: Request, error: BrainError) -> Response:
        document = of_brain(error)
        return problem_response(document, {"Retry-After": "5"} if document["status"] == 503 else None)

    @app.exception_handler(Exception)
    async def on_other(request: Request, error: Exception) -> Response:
        log_failure(request.scope, error)
        return problem_response(problem(500, "an unexpected error; the log of the server names its place"))
