"""Running the server: uvicorn in this process, until it is stopped."""

import logging

import uvicorn

from brain_pipelines.server.app import create_app
from brain_pipelines.server.hosts import is_loopback
from brain_pipelines.server.log import flush, log
from brain_pipelines.server.protocol import protocol_with
from brain_pipelines.server.sockets.commands import Commands
from brain_retrieval.home import Home
from brain_retrieval.settings import Settings

STOP_SECONDS = 20


class _Server(uvicorn.Server):
    """A server that says where it listens, once it does."""

    async def startup(self, sockets: list[object] | None = None) -> None:  # type: ignore[override]
        await super().startup(sockets)  # type: ignore[arg-type]
        for one in self.servers:
            for socket in one.sockets:
                host, port = socket.getsockname()[:2]
                page = f"http://{f'[{host}]' if ':' in host else host}:{port}/"
                log("listening", host=host, port=port, loopback=is_loopback(host), page=page)


def serve(home: Home, settings: Settings, commands: Commands | None = None) -> None:
    """Serve a home until SIGINT or SIGTERM; requests that run get 20 seconds. `commands` are answered beside them."""
    limits = settings.server
    # uvicorn's own log shows paths and messages of exceptions, which may hold names and texts
    logging.getLogger("uvicorn").setLevel(logging.CRITICAL + 1)
    config = uvicorn.Config(
        create_app(home, settings, commands),
        host=limits.host,
        port=limits.port,
        http=protocol_with(limits),
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=limits.connections,
        timeout_graceful_shutdown=STOP_SECONDS,
    )
    _Server(config).run()
    flush()
