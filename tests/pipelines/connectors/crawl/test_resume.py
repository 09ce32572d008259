"""A killed crawl resumes: no page is lost, and no recorded page is fetched again."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.paths import ROOT
from tests.pipelines.connectors.crawl.sites import answers, crawl, job, kept_files, states
from tests.pipelines.connectors.http.servers import Request, reply, serve

CHILD = """
import sys
from pathlib import Path
from tests.pipelines.connectors.crawl.sites import crawl, job
from tests.pipelines.connectors.http.servers import Site
site = Site(int(sys.argv[2]), {})
crawl(Path(sys.argv[1]), site, job(site, max_depth=4))
"""


def test_killed_crawl_resumes_without_loss(tmp_path: Path) -> None:
    tree = {"/": [f"/p{n}" for n in range(6)], **{f"/p{n}": [f"/p{n}/c{m}" for m in range(3)] for n in range(6)}}
    tree |= {f"/p{n}/c{m}": [] for n in range(6) for m in range(3)}
    slow = {"seconds": 0.05}

    def delayed(request: Request) -> bytes:
        time.sleep(slow["seconds"])
        return known[request.path](request) if request.path in known else reply("", 404)

    known = answers(tree)
    with serve({"*": delayed}) as site:
        wanted = job(site, max_depth=4)
        for target in (4, 11):  # killed twice
            child = subprocess.Popen([sys.executable, "-c", CHILD, str(tmp_path), str(site.port)], cwd=ROOT)
            deadline = time.monotonic() + 200
            while time.monotonic() < deadline and len(kept_files(tmp_path)) < target and child.poll() is None:
                time.sleep(0.01)
            os.kill(child.pid, signal.SIGKILL)
            child.wait()
            assert len(kept_files(tmp_path)) >= target
        recorded = [path for path, (state, _) in states(tmp_path, wanted).items() if state == "done"]
        slow["seconds"] = 0
        site.requests.clear()
        result = crawl(tmp_path, site, wanted)
        assert result.job.status == "completed" and result.job.progress["processed"] == len(tree)
        assert not set(recorded) & set(site.paths())
        # only the page in flight when the process died may be fetched again
        assert len(set(site.paths()) - {"/robots.txt"}) == len(tree) - len(recorded)
        assert len(kept_files(tmp_path)) == len(tree)
