"""The slots of requests in flight, by how far the crawl keeps up with their answers."""

from functools import partial

from minicrawl.crawler.loop.in_flight import Slots

ROOM = 64


def adapted(slots: Slots, *shares: float) -> list[float]:
    """The slots after each quarter of a second of which the thread was busy for a share."""
    now, busy, found = 100.0, 50.0, []
    slots.adapt(now, partial(float, busy), ROOM)
    for share in shares:
        now, busy = slots.look_at + 0.15, busy + 0.25 * share
        slots.adapt(now, partial(float, busy), ROOM)
        found.append(slots.most)
    return found


def test_there_are_as_many_slots_as_the_thread_keeps_up_with() -> None:
    found = adapted(Slots(), *[0.9] * 20, *[1.0] * 20, *[0.9] * 20)
    assert found[:20] == sorted(found[:20])
    assert found[19] >= ROOM
    assert found[20:40] == sorted(found[20:40], reverse=True)
    assert found[39] == Slots().most
    assert found[59] >= ROOM


def test_one_look_tells_nothing() -> None:
    slots = Slots()
    slots.adapt(100.0, lambda: 100.0, ROOM)
    before = slots.most
    slots.adapt(100.05, lambda: 100.05, ROOM)
    assert slots.most == before
