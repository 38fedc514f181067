"""The licences of all that minicrawl ships or brings along: python packaging/licences.py > packaging/licences.md

Reads the metadata of this environment, which needs the extras of the table. A library that is missing, or a licence that
is not in the list of those that may come along, is named on standard error; then the exit code is 1.
"""

import re
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

EXTRAS = ("", "analysis", "demo", "search", "parquet", "mcp", "cluster", "notify", "pdf", "sign", "render", "lab")
PERMISSIVE = {"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "HPND", "ISC", "MIT", "MIT-0", "MIT-CMU"}
PERMISSIVE |= {"PSF-2.0", "Python-2.0", "Unlicense", "Zlib"}
FILES_ALONE = {"MPL-2.0"}
"""Licences whose conditions hold for changes of their own files alone. Nothing of minicrawl's own may have one."""

# How metadata without an SPDX expression call a licence.
_NAMES = (
    (r"mozilla public license 2|mpl.?2", "MPL-2.0"),
    (r"apache", "Apache-2.0"),
    (r"\bmit\b", "MIT"),
    (r"2-clause bsd|bsd.2.clause|simplified bsd", "BSD-2-Clause"),
    (r"bsd", "BSD-3-Clause"),
    (r"python software foundation|\bpsf", "PSF-2.0"),
    (r"historical permission", "HPND"),
    (r"\bisc\b", "ISC"),
    (r"unlicense", "Unlicense"),
)


def licence(of: Distribution) -> str:
    """An SPDX expression; "unknown" if the metadata say nothing that is understood."""
    about = of.metadata
    if "License-Expression" in about:
        return about["License-Expression"]
    texts = [one for one in about.get_all("Classifier") or () if one.startswith("License ::")]
    texts += [about["License"].split("\n")[0]] if "License" in about else []
    texts += [(of.read_text(f"licenses/{name}") or "").split("\n")[0] for name in about.get_all("License-File") or ()]
    found = (next((name for form, name in _NAMES if re.search(form, text, re.IGNORECASE)), None) for text in texts)
    return next(filter(None, found), "unknown")


def needed(name: str, extras: frozenset[str], seen: set[tuple[str, str]]) -> Iterator[Distribution]:
    """All libraries that a distribution with these extras needs in this environment, those that they need included."""
    for requirement in map(Requirement, distribution(name).requires or ()):
        asked = [
            extra for extra in extras or {""} if not requirement.marker or requirement.marker.evaluate({"extra": extra})
        ]
        key = (canonicalize_name(requirement.name), ",".join(sorted(requirement.extras)))
        if asked and key not in seen:
            seen.add(key)
            yield distribution(requirement.name)
            yield from needed(requirement.name, frozenset(requirement.extras) | {""}, seen)


_SHIPPED = """# Licences

Written by `python packaging/licences.py`. minicrawl is under Apache-2.0. Its wheel and its sdist also contain:

| file | whose | licence |
|---|---|---|
| `minicrawl/dashboard/static/uplot.min.js`, `uplot.min.css` | uPlot, Leon Sorokin | MIT ([text](../minicrawl/dashboard/static/uplot.LICENSE)) |
| `minicrawl/web/urls/parameters.txt` | names of query parameters, compiled for minicrawl; the file tells which lists were read for it | names alone, no text of those lists |

An installation brings these libraries. Each keeps its licence, and none is part of minicrawl's own files. MPL-2.0, of the list of
certificate authorities, asks something only of those who change that list; wheels of NumPy and SciPy contain the runtime library of
GNU Fortran, whose licence has an exception for programs that are built with it.
"""


def run() -> int:
    """Print the page, and what is wrong; return the exit code."""
    wrong, listed = [], set[str]()
    print(f"{_SHIPPED}\n| library | licence | comes with |\n|---|---|---|")
    for extra in EXTRAS:
        try:
            found = {canonicalize_name(one.name): one for one in needed("minicrawl", frozenset({extra}), set())}
        except PackageNotFoundError as error:
            wrong.append(f"{error.name} of {extra or 'the core'} is not installed here")
            continue
        for name in sorted(found.keys() - listed):
            expression = licence(found[name])
            print(f"| {name} | {expression} | {f'`{extra}`' if extra else 'the core'} |")
            # An exception (WITH) only takes conditions away.
            parts = set(re.split(r" (?:AND|OR) |[()]", re.sub(r" WITH [\w-]+", "", expression))) - {""}
            if not parts <= PERMISSIVE | FILES_ALONE:
                wrong.append(f"{name} has the licence {expression}, which is not in the list")
        listed |= found.keys()
    print("\n".join(wrong), file=sys.stderr)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(run())
