"""Simulated hosts that fall ill, and well ones that look like them, crawled by the engine with a clock that skips.

| module | |
|---|---|
| `web` | what a host is asked and answers, and what two runs of a crawl come to |
| `ways` | ways in which hosts answer, of which kinds are made |
| `ill` | kinds of hosts that are ill for a time |
| `well` | kinds of hosts that are well, and have pages that fail |

`python -m support.ill_hosts` in tests/ prints the figures of all kinds.
"""

from support.ill_hosts.ill import ILL
from support.ill_hosts.web import HEADING, Figures, Kind, figures
from support.ill_hosts.well import WELL

__all__ = ["HEADING", "ILL", "WELL", "Figures", "Kind", "figures"]
