"""A site on which copies of a document were planted."""

import random
from typing import NamedTuple

from support.prose import WORDS
from support.sites import Site

HOME = "http://a.test/"
DOCUMENT = HOME + "document"
PARTS = (1.0, 0.5, 0.2)


class Planted(NamedTuple):
    """words: of the document, 400. shares: of them that a page has, by URL; those of pages that end in -edited have
    words replaced. Eight pages have a notice of their host with 60 words of the document in their footer."""

    site: Site
    words: list[str]
    shares: dict[str, float]


def said(rng: random.Random, count: int = 400) -> list[str]:
    return rng.choices(WORDS, k=count)


def in_paragraphs(words: list[str]) -> str:
    return "".join(f"<p>{' '.join(words[at : at + 50])}.</p>" for at in range(0, len(words), 50))


def planted_copies(seed: int, replaced: float = 0.1) -> Planted:
    """replaced: the share of words that is replaced in edited copies."""
    rng = random.Random(seed)
    document = said(rng)
    shares, site = dict[str, float](), Site()
    for host, part, is_edited in [(host, part, way) for host in "bcd" for part in PARTS for way in (False, True)]:
        start = rng.randrange(int((1 - part) * 400) + 1)
        some = document[start : start + int(part * 400)]
        url = f"http://{host}.test/{part}{'-edited' if is_edited else ''}"
        shares[url] = part
        if is_edited:
            some = [rng.choice(WORDS) if rng.random() < replaced else word for word in some]
        site[url] = [in_paragraphs([*said(rng, 300), *some, *said(rng, 300)])]
    notice = f"<footer><p>{' '.join(document[100:160])}</p></footer>"
    site |= {f"http://e.test/{number}": [in_paragraphs(said(rng, 300)) + notice] for number in range(8)}
    site |= {f"http://f.test/{number}": [in_paragraphs(said(rng, 300))] for number in range(8)}
    site[DOCUMENT] = [in_paragraphs(document)]
    site[HOME] = ["<title>home</title>", *site]
    return Planted(site, document, shares)
