"""Addresses that partitions share: one holds each, whoever waits has its turn, and no gap is below the delay."""

import random
from dataclasses import dataclass, field
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from minicrawl.cluster.shared_addresses import SharedAddresses

DELAY, ANSWER = 1.0, 0.3


@dataclass
class Asker:
    """A partition with a clock for each address that it holds. wants: addresses at which it has pages."""

    wants: list[str]
    ready_at: dict[str, float] = field(default_factory=dict)
    in_flight: dict[str, float] = field(default_factory=dict)
    leaving: set[str] = field(default_factory=set)

    def die(self) -> None:
        self.ready_at, self.in_flight, self.leaving = {}, {}, set()

    def told(self, granted: dict[str, float], wanted_back: list[str], now: float) -> None:
        for name, seconds in granted.items():
            assert name not in self.ready_at, "it is held already"
            self.ready_at[name] = now + seconds
        self.leaving.update(wanted_back)

    def ask(self, now: float, log: list[tuple[str, float]]) -> None:
        self.in_flight = {name: end for name, end in self.in_flight.items() if end > now}
        for name, ready_at in self.ready_at.items():
            if ready_at <= now and name not in self.leaving and name not in self.in_flight:
                log.append((name, now))
                self.in_flight[name] = now + ANSWER
                self.ready_at[name] = now + DELAY

    def say(self, now: float) -> tuple[list[str], dict[str, float]]:
        left = {name: max(self.ready_at.pop(name) - now, 0.0) for name in self.leaving - self.in_flight.keys()}
        self.leaving -= left.keys()
        return [name for name in self.wants if name not in self.ready_at], left


@given(st.integers(1, 5), st.integers(1, 4), st.integers(0, 6), st.integers(0, 2**32))
def test_one_holds_an_address_and_nobody_waits_for_ever(
    partitions: int, addresses: int, deaths: int, seed: int
) -> None:
    rng = random.Random(seed)
    names = [f"192.0.2.{number}" for number in range(addresses)]
    askers = [Asker([name for name in names if rng.random() < 0.7]) for _ in range(partitions)]
    shared = SharedAddresses(DELAY, range(partitions), is_new=True)
    log: list[tuple[str, float]] = []
    asked: set[tuple[int, str]] = set()
    now = 0.0
    for _ in range(400):
        orders = shared.orders(range(partitions), now)
        for number, asker in enumerate(askers):
            order = orders[number]
            if deaths and rng.random() < 0.02:
                deaths -= 1
                if rng.random() < 0.5:  # it has got what it was granted, and may have asked
                    asker.told(order["granted"], order["wanted_back"], now)
                    asker.ask(now, log)
                asker.die()
                shared.note_death(number, now)
                continue
            asker.told(order["granted"], order["wanted_back"], now)
            before = len(log)
            asker.ask(now, log)
            asked.update((number, name) for name, _ in log[before:])
            shared.note(number, *asker.say(now), now)
        assert all(sum(name in asker.ready_at for asker in askers) <= 1 for name in names)
        now += rng.choice([0.05, 0.1, 0.5])
    for name in names:
        times = sorted(at for address, at in log if address == name)
        assert all(later - earlier >= DELAY - 1e-9 for earlier, later in pairwise(times))
    assert asked == {(number, name) for number, asker in enumerate(askers) for name in asker.wants}


def test_an_address_that_one_alone_asks_is_never_wanted_back() -> None:
    shared = SharedAddresses(DELAY, range(2), is_new=False)
    shared.note(1, ["a"], {}, now=2.0)
    shared.note(0, [], {}, now=4.0)
    assert shared.has_to_grant
    assert shared.orders(range(2), 4.25)[1] == {"granted": {"a": 4.0 + DELAY - 4.25}, "wanted_back": []}
    shared.note(1, [], {}, 3.0)
    assert (shared.has_to_grant, shared.orders(range(2), 100.0)[1]["wanted_back"]) == (False, [])
    shared.note(0, ["a"], {}, 100.0)
    assert (shared.has_to_grant, shared.orders(range(2), 100.0)[1]["wanted_back"]) == (False, ["a"])
    shared.note(1, ["a"], {"a": 0.5}, 100.0)
    assert shared.orders(range(2), 100.2)[0]["granted"] == {"a": 100.5 - 100.2}


def test_nothing_is_granted_before_all_are_heard_of() -> None:
    """Until then a process of the run before may have its store, and ask; one that dies at once has told nothing."""
    shared = SharedAddresses(DELAY, range(2), is_new=False)
    shared.note(0, ["a"], {}, 0.0)
    shared.note_death(1, 1.0)
    assert shared.orders(range(2), 50.0)[0]["granted"] == {}
    shared.note(1, [], {}, 60.0)
    assert shared.orders(range(2), 60.0)[0]["granted"] == {"a": DELAY}
