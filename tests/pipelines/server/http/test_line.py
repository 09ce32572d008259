"""The line of requests that wait: whose turn is next, how many may wait, and those who leave."""

import asyncio

import pytest

from brain_pipelines.server.line import Asker, Line
from brain_pipelines.server.problems import ProblemError

PHONE, AGENT, BOB = Asker("alice", "phone"), Asker("alice", "agent"), Asker("bob", "laptop")


async def settle() -> None:
    """Let every task run until it waits."""
    for _ in range(10):
        await asyncio.sleep(0)


async def served(line: Line, asked: list[Asker]) -> list[Asker]:
    """Return the order in which those are served who come while the only slot is taken."""
    order = list[Asker]()

    async def one(asker: Asker) -> None:
        async with line.turn(asker):
            order.append(asker)

    async with line.turn(Asker()):
        tasks = [asyncio.create_task(one(asker)) for asker in asked]
        await settle()
        assert len(line) == 1 + len(asked) and order == []
    await asyncio.gather(*tasks)
    assert len(line) == 0
    return order


def test_a_flood_waits_behind_itself() -> None:
    line = Line(slots=1, most=100, most_each=100)
    asked = [AGENT, AGENT, AGENT, AGENT, PHONE, BOB, BOB]
    assert asyncio.run(served(line, asked)) == [AGENT, BOB, PHONE, BOB, AGENT, AGENT, AGENT]


def test_too_many_are_sent_away() -> None:
    async def refused(line: Line, asked: list[Asker], last: Asker) -> str:
        async with line.turn(Asker()):
            waiting = [asyncio.create_task(line.turn(one).__aenter__()) for one in asked]
            await settle()
            with pytest.raises(ProblemError) as sent:
                await line.turn(last).__aenter__()
            for one in waiting:
                one.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)
        assert sent.value.status_code == 503 and sent.value.headers == {"Retry-After": "2"}
        return str(sent.value.detail)

    assert asyncio.run(refused(Line(slots=1, most=3, most_each=9), [AGENT, BOB], PHONE)) == (
        "too many requests are waiting"
    )
    assert asyncio.run(refused(Line(slots=1, most=9, most_each=2), [AGENT, AGENT], AGENT)) == (
        "too many requests with this key are waiting"
    )


def test_who_leaves_takes_no_slot() -> None:
    async def leave() -> int:
        line = Line(slots=1, most=9, most_each=9)
        entered = list[Asker]()

        async def one(asker: Asker) -> None:
            async with line.turn(asker):
                entered.append(asker)

        async with line.turn(Asker()):
            early, late = (asyncio.create_task(one(asker)) for asker in (AGENT, PHONE))
            await settle()
            early.cancel()
            await settle()
        late.cancel()  # its turn has come, and it has not run since
        await asyncio.gather(early, late, return_exceptions=True)
        assert entered == []
        async with line.turn(BOB):
            return len(line)

    assert asyncio.run(leave()) == 1
