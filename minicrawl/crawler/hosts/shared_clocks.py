"""The clocks of hosts and IP addresses, shared by all crawls of a user on one machine.

Between two requests to a host or an address, from any of these crawls, as within one crawl,

    gap >= the larger of their delays

A file has a slot for each clock, by hash; clocks of the same slot wait for each other. A crawl that is alone keeps its
clocks to itself. Locks on single bytes of the file tell who else is there; the system drops those of a killed process:

slot    held while a request to the host or address is in flight
TABLE   exclusive: its holder is alone; shared: its holders read and write the slots
DOOR    its holders wait until the crawl that is alone has written its clocks into the slots, at its next look

A slot in flight that nobody holds is of a killed crawl, which may have asked the host just before; slot 0 stands for
all hosts of a crawl that is alone. Times are microseconds of the machine's monotonic clock, and slots of an earlier
boot are void, so steps of the clock do not matter. If the file cannot be used, the crawl goes on alone, with a warning.
"""

import errno
import math
import os
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

import numpy as np

from minicrawl import log
from minicrawl.crawler.hosts.host import Clock
from minicrawl.opic.arrays import IntArray
from minicrawl.system import BINARY, Lock, lock_byte, read_at, user, write_at

SLOTS = 2**15
_ALL, _TABLE, _DOOR = 0, SLOTS, SLOTS + 1
_SLOT = struct.Struct("<4q")
_LOOK, _RETRY = 0.5, 0.05
"""Seconds between two looks at other crawls; until a crawl, or a host, that waits for another tries again."""
_REMEMBERED = 300.0
"""Seconds for which a request matters to crawls with larger delays."""
_PATIENCE, _STUCK = 10.0, 300.0
"""Seconds for which a stopped process holds up the start of other crawls; their requests to one host."""
_LONGEST = 1e9
"""Seconds: no time or delay is longer."""

Clocks = Callable[[], Iterable[Clock]]


class Slot(NamedTuple):
    """A clock in the file: the time of the last request, the delay from then on, the end of a rest. Seconds."""

    asked: float = -_LONGEST
    delay: float = 0.0
    rests_until: float = -_LONGEST
    in_flight: bool = False

    def until(self, delay: float = 0.0) -> float:
        """The time from which a crawl with another delay may ask."""
        return max(self.asked + max(self.delay, delay), self.rests_until)

    def merged(self, other: "Slot") -> "Slot":
        """The clock for which `until` is the later time of both, whatever the delay."""
        later = max(self, other)
        return later._replace(rests_until=max(self.until(), other.until()))


_NEVER = Slot()


class SharedClocks:
    """The clocks in the file, as one crawl uses them.

    `is_shared`: clocks are to be claimed. `is_waiting`: no request may be made, as a crawl that is alone may not have
    noticed this one. `next_look`: Unix seconds.
    """

    def __init__(self, offset: float, delay: float, *, is_part: bool) -> None:
        """offset: Unix seconds less those of the monotonic clock. delay: of most hosts, in seconds; 0: no host has
        one, and the file is not opened. is_part: the crawl has other partitions, so it is never alone."""
        self._delay = delay
        self.is_shared = self.is_waiting = False
        self.next_look = 0.0
        self._offset = offset
        self._is_part = is_part
        self._handle = -1
        self._is_in = self._is_alone = self._has_failed = False
        self._waits_since = 0.0
        self._shared_until = 0.0
        self._all = _NEVER  # for all hosts
        self._held: dict[int, set[str]] = {}  # names of own clocks, by slot
        self._seal = int.from_bytes(blake2b(_boot(), digest_size=7).digest()) << 1

    def look(self, now: float, clocks: Clocks) -> None:
        """Look at other crawls, if it is time. clocks: gives all clocks of this one."""
        if now < self.next_look:
            return
        if not self._delay or self._has_failed:
            self.leave(now, clocks)
            self.next_look = math.inf
            return
        with self._failing():
            self._look(now - self._offset, clocks)
        is_through = self._is_part and self._is_in  # others cannot change what it does
        self.next_look = now + (_RETRY if self.is_waiting else math.inf if is_through else _LOOK)

    def adjust(self, delay: float) -> None:
        """Change the delay."""
        self._delay, self.next_look = delay, 0.0

    def leave(self, now: float, clocks: Clocks) -> None:
        """Make no more requests."""
        with self._failing():
            if self._is_alone:
                self._publish(clocks, now - self._offset)
                self._write(_ALL, self._all)
        self.close()

    def claim(self, clocks: Iterable[Clock], now: float) -> bool:
        """Claim clocks for a request until they `end`. False: one of them was set to a later time instead."""
        at, claimed, may_be_asked = now - self._offset, list[Clock](), True
        with self._failing():
            for clock in clocks:
                until = max(self._all.until(clock.delay), self._claim(clock, at, claimed)) + self._offset
                claimed.append(clock)
                if until > now:
                    clock.ready_at = max(clock.ready_at, until)
                    may_be_asked = False
            for clock in claimed:
                if may_be_asked:
                    self._write(_slot_of(clock), self._of(clock)._replace(asked=at, in_flight=True))
                else:
                    self._release(clock)
        return may_be_asked

    def end(self, clock: Clock) -> None:
        """End a request to a host or address, whose clock was set for the next one."""
        slot = _slot_of(clock)
        names = self._held.get(slot, ())
        if clock.key in names:
            with self._failing():
                self._write(slot, self._of(clock) if len(names) == 1 else self._merged(slot, self._of(clock)))
                self._release(clock)

    def _look(self, now: float, clocks: Clocks) -> None:
        if self._handle < 0:
            self._handle = _opened(place())
        if not self._is_in:
            self._is_alone = not self._is_part and self._lock(_TABLE)
            self._is_in = self._is_alone or self._lock(_TABLE, Lock.SHARED)
            if not self._is_in:
                self._lock(_DOOR, Lock.SHARED)
                self._waits_since = self._waits_since or now
                is_over = now > self._waits_since + _PATIENCE
                if self.is_waiting and is_over:
                    log.clocks_not_shared(why="one of them does not go on")
                self.is_waiting = not is_over
                return
            self._come_in(now)
        elif not self._lock(_DOOR):
            if self._is_alone:
                self._publish(clocks, now)
                self._write(_ALL, self._all)
                self._is_alone = not self._lock(_TABLE, Lock.SHARED)
        else:
            self._lock(_DOOR, Lock.NONE)
            if not (self._is_alone or self._is_part) and self._lock(_TABLE):
                self._be_alone(now)
            elif self._is_alone and self._all.delay and self._all.until() <= now:
                self._stand_for_all(now)
        self.is_shared = not self._is_alone or now < self._shared_until
        if not self.is_shared:
            self._release_all()

    def _come_in(self, now: float) -> None:
        self.is_waiting, self._waits_since = False, 0.0
        self._lock(_DOOR, Lock.NONE)
        self._all = self._read(_ALL, now)
        if self._all.in_flight:
            self._all = self._all._replace(asked=now, in_flight=False)
        if self._is_alone:
            self._be_alone(now)
        else:
            self._write(_ALL, self._all)

    def _be_alone(self, now: float) -> None:
        """Read the slots for as long as what is in them matters, and none after that."""
        self._is_alone = True
        self._stand_for_all(now)
        table = self._table()
        ends = _ends(table[table[:, 0] < (now + _REMEMBERED) * 1e6], _REMEMBERED)
        self._shared_until = float(ends.max(initial=0)) / 1e6

    def _stand_for_all(self, now: float) -> None:
        """Write the slot for all hosts. The delay of a killed crawl holds once, not for those killed after it."""
        if self._all.until() <= now:
            self._all = self._all._replace(delay=0.0)
        self._write(_ALL, self._all._replace(delay=max(self._delay, self._all.delay), in_flight=True))

    def _publish(self, clocks: Clocks, now: float) -> None:
        """Write the clocks that matter to others, with the requests in flight. Nobody else uses the slots meanwhile."""
        self._release_all()
        now += self._offset
        noted = [
            clock
            for clock in clocks()
            if clock.delay
            and (max(clock.ready_at, clock.rests_until) > now or clock.ready_at - clock.delay > now - _REMEMBERED)
        ]
        if not noted:
            return
        slots = np.array([_slot_of(clock) for clock in noted])
        seconds = np.array([self._of(clock)[:3] for clock in noted]).clip(-_LONGEST, _LONGEST)
        rows = (seconds * 1e6).astype(np.int64)
        table = self._table()
        table[slots, 2] = _ends(table[slots])  # as `Slot.merged`; then the delays do not matter
        np.maximum.at(table[:, 2], slots, _ends(rows))
        np.maximum.at(table[:, 0], slots, rows[:, 0])
        table[slots, 1] = 0
        table[slots, 3] = np.bitwise_xor.reduce(table[slots, :3], axis=1) ^ self._seal
        write_at(self._handle, table.tobytes(), 0)
        for clock, slot in zip(noted, slots.tolist(), strict=True):
            if clock.in_flight and (slot in self._held or self._lock(slot)):
                self._held.setdefault(slot, set()).add(clock.key)
                self._write(slot, self._merged(slot, self._of(clock)))

    def _table(self) -> IntArray:
        """All slots: microseconds, as in `Slot`, and the seal; void ones are zero."""
        table = np.zeros((SLOTS, 4), dtype="<i8")
        data = read_at(self._handle, table.nbytes, 0)
        found = np.frombuffer(data[: len(data) // 8 * 8], dtype="<i8")
        table.ravel()[: len(found)] = found
        table[np.bitwise_xor.reduce(table, axis=1) | 1 != self._seal | 1] = 0
        return table

    def _claim(self, clock: Clock, now: float, claimed: Iterable[Clock]) -> float:
        """Hold the slot of a clock, if it can be had; returns the time from which it may be asked."""
        slot, name = _slot_of(clock), clock.key
        names = self._held.get(slot)
        if names is not None:
            if name not in names and slot not in map(_slot_of, claimed):
                return now + _RETRY
            names.add(name)
            return -_LONGEST
        is_held = self._lock(slot)
        other = self._read(slot, now)
        if not is_held:
            waited = now - other.asked
            next_try = now + min(max(_RETRY, waited / 8), 1.0)
            return -_LONGEST if waited > _STUCK else max(other.until(clock.delay), next_try)
        self._held[slot] = {name}
        if other.in_flight:
            other = other._replace(asked=now, in_flight=False)
            self._write(slot, other)
        return other.until(clock.delay)

    def _release(self, clock: Clock) -> None:
        """Release the slot of a clock, unless other requests to its host are in flight."""
        slot = _slot_of(clock)
        names = self._held.get(slot)
        if names is not None and not clock.in_flight:
            names.discard(clock.key)
            if not names:
                del self._held[slot]
                self._lock(slot, Lock.NONE)

    def _release_all(self) -> None:
        for slot in self._held:
            self._lock(slot, Lock.NONE)
        self._held.clear()

    def _of(self, clock: Clock) -> Slot:
        asked = clock.ready_at - clock.delay - self._offset
        return Slot(asked, clock.delay, clock.rests_until - self._offset, clock.in_flight > 0)

    def _merged(self, slot: int, own: Slot) -> Slot:
        """An own clock and that in its slot, as one."""
        return own.merged(self._read(slot, own.asked))._replace(in_flight=slot in self._held)

    def _read(self, slot: int, now: float) -> Slot:
        data = read_at(self._handle, _SLOT.size, slot * _SLOT.size)
        if len(data) < _SLOT.size:
            return _NEVER
        asked, delay, rests_until, seal = _SLOT.unpack(data)
        in_flight = asked ^ delay ^ rests_until ^ seal ^ self._seal
        is_sound = in_flight in (0, 1) and asked / 1e6 < now + _REMEMBERED
        return Slot(asked / 1e6, delay / 1e6, rests_until / 1e6, bool(in_flight)) if is_sound else _NEVER

    def _write(self, slot: int, clock: Slot) -> None:
        asked, delay, rests_until = (int(min(max(time, -_LONGEST), _LONGEST) * 1e6) for time in clock[:3])
        seal = asked ^ delay ^ rests_until ^ self._seal ^ clock.in_flight
        write_at(self._handle, _SLOT.pack(asked, delay, rests_until, seal), slot * _SLOT.size)

    def _lock(self, byte: int, lock: Lock = Lock.EXCLUSIVE) -> bool:
        return lock_byte(self._handle, byte, lock)

    @contextmanager
    def _failing(self) -> Iterator[None]:
        """Go on alone after a failure of the file."""
        try:
            yield
        except (OSError, RuntimeError) as error:
            log.clocks_not_shared(why=str(error))
            self._has_failed = True
            self.close()

    def close(self) -> None:
        """Let go of the file, as a killed process does."""
        if self._handle >= 0:
            os.close(self._handle)
        self._handle = -1
        self._is_in = self._is_alone = self.is_shared = self.is_waiting = False
        self._held.clear()


def place() -> Path:
    """The file of this user. Raises RuntimeError for a user without a home."""
    state = Path(os.environ.get("XDG_STATE_HOME", ""))
    return (state if state.is_absolute() else Path.home() / ".local" / "state") / "minicrawl" / "clocks"


def _opened(file: Path) -> int:
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle = os.open(file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | BINARY, 0o600)
    if os.fstat(handle).st_uid != user():
        os.close(handle)
        raise PermissionError(errno.EPERM, "belongs to another user", str(file))
    return handle


def _boot() -> bytes:
    """An identifier of this run of the system; empty where it has none."""
    with suppress(OSError):
        return Path("/proc/sys/kernel/random/boot_id").read_bytes()
    return b""


def _ends(rows: IntArray, least: float = 0.0) -> IntArray:
    """`Slot.until` of rows of the table, in microseconds, with a least delay in seconds."""
    ends: IntArray = np.maximum(rows[:, 0] + np.maximum(rows[:, 1], int(least * 1e6)), rows[:, 2])
    return ends


def _slot_of(clock: Clock) -> int:
    return zlib.crc32(clock.key.encode()) % (SLOTS - 1) + 1
