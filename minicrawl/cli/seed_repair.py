"""minicrawl seeds repair"""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from minicrawl.cli.fitting import fitted
from minicrawl.cli.options import json_option, need_extra, store_option
from minicrawl.cli.output import document
from minicrawl.errors import counted
from minicrawl.log import printable

if TYPE_CHECKING:
    from minicrawl.analysis.seed_repair import Judgement

_RANDOM_SETS = 20


@click.command(epilog="Example: minicrawl seeds repair seeds.txt --old data/last-year.db -o repaired.txt")
@click.argument("seeds", nargs=-1, required=True, metavar="SEEDS...")
@click.option("--old", type=click.Path(dir_okay=False, path_type=Path), required=True, metavar="STORE",
              help="The crawl that the seeds were found in, or crawled from.")  # fmt: skip
@click.option("-o", "--out", type=click.Path(dir_okay=False, path_type=Path),
              help="Write those that survived, and what replaces the others, to this seed file.")  # fmt: skip
@store_option
@json_option
def repair(seeds: tuple[str, ...], old: Path, out: Path | None, store: Path, as_json: bool) -> None:
    """Judge the seeds of an old crawl on a newer one, and replace those that have vanished.

    SEEDS are seed files, URLs, or - for standard input. The newer crawl is the --store. A seed survives where that has
    fetched it, or the page that it is an alias of. What replaces another one was most similar to it by links in the
    old crawl, and the newer one has fetched it. Then it is told what is read from the seeds, breadth-first.
    """
    need_extra("seeds", "scipy")
    from minicrawl.analysis.seed_repair import Judgement, depths_of, judge_seeds
    from minicrawl.analysis.seeding import crawled_web
    from minicrawl.crawler.admission.seeds import read_seeds
    from minicrawl.export.tables import renamed_when_whole
    from minicrawl.store.reader import open_store

    given = read_seeds(list(seeds))
    with open_store(old) as before, before.snapshot(), open_store(store) as after, after.snapshot():
        fates = judge_seeds(given, before, after)
        found = Judgement(fates, depths_of(fates, after, crawled_web(after), _RANDOM_SETS))
    if out is not None:
        with renamed_when_whole(out) as temporary:
            temporary.write_text("".join(f"{url}\n" for url in found.seeds), encoding="utf-8")
    if as_json:
        click.echo(document({"old": str(old), "store": str(store), "seeds": found.seeds, **asdict(found)}))
        return
    written = [] if out is None else [f"{counted(len(found.seeds), 'seed')} written to {out}"]
    click.echo("\n".join(fitted([*_lines(found), *written])))


def _lines(found: "Judgement") -> Iterator[str]:
    for fate in found.fates:
        became = f" ({fate.state or 'not known'} in the newer crawl)" if fate.fate in ("replaced", "lost") else ""
        yield f"{fate.fate:<9} {printable(fate.seed)}{became}"
        if fate.now is not None and fate.now != fate.seed:
            how = "" if fate.similarity is None else f", similarity {fate.similarity:.2f}"
            yield f"{'':<9} now {printable(fate.now)}{how}"
    counts = ", ".join(f"{found.count(fate)} {fate}" for fate in ("survived", "unread", "replaced", "lost"))
    yield ""
    yield f"{counted(len(found.fates), 'seed')}: {counts}."
    yield ""
    yield f"{'depth':>5}" + "".join(f"{f'pages, {kind}':>18}{'PageRank so far':>17}" for kind in found.depths)
    for depth, row in enumerate(zip(*found.depths.values(), strict=True)):
        yield f"{depth:>5}" + "".join(f"{at.pages:>18,.0f}{at.mass:>17.2%}" for at in row)
