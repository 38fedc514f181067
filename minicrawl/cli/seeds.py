"""minicrawl seeds"""

import re
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from minicrawl.cli.options import Choice, about_store
from minicrawl.cli.output import document, fitted
from minicrawl.errors import SettingError, StoreError, counted
from minicrawl.log import printable

if TYPE_CHECKING:
    from minicrawl.analysis.seeding import Seeding

_SHOWN = 5
_RANDOM_SETS = 20


@click.command(epilog="Example: minicrawl seeds --n 10 -o seeds/next.txt")
@click.option("-n", "--n", default=10, show_default=True, type=click.IntRange(min=1), help="Number of seeds.")
@click.option("-o", "--out", type=click.Path(dir_okay=False, path_type=Path), help="Write the seeds to this file.")
@click.option("--per", type=Choice(("site", "host")), default="site", show_default=True,
              help="Suggest one seed per site or host, and ignore links within it.")  # fmt: skip
@click.option("--density", type=click.FloatRange(0, 100, min_open=True),
              help="Require this percentage of all possible links from the hubs of a core to its "
              "authorities.  [default: 100]")  # fmt: skip
@click.option("--size", metavar="HxA", help="Find cores of H hubs and A authorities, instead of using --density.")
@click.option("--several", is_flag=True, help="Allow several seeds per site or host, as in the paper.")
@click.option("--explain", is_flag=True,
              help="Show the cores, and compare the seeds with random ones.")  # fmt: skip
@about_store
def command(  # noqa: PLR0913 - one argument per option, as click calls it
    n: int,
    out: Path | None,
    per: str,
    density: float | None,
    size: str | None,
    several: bool,
    explain: bool,
    store: Path,
    as_json: bool,
) -> None:
    """Suggest seeds for the next crawl: good hubs on different sites, found among the fetched pages.

    A seed is the best hub of a core, which is a set of pages that link to the same pages of other sites. HITS finds the
    cores one by one. Without -o, the seeds are printed as a seed file, which 'minicrawl crawl -' reads. Compare before
    you rely on them: --explain measures them against random seeds.
    """
    from minicrawl.analysis.seeding import crawled_web, find_seeds, seed_file
    from minicrawl.export.tables import renamed_when_whole
    from minicrawl.store.reader import open_store

    if density is not None and size is not None:
        raise SettingError("--density and --size both define a core; give one of them")
    with open_store(store) as reader, reader.snapshot():
        web = crawled_web(reader, "host" if per == "host" else "site")
        found = find_seeds(
            web,
            reader.page_table.url,
            n,
            density=100.0 if density is None else density,
            size=None if size is None else _size(size),
            one_per_place=not several,
            random_sets=_RANDOM_SETS if explain else 0,
        )
    if not found.cores:
        raise StoreError(f"no page fetched in {store} links to another {per}, so there are no cores; crawl more first")
    files = list[str]()
    if out is not None:
        with renamed_when_whole(out) as temporary:
            temporary.write_text(seed_file(found), encoding="utf-8")
        files = [f"{counted(len(found.cores), 'seed')} written to {out}"]
    if as_json:
        seeds = [core.seed for core in found.cores]
        click.echo(document({"store": str(store), "seeds": seeds, **asdict(found)}))
    elif explain:
        click.echo("\n".join(fitted([*_explanation(found), *files])))
    else:
        lines = seed_file(found).splitlines() if out is None else []
        click.echo("\n".join(fitted([*map(printable, lines), *files])))


def _size(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"([1-9]\d{0,6})[xX]([1-9]\d{0,6})", text)
    if not found:
        raise SettingError(f"--size takes hubs x authorities, such as 20x5, not {text!r}")
    return int(found[1]), int(found[2])


def _explanation(found: "Seeding") -> list[str]:
    from minicrawl.analysis.seeding import summary

    lines = [
        f"{found.fetched:,} pages fetched on {counted(found.places, found.per)}; {found.counted:,} of their "
        f"{found.links:,} links lead to another {found.per}."
    ]
    for number, core in enumerate(found.cores, start=1):
        others = [hub for hub in core.hubs if hub != core.seed]
        lines += ["", f"Core {number}: {summary(core, found.per)}"]
        lines += _urls("seed", (core.seed,)) + _urls("other hubs", others) + _urls("authorities", core.authorities)
        lines += _urls(f"{found.per}s of hubs", core.places)
    return [*lines, "", *(f"- {claim}" for claim in found.claims)]


def _urls(title: str, urls: "tuple[str, ...] | list[str]") -> list[str]:
    shown = [printable(url) for url in urls[:_SHOWN]]
    if len(urls) > _SHOWN:
        shown.append(f"... and {len(urls) - _SHOWN:,} more")
    return [f"  {title if not number else '':<13} {line}" for number, line in enumerate(shown)]
