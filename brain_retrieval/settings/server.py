"""Settings of `brain serve`: where it listens, and its limits."""

from pydantic import Field

from brain_retrieval.home import READY_MINUTES
from brain_retrieval.settings.section import Section
from brain_retrieval.settings.sections import MEGABYTE


class ServerSettings(Section, frozen=True):
    """The HTTP server. Only loopback names and `allowed_hosts` are accepted as the host of a request."""

    host: str = Field(default="127.0.0.1", min_length=1)
    port: int = Field(default=8765, ge=0, le=65_535)  # 0: any free one
    allowed_hosts: tuple[str, ...] = ()  # further names by which this server is reached, without a port
    workers: int | None = Field(default=None, ge=0, le=64)  # processes that read; None: one a core, at most 8
    threads: int = Field(default=8, ge=1, le=256)  # requests that read at the same time in the server's own process
    write_threads: int = Field(default=2, ge=1, le=64)  # users whose writes are processed at the same time
    waiting: int = Field(default=256, ge=1)  # requests that wait for a thread; more are answered with 503
    waiting_of_key: int = Field(default=128, ge=1)  # requests of one key among those
    connections: int = Field(default=1000, ge=10)
    users_open: int = Field(default=16, ge=1)  # users whose stores stay open
    requests_per_second: float = Field(default=100.0, gt=0)  # of one key
    burst: int = Field(default=200, ge=1)  # requests of one key at once
    max_body_bytes: int = Field(default=16 * MEGABYTE, ge=1024)  # of a request that is not an upload
    header_seconds: float = Field(default=10.0, gt=0)  # until the first line and the headers have arrived
    body_seconds: float = Field(default=30.0, gt=0)  # until the body has arrived, beside the time of `min_rate`
    min_rate: int = Field(default=16_384, ge=1)  # bytes per second of a body that takes longer
    send_seconds: float = Field(default=60.0, gt=0)  # that a client may take without reading anything
    load_models: bool = True  # in the background at the start; False: at their first use
    process_uploads: bool = True  # False: uploads wait for the sensor of Dagster or for `brain rerun`
    behind_seconds: float = Field(default=3600.0, gt=0)  # age of work that waits, after which health says "behind"
    answer_commands: bool = True  # of this home, as `brain search`, so that they need not load the models themselves
    ready_minutes: float = Field(default=READY_MINUTES, ge=0, le=1440)  # that a process which answers commands in a
    # terminal stays after the last one; 0: each command loads what it needs
    record: bool = False  # take lines of agent sessions at POST /api/record
