"""Pages that say nearly the same, or say of themselves that another is meant, and are wanted all the same."""

import random
import re

from support.made_webs.web import HOME, Answer, MadeWeb, document, links, links_to, made
from support.prose import WORDS


@made()
def title_alone(web: MadeWeb) -> None:
    """Pages of one picture each that differ by title."""
    for photo in range(100):
        body = f"<img src=/img/{photo}.jpg>" + links((f"/photo/{(photo + 1) % 100}", "next"))
        web.add(f"/photo/{photo}", f"Photo {WORDS[photo % 50]} {photo}", body)
    web.front(links_to(f"/photo/{photo}" for photo in range(0, 100, 10)))


@made(by_url=True)
def numbered_photographs(web: MadeWeb) -> None:
    """Pages of one picture each that differ, as their titles do, by its number."""
    for album in range(4):
        photos = range(album * 20, album * 20 + 20)
        for photo in photos:
            after = links((f"/show?album={album}&pos={(photo + 1) % 20}", "next"))
            web.add(f"/show?album={album}&pos={photo % 20}", f"Photo {photo}", f"<img src=/img/{photo}.jpg>{after}")
        thumbnails = (
            f'<a href="/show?album={album}&pos={photo % 20}"><img src=/s/{photo}.jpg></a>' for photo in photos
        )
        web.add(f"/album/{album}", f"Album {album}", "".join(thumbnails))
    web.front(links_to(f"/album/{album}" for album in range(4)))


@made(90)
def forms_with_pictures(web: MadeWeb) -> None:
    """Its twin: a form for each page shows another picture each, by which people prove that they are none."""
    web.items(60, "/post/{}", "/reply?to={}")
    web.views["/reply"] = lambda query: document(
        "Reply", f'<form>Code: <img src="/code/{int(query["to"]) * 7919}.png"><input name="code"></form>'
    )


@made()
def old_versions(web: MadeWeb) -> None:
    """A manual in three versions with another title each; of the oldest one page in three has a text of its own."""
    for version in ("1.0", "2.0", "latest"):
        for page in range(50):
            is_own = version == "1.0" and page % 3 == 0
            after = links((f"/docs/{version}/page{(page + 1) % 50}.html", "next"))
            title = f"Manual page {page} - {version}"
            web.add(f"/docs/{version}/page{page}.html", title, web.text(page, is_own) + after)
    web.front(links(*((f"/docs/{version}/page0.html", version) for version in ("1.0", "2.0", "latest"))))


@made(100)
def last_versions_below_pages(web: MadeWeb) -> None:
    """Its twin, a wiki: below each page stands its last version, which is the page itself, and links to versions."""
    names = [f"/garden/wiki/{word.title()}" for word in WORDS[:60]]
    for number, name in enumerate(names):
        after = links_to([names[(number + 1) % 60], names[number * 7 % 60], f"{name}/3"])
        web.add(name, name[13:], web.text(name) + after)
        web.pages[f"{name}/3"] = web.pages[name]
    web.front(links_to(names[:5]))


@made()
def one_canonical_everywhere(web: MadeWeb) -> None:
    """Every page says that the front page stands for it, which is wrong."""
    head = f'<link rel="canonical" href="{HOME}">'
    for page in range(80):
        web.add(f"/page/{page}", f"Page {page}", web.text(page) + links((f"/page/{(page + 1) % 80}", "next")), head)
    web.front(web.text("front") + links_to(f"/page/{page}" for page in range(0, 80, 8)), head)


@made()
def languages(web: MadeWeb) -> None:
    """Each page in three languages by ?lang=; English is also the plain page."""
    for page in range(40):
        for query in ("", "?lang=en", "?lang=de", "?lang=fr"):
            language = query[-2:] or "en"
            own = [(f"/page/{page}?lang={other}", other) for other in ("en", "de", "fr")]
            after = (f"/page/{(page + 1) % 40}?lang={language}", "next")
            body = web.text(page, language) + links(*own, after)
            web.add(f"/page/{page}{query}", f"Page {page} {language}", body, wanted=query != "?lang=en")
    web.front(links_to(f"/page/{page}" for page in range(40)))


@made(180)  # all hundred must be read
def mostly_empty_ids(web: MadeWeb) -> None:
    """A parameter of which 70 % of the values give one empty page, and all pages have one title."""
    for number in range(100):
        is_there = number % 10 < 3
        body = web.text(number) if is_there else "<p>No such entry here</p>"
        web.add(f"/entry?id={number}", "Entry", body, wanted=is_there)
    web.front(links_to(f"/entry?id={number}" for number in range(100)))


def _table(key: object, rows: int = 24) -> str:
    """Measurements: the same words for each key, and other numbers."""
    draw = random.Random(str(key))
    cells = "".join(f"<tr><td>Hour {hour}<td>{draw.uniform(-9, 30):.1f} degrees" for hour in range(rows))
    return f"<table><tr><th>Time<th>Value{cells}</table>"


@made()
def data_archive(web: MadeWeb) -> None:
    """Stations, years and months by query: pages differ by digits alone, and all are data."""
    for station in range(5):
        keys = [f"/data?station={station}&year={year}&month={month}" for year in (2023, 2024) for month in range(1, 13)]
        for key in keys:
            web.add(key, "Measurements", _table((web.seed, key)))
        web.add(f"/station/{station}", f"Station {station}", links_to(keys))
    web.front(links_to(f"/station/{station}" for station in range(5)))


@made()
def measurements_by_day(web: MadeWeb) -> None:
    """The same by path, from one index."""
    days = [f"/data/2024/{month:02}/{day:02}" for month in range(1, 5) for day in range(1, 29)]
    for day in days:
        web.add(day, "Measurements", _table((web.seed, day)))
    web.front(links_to(days))


@made()
def weather_by_day(web: MadeWeb) -> None:
    """Its twin: of the few values each has stood in its place on some day before."""
    days = [f"/weather/2024/{month:02}/{day:02}" for month in range(1, 5) for day in range(1, 29)]
    for day in days:
        draw = random.Random(f"{web.seed} {day}")
        cells = "".join(f"<tr><td>{hour}:00<td>{draw.randrange(16)} C" for hour in range(24))
        web.add(day, "Weather", f"<table>{cells}</table>")
    web.front(links_to(days))


@made()
def dictionary(web: MadeWeb) -> None:
    """Entries of one short line."""
    for number, word in enumerate(WORDS):
        other, after = WORDS[number * 7 % 100], WORDS[(number + 1) % 100]
        near = links((f"/word/{other}", other), (f"/word/{after}", after))
        web.add(f"/word/{word}", f"{word} - Dictionary", f"<p>{word}: noun, see {other}</p>{near}")
    web.front(links_to(f"/word/{word}" for word in WORDS[::5]))


@made()
def telephone_book(web: MadeWeb) -> None:
    """Entries that differ by a name and a number, all with one title."""
    draw = random.Random(web.seed)
    for letter in "abcdef":
        people = [f"/person?id={letter}{number}" for number in range(20)]
        for person in people:
            name, number = " ".join(draw.sample(WORDS, 2)).title(), draw.randrange(10**6, 10**7)
            web.add(person, "Entry", f"<p>Name: {name}</p><p>Telephone: {number}</p><p>Call after six</p>")
        web.add(f"/letter/{letter}", f"Letter {letter}", links_to(people))
    web.front(links_to(f"/letter/{letter}" for letter in "abcdef"))


def _written_in(web: MadeWeb, letters: str) -> None:
    """Pages in a script; without spaces, as many of them are."""
    for page in range(60):
        draw = random.Random(f"{web.seed} {page}")
        lines = ["".join(draw.choices(letters, k=40)) for _ in range(5)]
        after = links((f"/p/{(page + 1) % 60}", lines[0][:4]), (f"/p/{page * 7 % 60}", lines[1][:4]))
        web.add(f"/p/{page}", lines[0][:8], "".join(f"<p>{line}</p>" for line in lines) + after)
    web.front(links_to(f"/p/{page}" for page in range(0, 60, 10)))


@made()
def japanese(web: MadeWeb) -> None:
    """A site in Japanese."""
    _written_in(web, "日本語の文章を書くときは空白を使わない山川海空花鳥風月あいうえおカキクケコ")


@made()
def thai(web: MadeWeb) -> None:
    """A site in Thai."""
    _written_in(web, "กขคงจชซญดตถทธนบปพฟมยรลวสหอาเแโใไ")


@made()
def arabic(web: MadeWeb) -> None:
    """A site in Arabic."""
    _written_in(web, "ابتثجحخدذرزسشصضطظعغفقكلمنهوي")


@made()
def museum(web: MadeWeb) -> None:
    """Three hundred objects, each linked from the one before it alone."""
    for number in range(1, 301):
        after = links((f"/object?id={number + 1}", "next")) if number < 300 else ""
        web.add(f"/object?id={number}", f"Object {number}", web.text(number) + after)
    web.front(links(("/object?id=1", "first")))


@made()
def names_in_query(web: MadeWeb) -> None:
    """Entries whose name stands in the query and in the text, beside a number: nothing else differs."""
    draw = random.Random(web.seed)
    people = [f"/person?name={first}+{last}" for first, last in zip(WORDS[:60], WORDS[30:90], strict=True)]
    for person in people:
        name = person.partition("=")[2].replace("+", " ")
        web.add(person, "Entry", f"<p>{name}: {draw.randrange(10**6, 10**7)}</p><p>Call after six</p>")
    web.front(links_to(people))


@made()
def half_translated(web: MadeWeb) -> None:
    """Each page also by ?lang=de, of which every third is translated; the others say what the plain page says."""
    web.items(60, "/page/{}", "/page/{}?lang=de")
    for page in range(60):
        key = f"/page/{page}?lang=de"
        if page % 3 == 0:
            web.add(key, f"Seite {page}", web.text(page, "de"))
        else:
            web.pages[key] = web.pages[f"/page/{page}"]


@made()
def short_texts_one_canonical(web: MadeWeb) -> None:
    """Short pages that all say that the front page stands for them, which is wrong."""
    head = f'<link rel="canonical" href="{HOME}">'
    for page in range(80):
        web.add(f"/offer/{page}", f"Offer {page}", web.text(page, words=12), head)
    web.front(links_to(f"/offer/{page}" for page in range(80)), head)


@made()
def rankings_by_year(web: MadeWeb) -> None:
    """Tables of the same names in another order and with other points: digits and order alone differ."""
    for year in range(1980, 2020):
        draw = random.Random(f"{web.seed} {year}")
        lines = (f"<p>{name}: {draw.randrange(10, 99)} points</p>" for name in draw.sample(WORDS[:12], 12))
        web.add(f"/ranking/{year}", f"Ranking {year}", "".join(lines))
    web.front(links_to(f"/ranking/{year}" for year in range(1980, 2020)))


@made()
def parts_by_measures(web: MadeWeb) -> None:
    """Parts of a catalogue: their number, three measures and the price are all that differs."""
    draw = random.Random(web.seed)
    for number in range(4_000, 4_150):
        size, weight, price = draw.randrange(5, 90), draw.randrange(100, 999), draw.randrange(100, 9_999) / 100
        rows = f"<tr><td>Length<td>{size} mm<tr><td>Weight<td>{weight} g<tr><td>Price<td>{price} EUR"
        web.add(f"/part/{number}", f"Part {number}", f"<table>{rows}</table>")
    web.front(links_to(f"/part/{number}" for number in range(4_000, 4_150)))


@made()
def large_menu(web: MadeWeb) -> None:
    """Pages with a menu of nine hundred words, a title that differs by its number and a text of three lines."""
    menu = f"<ul>{web.text('menu', words=900)}</ul>"
    for page in range(80):
        web.add(f"/show?id={page}", f"Item {page}", menu + web.text(page, words=36))
    web.front(menu + links_to(f"/show?id={page}" for page in range(80)))


@made()
def no_titles(web: MadeWeb) -> None:
    """Pages without a title, by query."""
    web.items(60, "/show?id={}", title="")
    web.pages["/"] = web.pages["/"].replace('"></a>', '">show</a>')


@made()
def files_by_query(web: MadeWeb) -> None:
    """Plain text that is given by number."""
    web.front(links_to(f"/download?id={number}" for number in range(60)))
    web.wanted |= {f"/download?id={number}" for number in range(60)}

    def file(query: dict[str, str]) -> Answer:
        return Answer(re.sub("<[^>]*>", " ", web.text(query.get("id"))), 200, {"Content-Type": "text/plain"})

    web.views["/download"] = file
