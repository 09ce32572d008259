"""`Section`, the base of every section of the settings, and the types of values that several sections have."""

from typing import Annotated

from pydantic import AfterValidator, BaseModel


class Section(BaseModel, extra="forbid", frozen=True):
    """Base of every section: immutable, no unknown keys."""


def _address(url: str) -> str:
    if not url.strip().lower().startswith(("http://", "https://")):
        raise ValueError("must begin with http:// or https://, as in http://localhost:8080/v1")
    return url.strip()


# The address of an endpoint that speaks OpenAI's protocol, without the path of an operation.
Address = Annotated[str, AfterValidator(_address)]
