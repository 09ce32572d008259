"""The command `brain crawl`: crawl from seed URLs into the inbox and run the pipeline. See `ingest/urls.py`."""

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from brain_pipelines.ingest.interrupts import handles_sigterm
from brain_retrieval.home import Home, default_home
from brain_retrieval.serve.cli import HomeOption, JsonOption, UserOption, answers_errors

if TYPE_CHECKING:
    from brain_pipelines.connectors.crawl.job import CrawlJob

SeedsOption = Annotated[list[str] | None, typer.Argument(help="Seed URLs (http or https).")]
DepthOption = Annotated[int | None, typer.Option("--depth", min=0, max=20, help="Maximum number of links from a seed.")]
MaxPagesOption = Annotated[int | None, typer.Option("--max-pages", min=1, help="Maximum number of pages.")]
AllowOption = Annotated[
    list[str] | None,
    typer.Option("--allow", help="Allowed domain, subdomains included (default: the seeds')."),
]
ExcludeOption = Annotated[
    list[str] | None,
    typer.Option("--exclude", help="Skip URLs that match this glob (* and ?) or contain this text."),
]
RateOption = Annotated[float | None, typer.Option("--rate", min=0.001, help="Requests per second to one host.")]
DelayOption = Annotated[float | None, typer.Option("--delay", min=0, help="Seconds between two requests to one host.")]
UserAgentOption = Annotated[
    str | None, typer.Option("--user-agent", help="User agent of the requests (default: fetch.user_agent).")
]
TimeoutOption = Annotated[
    float | None, typer.Option("--timeout", min=0.1, help="Seconds for one page with its redirects.")
]
RobotsOption = Annotated[
    bool | None,
    typer.Option("--robots/--no-robots", help="Obey robots.txt (default: crawl.respect_robots_txt, on)."),
]
MediaOption = Annotated[
    bool | None,
    typer.Option("--media/--no-media", help="Fetch pictures and recordings too (default: crawl.extract_media, off)."),
]
ResumeOption = Annotated[str | None, typer.Option("--resume", help="Id of a job to resume.")]
AgainOption = Annotated[bool, typer.Option("--again", help="Restart a finished job; only changed pages are stored.")]
ListedOption = Annotated[bool, typer.Option("--list", help="List the user's jobs.")]


def register(app: typer.Typer) -> None:
    """Add the command to `app`."""
    app.command()(answers_errors(handles_sigterm(crawl)))


def crawl(
    user: UserOption,
    seeds: SeedsOption = None,
    depth: DepthOption = None,
    max_pages: MaxPagesOption = None,
    allow: AllowOption = None,
    exclude: ExcludeOption = None,
    rate: RateOption = None,
    delay: DelayOption = None,
    user_agent: UserAgentOption = None,
    timeout: TimeoutOption = None,
    robots: RobotsOption = None,
    media: MediaOption = None,
    resume: ResumeOption = None,
    again: AgainOption = False,
    listed: ListedOption = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Follow links from the seeds, store the pages and run their days. An interrupted job is resumed."""
    from brain_pipelines.connectors.crawl.frontier import Frontier
    from brain_pipelines.ingest.console import progress_bars
    from brain_pipelines.ingest.urls import crawl as run

    where = Home((home or default_home()).expanduser().resolve())
    if listed:
        with Frontier(where.existing_space(user)) as frontier:
            _print_jobs(frontier.jobs(), as_json=as_json)
        return
    if not seeds and not resume:
        raise typer.BadParameter("give an address to begin at, --resume or --list")
    changes: dict[str, Any] = {
        "max_depth": depth,
        "max_pages": max_pages,
        "requests_per_second": rate,
        "delay_seconds": delay,
    }
    changes |= {
        "user_agent": user_agent,
        "timeout_seconds": timeout,
        "respect_robots_txt": robots,
        "extract_media": media,
    }
    patterns = {"allowed_domains": tuple(allow) if allow else None, "exclude_patterns": tuple(exclude or ()) or None}
    with progress_bars(Console(stderr=True, quiet=as_json)) as bars:
        report = run(where, user=user, seeds=seeds or (), resume=resume, again=again, bars=bars, **changes, **patterns)
    if as_json:
        typer.echo(json.dumps(report.to_json(), ensure_ascii=False, indent=2, default=str))
    else:
        console, job = Console(), report.result.job
        _print_jobs([job], as_json=False)
        for row in report.reasons[:20]:
            console.print(escape(f"{row['state']} {row['url']}: {row['reason']}"), soft_wrap=True, highlight=False)
        report.ingested.print(console)
    if not report.success:
        raise typer.Exit(1)


def _print_jobs(jobs: "list[CrawlJob]", *, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps([job.to_json() for job in jobs], ensure_ascii=False, indent=2))
        return
    table = Table("job", "status", "found", "kept", "failed", "left out", "seeds", box=None)
    for job in jobs:
        counts = [str(job.progress[key]) for key in ("discovered", "processed", "failed", "skipped")]
        table.add_row(job.id, job.status, *counts, escape(" ".join(job.seeds)[:60]))
    Console().print(table)
