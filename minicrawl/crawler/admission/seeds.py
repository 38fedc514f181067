"""Seeds of a crawl: from seed files, URLs, or standard input."""

import os
import re
import sys
from collections.abc import Callable, Container, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from minicrawl.errors import SeedError, without_logins
from minicrawl.web.urls.normalise import normalise, normalise_route, stripped

_SHOWN = 10
# Text that looks like a host, maybe with a path: a name with a dot in it, an IP address, localhost.
_HOST = re.compile(
    r"(?:localhost|\[[0-9a-f:.]+\]|[^\s/:@?#\[\]\\]+\.[^\s/:@?#\[\]\\]+)(?::\d+)?(?:[/?#].*)?", re.IGNORECASE
)
# A scheme with some of its marks missing, or others in their place, and a host.
_NEARLY_A_URL = re.compile(r"(h?t?tps?)[:;,.]?[/\\]{1,3}([^\s/:]+\.[^\s/:]+(?:[:/].*)?)", re.IGNORECASE)
_FILE_ENDINGS = (".txt", ".csv", ".tsv", ".json", ".jsonl", ".list", ".lst", ".urls", ".gz", ".xml", ".html", ".db")


class Seeds(NamedTuple):
    """Normalised seed URLs, each once, in the order given. `guessed`: those given without a scheme, as of https."""

    urls: list[str]
    guessed: frozenset[str] = frozenset()


def read_seeds(sources: Iterable[str]) -> list[str]:
    return gather_seeds(sources).urls


def gather_seeds(sources: Iterable[str]) -> Seeds:
    """Read seed files (one URL a line, '#' comments), URLs with scheme or without, or "-" for standard input. Raises
    SeedError with file and line of the first bad entries."""
    seeds: dict[str, None] = {}
    guessed: set[str] = set()
    bad: list[str] = []
    for source in sources:
        for where, text in _lines(source):
            is_guess = _is_host(text)
            url = normalise(f"https://{text}" if is_guess else text)
            if url is None:
                bad.append(f"{where}: {without_logins(text)!r}")
                continue
            if is_guess and url not in seeds:
                guessed.add(url)
            elif not is_guess:
                guessed.discard(url)
            seeds[url] = None
    if bad:
        raise SeedError(_refusal(bad))
    return Seeds(list(seeds), frozenset(guessed))


def guesses(text: str) -> list[str]:
    """The normalised URLs that a user may mean, the likeliest first: https, then http, where no scheme is given."""
    spellings = [f"https://{text}", f"http://{text}"] if _is_host(text) else [text]
    return [url for url in map(normalise, spellings) if url is not None]


def names(text: str) -> list[str]:
    """`guesses` at a page that is known, which may also be a route of an application."""
    spellings = [f"https://{text}", f"http://{text}"] if _is_host(text) else [text]
    return list(dict.fromkeys(filter(None, [*map(normalise_route, spellings), *map(normalise, spellings)])))


def in_plain_http(url: str) -> str:
    """The http URL that a guessed https URL may have been meant for."""
    plain = normalise(f"http{url.removeprefix('https')}")
    assert plain is not None, "the rest of a URL does not depend on its scheme"
    return plain


def spelled(seeds: Seeds, known: Callable[[list[str]], Container[str]], *, keep_parameters: bool) -> Seeds:
    """Seeds in plain http where an earlier run found the guess of https wrong. known: returns those of URLs that are
    known."""
    plain = {url: in_plain_http(url) for url in seeds.guessed}
    there = known(list(plain.values()))
    urls = [plain[url] if url in plain and plain[url] in there else url for url in seeds.urls]
    guessed: Iterable[str] = (url for url in seeds.guessed if plain[url] not in there)
    if not keep_parameters:
        urls, guessed = list(map(stripped, urls)), map(stripped, guessed)
    return Seeds(list(dict.fromkeys(urls)), frozenset(guessed))


def files_named_as_hosts(sources: Iterable[str]) -> list[str]:
    """The sources that are taken for seed files, because such files are there, and would be hosts if they were not."""
    return [source for source in sources if _is_host_name(source) and os.path.isfile(source)]


def _is_host(text: str) -> bool:
    return _HOST.fullmatch(text) is not None


def _is_host_name(source: str) -> bool:
    return _is_host(source) and not source.lower().endswith(_FILE_ENDINGS)


def _refusal(bad: list[str]) -> str:
    """The error message: one bad seed in one line, several in a line each."""
    if len(bad) == 1:
        return f"{bad[0]} is not an http or https URL; write it as https://host/path"
    more = [f"and {len(bad) - _SHOWN:,} more"] if len(bad) > _SHOWN else []
    return "\n  ".join(
        [f"{len(bad):,} seeds are not http or https URLs; write them as https://host/path:", *bad[:_SHOWN], *more]
    )


def _missing(source: str) -> str:
    """The error message for a seed file that does not exist; a name without a dot may be a host as well."""
    if meant := _NEARLY_A_URL.fullmatch(source):
        scheme = "https" if "s" in meant[1].lower() else "http"
        return f"{source!r} is not a URL, and there is no seed file of that name; did you mean {scheme}://{meant[2]}?"
    if re.search(r"[./\\]", source) or normalise(f"https://{source}") is None:
        return f"seed file {source} cannot be read: No such file or directory"
    return f"{source!r} is not a seed file that exists; if it is a host, write it as https://{source}"


def _lines(source: str) -> Iterator[tuple[str, str]]:
    is_url = re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", source)
    if is_url or (_is_host_name(source) and (not os.path.exists(source) or os.path.isdir(source))):
        yield "seed", source
        return
    name = "standard input" if source == "-" else source
    try:
        text = sys.stdin.read() if source == "-" else Path(source).read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise SeedError(_missing(source)) from error
    except OSError as error:
        raise SeedError(f"seed file {name} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise SeedError(f"seed file {name} is not UTF-8 text: byte {error.start}") from error
    for number, line in enumerate(text.splitlines(), start=1):
        # A '#' inside a URL starts its fragment; only one at the start or behind white space is a comment.
        content = re.sub(r"(^|\s)#.*", "", line).strip()
        if content:
            yield f"{name}:{number}", content
