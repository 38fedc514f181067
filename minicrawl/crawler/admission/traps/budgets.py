"""Page budgets of sites, which grow with the sites that link there (IRLbot's STAR, WWW 2008).

The owner of a domain can make up hosts (wildcard DNS) and pages without end, but not links from other owners. So pages
are counted by domain, whatever their host, and so are the domains that link to it, from the first link on.

domain    a site (crawler/urls/keys.py): pages that one user of a shared host makes up must not cut the budget of others
linker    the registered domain of a linking site, as names under github.io cost nothing; domains at one IP address are
          one linker, as names on one machine cost little
voucher   a linker, counted as far as it is trusted, where walkers jump to sites (opic/sites/trust.py): a thousand
          domains made up behind one honest link vouch for little more than none. A full voucher makes room for PAGES, a
          linker that may be made up for fewer
group     the domains at one IP address. They share a budget, by the linkers from elsewhere; but no domain gets fewer
          pages than its own linkers give it, so that nobody can use up another's budget

Linkers are counted by a sketch (linear counting, Whang et al. 1990): each sets one of 256 bits, by hash. That is 32
bytes a domain; the standard error of the estimate is 3.8 % for 60 linkers, 4.7 % for 100; up to 10 it is mostly off by
one at most. Beyond 100 nothing is counted: such a domain has no budget. So a domain writes 83 rows at most, all at the
end of one table.
"""

import ipaddress
import math
from array import array
from collections.abc import Callable, Iterable, Mapping
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from minicrawl.crawler.urls.keys import registered_domain, site_of
from minicrawl.store.rows import DomainRow, LinkerRow
from minicrawl.store.writer import Writer

PAGES = 5_000
PAGES_PER_LINKER = 1_000
PAGES_PER_HOST = 50
HOSTS = PAGES // PAGES_PER_HOST
MANY_LINKERS = 100
"""Linkers from which on a domain has no budget."""

BUDGETS = frozenset({"trap-host-budget", "trap-many-hosts", "trap-address-budget"})
"""The rules on budgets."""

_BITS = 256
_BYTES = _BITS // 8
_ENOUGH = round(_BITS * -math.expm1(-MANY_LINKERS / _BITS))  # bits that MANY_LINKERS set
_NO_GROUP = -1
_UNKNOWN = -1


def vouched_for(vouchers: float) -> float:
    """The pages that a domain with so many vouchers may have."""
    return PAGES * (1.0 + vouchers) if vouchers < MANY_LINKERS else math.inf


def linkers_of(bits: int) -> int:
    """The most likely number of linkers that set so many bits."""
    return round(-_BITS * math.log1p(-bits / _BITS)) if bits < _ENOUGH else MANY_LINKERS


class Budgets:
    """The pages, hosts and linkers of every domain. Domains are numbered in the order in which they became known.

    Invariant: verdicts depend on the rows, the seeds, the vouchers and the numbers of pages alone.
    """

    vouchers: Callable[[str], float | None] | None = None
    """The vouchers of a domain by name, each as far as it is trusted, where walkers jump to sites; None: it is new."""

    def __init__(
        self, domains: Iterable[DomainRow] = (), linkers: npt.ArrayLike = (), pages: Mapping[str, int] | None = None
    ) -> None:
        """domains: by rising number. linkers: rows, shape (n, 2). pages: number of known pages by host, with its port
        if it has one."""
        self._numbers: dict[str, int] = {}
        self._names: list[str] = []
        self._domain_of: dict[str, int] = {}  # by host that has pages
        self._pages, self._hosts, self._group = array("q"), array("q"), array("q")
        self._linkers = bytearray()
        self._own_bit = array("h")  # the bit a domain sets as a linker; _UNKNOWN: it never was one
        self._seeds: set[int] = set()
        self._group_of: dict[str, int] = {}  # by address
        self._group_pages = array("q")
        self._group_linkers = bytearray()
        self._group_bit = bytearray()
        self._changed: dict[int, str | None] = {}  # addresses, by domain
        self._new_linkers: list[LinkerRow] = []
        domains = list(domains)
        for row in domains:
            self._number(row.name)
        stored = len(self._names)
        domain, bit = np.asarray(linkers, dtype=np.int64).reshape(-1, 2).T
        sketches = np.frombuffer(self._linkers, dtype=np.uint8)
        np.bitwise_or.at(sketches, _BYTES * domain + (bit >> 3), (1 << (bit & 7)).astype(np.uint8))
        del sketches  # the buffer cannot grow while it is exported
        for host, known in (pages or {}).items():
            if known:
                number = self._domain_of[host] = self._at(host)
                self._hosts[number] += 1
                self._pages[number] += known
        for row in domains:
            if row.address is not None:
                self._join(row.id, row.address)
        # Domains known by their pages only are new: those of a crawl without traps.
        self._changed = {number: address for number, address in self._changed.items() if number >= stored}

    def protect(self, hosts: Iterable[str]) -> None:
        """Exempt the domains of these hosts from budgets: the user wants them crawled."""
        for host in hosts:
            number = self._at(host)
            if number not in self._seeds:
                self._seeds.add(number)
                group = self._group[number]
                if group != _NO_GROUP:
                    self._group_pages[group] -= self._pages[number]

    def located(self, host: str, address: str) -> None:
        """Record the IP address that a name server gave for a host. The first one of a domain decides on its group."""
        number = self._at(host)
        # Private addresses are the user's own: hosts that share one are under no suspicion.
        if self._group[number] == _NO_GROUP and ipaddress.ip_address(address).is_global:
            self._join(number, address)

    def linked(self, source: str, targets: Iterable[str]) -> None:
        """Record links from pages on the host `source` to these hosts."""
        own = self._at(source)
        bit = self._bit(own)
        byte, mask = bit >> 3, 1 << (bit & 7)
        for host in targets:
            number = self._domain_of.get(host)
            if number is None:
                number = self._at(host)
            if self._linkers[_BYTES * number + byte] & mask or number == own:
                continue  # the usual case
            if bit != self._bit(number) and self._count(number) < _ENOUGH:
                self._set(self._linkers, number, bit)
                self._new_linkers.append(LinkerRow(number, bit))
                if self._group[number] != _NO_GROUP:
                    self._set(self._group_linkers, self._group[number], bit)

    def refusal(self, host: str) -> tuple[str, str] | None:
        """The rule that refuses more pages of a host, and the name of the budget; None: there is room."""
        number = self._at(host)
        known, group = self._pages[number], self._group[number]
        is_crowded = group != _NO_GROUP and self._group_pages[group] >= PAGES
        has_many_hosts = self._hosts[number] >= HOSTS and host not in self._domain_of
        if not (known >= PAGES or is_crowded or has_many_hosts) or number in self._seeds:
            return None
        earned = self.earned(number)
        if known >= PAGES + earned:
            return "trap-host-budget", self._names[number]
        if has_many_hosts and PAGES_PER_HOST * self._hosts[number] >= PAGES + earned:
            return "trap-many-hosts", f"*.{self._names[number]}"
        if is_crowded and known >= earned and self._is_full(group):
            return "trap-address-budget", self._names[number]
        return None

    def add(self, host: str) -> None:
        """Count one more known page of the host."""
        number = self._domain_of.get(host)
        if number is None:
            number = self._domain_of[host] = self._at(host)
            self._hosts[number] += 1
        self._pages[number] += 1
        group = self._group[number]
        if group != _NO_GROUP and number not in self._seeds:
            self._group_pages[group] += 1

    def earned(self, number: int) -> float:
        """The pages that a domain may have on top of PAGES: by its vouchers, or by its linkers if those are unknown."""
        vouchers = None if self.vouchers is None else self.vouchers(self._names[number])
        if vouchers is not None:
            return vouched_for(vouchers) - PAGES
        linkers = self.linkers(number)
        return PAGES_PER_LINKER * linkers if linkers < MANY_LINKERS else math.inf

    def linkers(self, number: int) -> int:
        """The estimated number of linkers of a domain."""
        return linkers_of(self._count(number))

    def take_rows(self) -> tuple[list[DomainRow], list[LinkerRow]]:
        """Domains that are new or got an address, and new linkers, since the last call."""
        domains = [DomainRow(number, self._names[number], address) for number, address in self._changed.items()]
        linkers, self._new_linkers, self._changed = self._new_linkers, [], {}
        return domains, linkers

    def save(self, writer: Writer) -> None:
        domains, linkers = self.take_rows()
        writer.save_domains(domains)
        writer.add_linkers(linkers)

    def _at(self, host: str) -> int:
        """The number of a host's domain, given on first use."""
        number = self._domain_of.get(host)
        if number is not None:
            return number
        # Looking up a suffix takes long: a host that is known as a domain is its own.
        number = self._numbers.get(host)
        return self._number(site_of(host)) if number is None else number

    def _number(self, name: str) -> int:
        number = self._numbers.get(name)
        if number is None:
            number = self._numbers[name] = len(self._names)
            self._names.append(name)
            for column, start in ((self._pages, 0), (self._hosts, 0), (self._group, _NO_GROUP)):
                column.append(start)
            self._linkers.extend(bytes(_BYTES))
            self._own_bit.append(_UNKNOWN)
            self._changed[number] = None
        return number

    def _join(self, number: int, address: str) -> None:
        group = self._group_of.get(address)
        if group is None:
            group = self._group_of[address] = len(self._group_of)
            self._group_pages.append(0)
            self._group_linkers.extend(bytes(_BYTES))
            self._group_bit.append(_hashed(address))
        self._group[number] = group
        self._changed[number] = address
        if number not in self._seeds:
            self._group_pages[group] += self._pages[number]
        own, all_of_them = (slice(_BYTES * at, _BYTES * (at + 1)) for at in (number, group))
        united = self._linkers[own], self._group_linkers[all_of_them]
        self._group_linkers[all_of_them] = bytes(one | other for one, other in zip(*united, strict=True))

    def _bit(self, number: int) -> int:
        """The bit that a domain sets as a linker."""
        group = self._group[number]
        if group != _NO_GROUP:
            return self._group_bit[group]
        if self._own_bit[number] == _UNKNOWN:
            self._own_bit[number] = _hashed(registered_domain(self._names[number]))
        return self._own_bit[number]

    def _count(self, number: int) -> int:
        """The number of bits set by others; the bit of a domain's neighbours at its own address is left out."""
        sketch = self._linkers[_BYTES * number : _BYTES * (number + 1)]
        own = self._bit(number)
        return int.from_bytes(sketch).bit_count() - (sketch[own >> 3] >> (own & 7) & 1)

    def _is_full(self, group: int) -> bool:
        sketch = self._group_linkers[_BYTES * group : _BYTES * (group + 1)]
        own = self._has(self._group_linkers, group, self._group_bit[group])
        linkers = linkers_of(int.from_bytes(sketch).bit_count() - own)
        return linkers < MANY_LINKERS and self._group_pages[group] >= PAGES + PAGES_PER_LINKER * linkers

    @staticmethod
    def _has(sketches: bytearray, number: int, bit: int) -> bool:
        return bool(sketches[_BYTES * number + (bit >> 3)] >> (bit & 7) & 1)

    @staticmethod
    def _set(sketches: bytearray, number: int, bit: int) -> None:
        sketches[_BYTES * number + (bit >> 3)] |= 1 << (bit & 7)


def _hashed(name: str) -> int:
    """The bit of a name."""
    return blake2b(name.encode(), digest_size=1).digest()[0]
