"""Stuffed and hidden text, planted among honest pages that look like it."""

import random
from collections.abc import Callable

from minicrawl.crawler.html import parse_html
from minicrawl.model import Wanted

_LITTLE = ["the", "of", "and", "to", "in", "a", "is", "it", "for", "on", "as", "at", "by", "an", "or", "be", "we", "if"]
_SYLLABLES = ["ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu", "na", "pe", "ri", "so", "stra", "plen", "gro"]
_KANJI = [chr(0x4E00 + 37 * number) for number in range(400)]


class Language:
    """A made-up language. Words are drawn by Zipf's law, the short ones among the first."""

    def __init__(self, rng: random.Random, *, has_spaces: bool) -> None:
        self.rng, self.space = rng, " " if has_spaces else ""
        if has_spaces:
            long = ["".join(rng.choices(_SYLLABLES, k=rng.randint(2, 4))) for _ in range(3_000)]
            self.words = [word for pair in zip(_LITTLE, long, strict=False) for word in pair] + long[len(_LITTLE) :]
        else:
            self.words = ["".join(rng.choices(_KANJI, k=rng.randint(1, 3))) for _ in range(3_000)]
        self.weights = [1 / (rank + 3) for rank in range(len(self.words))]

    def draw(self, count: int) -> list[str]:
        return self.rng.choices(self.words, self.weights, k=count)

    def rare(self, count: int) -> list[str]:
        return self.rng.sample([word for word in self.words[100:] if len(word) > 3 or not self.space], count)

    def sentence(self, keyword: str | None = None) -> str:
        words = self.draw(self.rng.randint(7, 18))
        if keyword:
            for _ in range(4):
                words.insert(self.rng.randrange(len(words)), keyword)
        return self.space.join(words).capitalize() + (". " if self.space else "。")

    def prose(self, sentences: int, keyword: str | None = None) -> str:
        return "".join(self.sentence(keyword) for _ in range(sentences))

    def soup(self) -> str:
        """Some keywords, again and again."""
        keywords = self.rare(self.rng.randint(3, 12))
        return self.space.join(self.rng.choices(keywords, k=self.rng.randint(60, 300)))

    def many(self) -> str:
        return self.rng.choice([" ", ", "]).join(self.rare(self.rng.randint(70, 200)))

    def places(self) -> str:
        """Links to one offer in many places."""
        one, other = self.rare(2)
        return ", ".join(f"<a href=/{n}>{one} {other} {place}</a>" for n, place in enumerate(self.rare(40)))

    def links(self) -> str:
        return " ".join(f"<a href=http://{word}{n}.test/>{word} {word}</a>" for n, word in enumerate(self.rare(30)))


Make = Callable[[Language], str]
STUFFED: dict[str, Make] = {
    "phrase": lambda of: f"<p>{of.space.join(of.rare(3) * of.rng.randint(15, 60))}</p>",
    "soup": lambda of: f"<div>{of.soup()}</div>",
    "density": lambda of: f"<p>{of.prose(12, of.rare(1)[0])}</p>",
    "list": lambda of: f"<p>{of.many()}</p>",
    "places": lambda of: f"<p>{of.places()}</p>",
    "bold": lambda of: f"<p>{of.soup().replace(of.space or '一', '</b> <b>')}</p>",
}
HIDDEN: dict[str, Make] = {
    "none": lambda of: f"<div style='display: none'>{of.soup()}</div>",
    "list": lambda of: f"<div style='display:none'>{of.many()}</div>",
    "white": lambda of: f"<p style='color:#FFF;background-color:white'>{of.prose(6)}{of.many()}</p>",
    "font": lambda of: f"<body bgcolor=#ffffff><font color=white>{of.many()}</font>",
    "tiny": lambda of: f"<div style='font-size:0px'>{of.many()}</div>",
    "indent": lambda of: f"<h2 style='text-indent:-9999px'>{of.many()}</h2>",
    "far": lambda of: f"<div style='position:absolute; left:-4000px'>{of.links()}</div>",
    "class": lambda of: f"<style>.q {{display:none}} .r {{color:red}}</style><div class=q>{of.soup()}</div>",
    "invisible": lambda of: f"<span style='visibility:hidden'>{of.soup()}</span>",
    "attribute": lambda of: f"<section hidden>{of.places()}</section>",
}
HONEST: dict[str, Make] = {
    "prose": lambda of: "",
    "menu": lambda of: f"<ul class=dropdown-menu style='display:none'>{_items(of.rare(40))}</ul>",
    "links": lambda of: f"<div style='display:none'>{_items(f'<a href=/{w}>{w}</a>' for w in of.rare(40))}</div>",
    "tabs": lambda of: f"<div class=pane hidden>{of.prose(9)}</div><div class=pane hidden>{of.prose(9)}</div>",
    "dialog": lambda of: f"<div id=terms style='display:none'><h2>Terms</h2>{of.prose(30)}</div>",
    "reader": lambda of: f"<p class=sr-only style='position:absolute;left:-9999px'>{of.prose(8)}</p>",
    "skip": lambda of: "<a style='position:absolute;top:-999px' href=#main>Skip to the content</a>",
    "cookies": lambda of: f"<div id=consent style='visibility:hidden'>{of.prose(8)}<button>OK</button></div>",
    "dark": lambda of: f"<div style='background:#000'><p style='color:#fff'>{of.prose(8)}</p></div>",
    "gap": lambda of: f"<ul style='font-size:0'><li style='font-size:14px'>{of.prose(8)}</li></ul>",
    "logo": lambda of: "<h1 style='text-indent:-9999px'>The name of this company</h1>",
    "data": lambda of: f"<div style='display:none'>{ {word: n for n, word in enumerate(of.rare(60))} }</div>",
    "script": lambda of: f"<div style='display:none'><script>var words = '{of.soup()}'</script></div>",
    "code": lambda of: f"<pre>{of.soup()}</pre>",
    "table": lambda of: f"<table><tr><td>{'<td>'.join(of.soup().split())}</table>",
    "glossary": lambda of: "".join(f"<dt>{word}<dd>{of.sentence()}" for word in of.rare(40)),
    "index": lambda of: _items(f"<a href=/{word}>module.{word}()</a>" for word in of.rare(80)),
    "same": lambda of: _items(f"{word} (in module {of.words[61]})" for word in of.rare(80)),
    "authors": lambda of: (
        f"<p>{', '.join(f'{a.title()} {b.title()}' for a, b in zip(of.rare(90), of.rare(90), strict=True))}</p>"
    ),
    "select": lambda of: f"<select hidden>{''.join(f'<option>{word}' for word in of.rare(90))}</select>",
    "print": lambda of: f"<style>@media print {{.q {{display:none}}}}</style><div class=q>{of.prose(8)}</div>",
    "toggled": lambda of: f"<style>.q {{display:none}} .on .q {{display:block}}</style><p class=q>{of.prose(9)}</p>",
    "song": lambda of: "<br>".join([*(song := [of.sentence() for _ in range(4)]), of.sentence(), of.sentence(), *song]),
}


def _items(texts: object) -> str:
    return "".join(f"<li>{text}" for text in texts)  # type: ignore[attr-defined]


def found(html: str) -> tuple[str | None, str | None]:
    facts = parse_html(html.encode(), "http://a.test/", "text/html; charset=utf-8", Wanted(facts=True)).facts
    assert facts is not None
    signs = dict(facts.spam_signs)
    return signs.get("stuffed"), signs.get("hidden")


def page(of: Language, part: str) -> str:
    return f"<title>{of.sentence()}</title><h1>{of.sentence()}</h1><p>{of.prose(9)}</p>{part}<p>{of.prose(5)}</p>"


def test_planted_spam_is_found_and_what_looks_like_it_is_not() -> None:
    """Of a web of small sites in twelve languages, three of them without spaces."""
    rng = random.Random(7)
    true = wrong = missed = 0
    misses = list[str]()
    for number in range(12):
        of = Language(rng, has_spaces=number % 4 > 0)
        planted = [(make, 0, name) for name, make in STUFFED.items()] + [
            (make, 1, name) for name, make in HIDDEN.items()
        ]
        for make, kind, name in planted:
            told = found(page(of, make(of)))
            true += told[kind] is not None
            missed += told[kind] is None
            wrong += kind == 0 and told[1] is not None
            misses += [f"{'hidden' if kind else 'stuffed'} {name} {number}"] * (told[kind] is None)
        for name, make in HONEST.items():
            told = found(page(of, make(of)))
            wrong += any(told)
            misses += [f"honest {name} {number} {told}"] * any(told)
    assert true / (true + wrong) >= 0.95, misses
    assert true / (true + missed) >= 0.9, misses


def test_an_element_that_a_script_names_is_shown_on_demand_whatever_the_case_of_its_name() -> None:
    of = Language(random.Random(3), has_spaces=True)
    hidden = f"<div id=Quarry style='display:none'>{of.many()}</div>"
    assert found(page(of, hidden))[1] is not None
    assert found(page(of, f"{hidden}<script>show('#Quarry ')</script>"))[1] is None
