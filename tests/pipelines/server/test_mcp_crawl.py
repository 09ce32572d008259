"""The tool knowledge_crawl against a site on loopback."""

import time

from brain_pipelines.server.mcp import crawl_tool
from brain_pipelines.server.mcp.memory import UserMemory
from tests.pipelines.conftest import Bench
from tests.pipelines.connectors.crawl.sites import answers
from tests.pipelines.connectors.http.servers import serve
from tests.pipelines.server.conftest import call, text_of


def test_a_page_is_fetched_in_the_background_and_then_found(bench: Bench, monkeypatch) -> None:
    memory = UserMemory(bench.home, "alice")
    with serve(dict(answers({"/": ["/a"], "/a": []}))) as site:
        allow = f'[fetch]\nallow_networks = ["127.0.0.0/8"]\nports = [80, {site.port}]\n'
        (bench.home.path / "brain.toml").write_text(allow + "[crawl]\nrequests_per_second = 200.0\n")
        monkeypatch.setattr(crawl_tool, "WAIT_SECONDS", 600.0)  # a loaded machine takes long
        (waits,) = call(memory, ("knowledge_crawl", {"url": site.url("/a"), "max_pages": 2}))
        assert "has not approved" in text_of(waits) and waits.structured_content["items"] == []
        (unread,) = call(memory, ("memory_get", {"id": f"{site.url('/a')}"}))
        assert unread.is_error
        (bench.home.path / "brain.toml").write_text(
            allow + '[crawl]\nrequests_per_second = 200.0\n[trust]\nagent = "trusted"\n'
        )
        page = ("knowledge_crawl", {"url": site.url("/")})
        monkeypatch.setattr(crawl_tool, "WAIT_SECONDS", 0.0)
        (begun,) = call(memory, page)
        assert begun.structured_content["status"] == "running" and "again" in text_of(begun)
        monkeypatch.setattr(crawl_tool, "WAIT_SECONDS", 60.0)
        while (done := call(memory, page)[0]).structured_content["status"] == "running":
            time.sleep(0.2)
        assert done.structured_content["status"] == "completed", text_of(done)
        (found,) = done.structured_content["items"]
        (read,) = call(memory, ("memory_get", {"id": found["id"]}))
        assert not read.is_error and found["uri"] in text_of(read)
        (failed,) = call(memory, ("knowledge_crawl", {"url": site.url("/missing")}))
        assert failed.is_error and "404" in text_of(failed)
    memory.close()
