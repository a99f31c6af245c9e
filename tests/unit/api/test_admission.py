"""Admission: who works, who waits, who is turned away."""

from __future__ import annotations

import asyncio

import pytest

from recalld.api.admission import Lane
from recalld.domain.errors import Overloaded


async def test_over_capacity_the_wait_ends_with_the_published_message() -> None:
    lane = Lane("recall", 1, 0.01)
    async with lane.admit():
        with pytest.raises(Overloaded) as refused:
            async with lane.admit():
                pytest.fail("admitted")
    expected = "Server is at capacity for 'recall' (1 concurrent); try again shortly."
    assert (refused.value.message, refused.value.retry_after) == (expected, 1)
    async with lane.admit():
        pass


async def test_who_comes_first_goes_first() -> None:
    lane = Lane("recall", 2, 30.0)
    order: list[int] = []

    async def visit(number: int) -> None:
        async with lane.admit():
            order.append(number)
            await asyncio.sleep(0)

    await asyncio.gather(*(visit(number) for number in range(10)))
    assert order == list(range(10))


async def test_who_leaves_the_queue_gives_up_the_turn() -> None:
    lane = Lane("recall", 1, 30.0)

    async def visit() -> None:
        async with lane.admit():
            pass

    async with lane.admit():
        leaving, staying = asyncio.ensure_future(visit()), asyncio.ensure_future(visit())
        await asyncio.sleep(0)
        leaving.cancel()
    await staying
    assert leaving.cancelled()


async def test_a_failure_inside_gives_the_place_back() -> None:
    lane = Lane("recall", 1, 0.01)
    with pytest.raises(ZeroDivisionError):
        async with lane.admit():
            raise ZeroDivisionError
    async with lane.admit():
        pass
