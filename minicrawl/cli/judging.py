"""Judging pages that a search found: 'minicrawl search WORDS --good URL --bad URL', and '--judge'."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from minicrawl.cli.options import is_quiet, teller
from minicrawl.cli.output import document, reassuring
from minicrawl.errors import SettingError, counted
from minicrawl.log import printable

if TYPE_CHECKING:
    from minicrawl.search.judgements import Place, Replay, Sums
    from minicrawl.search.searching import Asked, FoundPage
    from minicrawl.store.reader import Store


def judge_pages(store: Path, text: str, good: Sequence[str], bad: Sequence[str]) -> None:
    """Keep judgements of pages for a query, learn from all of them, and report it. Raises SettingError, StoreError."""
    from minicrawl.search.judgements import judge, learn
    from minicrawl.search.partitions import search
    from minicrawl.search.searching import MOST_SHOWN, Asked
    from minicrawl.store.reader import open_store

    if both := set(good) & set(bad):
        raise SettingError(f"{min(both)} cannot be good and bad for the same words")
    with open_store(store) as reader:
        judge(reader, text, good, bad, time.time())
    with open_store(store) as reader:
        has_learned = learn(reader, _searching(reader, Asked(is_taught=False)))
        pages = search(reader, text, Asked(n=MOST_SHOWN)).pages if good and not is_quiet() else ()
        lost = set(good).difference(*([page.url, *page.alike] for page in pages))
    if not is_quiet():
        what = f"{counted(len(good) + len(bad), 'page')} judged for {printable(text)}; see 'minicrawl search --judge'."
        click.echo(f"{what} Weights were learned." if has_learned else what, err=True)
        for url in sorted(lost):
            click.echo(f"{printable(url)} is not found by these words, however good: see if it has them.", err=True)


def print_judgements(store: Path, asked: "Asked", *, as_json: bool) -> None:
    """Print the places of all judged pages before and after. asked: other options, if they are to be compared."""
    from minicrawl.search.judgements import judged_queries, replayed, taught
    from minicrawl.search.ranking import WEIGHTS
    from minicrawl.search.searching import Asked
    from minicrawl.store.reader import open_store

    untaught = Asked(is_taught=False)
    after = asked if asked == Asked(n=asked.n) else replace(asked, is_taught=False)
    with open_store(store) as reader:
        if not (judged := judged_queries(reader)):
            click.echo("Nothing was judged yet; 'minicrawl search WORDS --good URL' does.")
            return
        with reassuring(f"searching twice for all that was judged ({len(judged):,})", teller()):
            found = replayed(judged, _searching(reader, untaught), _searching(reader, after))
        weights = taught(reader.parts[0], "").weights
    factors = {name: weight / getattr(WEIGHTS, name) for name, weight in weights._asdict().items()}
    if as_json:
        click.echo(document({"queries": [one.as_json() for one in found], "factors": factors}))
        return
    click.echo("\n".join(_lines(found)))
    if weights != WEIGHTS:
        click.echo("Learned: " + ", ".join(f"{name} x{factor:.2f}" for name, factor in factors.items()) + ".")


def _searching(reader: "Store", asked: "Asked") -> "Callable[[str], Sequence[FoundPage]]":
    from minicrawl.search.judgements import DEEP
    from minicrawl.search.partitions import search

    return lambda words: search(reader, words, replace(asked, n=DEEP)).pages


def _lines(found: "Sequence[Replay]") -> Iterator[str]:
    from minicrawl.search.judgements import KINDS, sums

    for one in found:
        yield f"{printable(one.query)}  [{one.kind}]"
        for before, after in zip(one.before, one.after, strict=True):
            called = "good" if before.is_good else "bad"
            yield f"    {called:4} {_place(before):>4} -> {_place(after):<4} {printable(before.url)}"
    for kind in ("", *KINDS):
        some = [one for one in found if kind in ("", one.kind)]
        if some:
            change = _change(sums(one.before for one in some), sums(one.after for one in some))
            yield f"{kind or 'all queries'} ({len(some)}): {change}"


def _place(page: "Place") -> str:
    return "-" if page.place is None else str(page.place)


def _change(before: "Sums", after: "Sums") -> str:
    return (
        f"nDCG@10 {before.ndcg:.3f} -> {after.ndcg:.3f}, MRR {before.mrr:.3f} -> {after.mrr:.3f}, "
        f"bad ones in ten {before.bad} -> {after.bad}"
    )
