"""Records as bytes, and back."""

import random

import numpy as np
import pytest

from minicrawl.store.partitions.records import Records, Sums, joined, packed, sums, unpacked


def some_records(rng: random.Random, count: int) -> Records:
    def numbers(most: int, kind: type[np.signedinteger]) -> np.ndarray:
        return np.array([rng.randint(-most, most) for _ in range(count)], dtype=kind)

    return Records(
        urls=[f"http://h{at}.test/é{rng.random()}" for at in range(count)],
        found_on=[rng.choice(["", "http://x.test/"]) for _ in range(count)],
        received=numbers(2**62, np.int64),
        inlinks=numbers(2**31 - 1, np.int32),
        depth=abs(numbers(2**30, np.int32)),
        chain_length=abs(numbers(127, np.int8)),
        voices=abs(numbers(9, np.int64)),
    )


@pytest.mark.parametrize("senders", [1, 2, 9])
def test_records_of_several_are_added_up(senders: int) -> None:
    rng = random.Random(senders)
    each = []
    for _ in range(senders):
        records = some_records(rng, rng.randrange(8))
        small = {name: getattr(records, name) // 2**7 for name in ("received", "inlinks")}
        urls = rng.sample([f"http://h.test/{number}" for number in range(10)], len(records.urls))
        each.append(records._replace(**small, urls=urls))
    all_rows, ends = unpacked(rows := [packed(records, [len(records.urls)])[0] for records in each])
    assert packed(all_rows, ends) == rows
    assert sums(all_rows, ends) == [
        Sums(
            int(records.received.sum()),
            sum(units for units in records.received.tolist() if units > 0),
            -sum(units for units in records.received.tolist() if units < 0),
        )
        for records in each
    ]
    found = joined(all_rows)
    assert set(found.urls) == {url for records in each for url in records.urls}
    for at, url in enumerate(found.urls):
        own = [(records, records.urls.index(url)) for records in each if url in records.urls]
        for name in ("received", "inlinks", "voices"):
            assert getattr(found, name)[at] == sum(int(getattr(records, name)[place]) for records, place in own)
        assert found.depth[at] == min(records.depth[place] for records, place in own)
        assert found.chain_length[at] == max(records.chain_length[place] for records, place in own)
        pages = [records.found_on[place] for records, place in own]
        assert found.found_on[at] == next(filter(None, pages), "")


@pytest.mark.parametrize(
    "row", [b"", b"[", b"\xff", b"[]", b"[[], [], [], [], []]", b'[["http://a.test/"],[""],[1],[1],[1],[],[]]']
)
def test_bytes_that_are_no_records(row: bytes) -> None:
    with pytest.raises(ValueError, match=r"record|JSON|Expecting|decode"):
        unpacked([row])
