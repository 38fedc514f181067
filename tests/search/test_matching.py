"""Which pages a query finds, and what is shown of them."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.searching import found, indexed, page, urls

from minicrawl.errors import SettingError
from minicrawl.search.searching import MOST_WORDS, Term, parse_query
from minicrawl.search.words import has_words

HOST = "http://a.test/"
TEXTS = {
    "phrase": page("Groups", "A task group waits for its tasks. See mod_rewrite."),
    "apart": page("Tasks", "This group has a task."),
    "titled": page("Task group", "Something else altogether"),
    "german": ["<html lang=de-AT><title>Häuser</title><p>Viele große Häuser am Fluß"],
    "chinese": ["<html lang=zh><title>内核</title><p>关于操作系统内核的文档"],
    "signs": page("Languages", "We write C++ and C#, not C."),
    "plain": page("Letters", "We write C, and rewrite mod"),
    "turkish": ["<html lang=tr><title>DİKKAT: KAPILAR AÇIK</title><p>İzmir'de bir kapı ve İNDİRİM. SINAV YOK, API var"],
    "cafe": page("Café", "crème brûlée"),
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    site = {f"{HOST}{name}": text for name, text in TEXTS.items()}
    return indexed(site, tmp_path_factory.mktemp("matching") / "crawl.db")


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("task group", {"phrase", "apart", "titled"}),
        ('"task group"', {"phrase", "titled"}),
        ('"task groups" waiting', {"phrase", "titled"}),
        ("task -group", set()),
        ('task -"task group"', {"apart"}),
        ("task -intitle:group", {"apart"}),
        ("intitle:task group", {"apart", "titled"}),
        ("mod_rewrite", {"phrase"}),
        ("c++", {"signs"}),
        ("c#", {"signs"}),
        ("haus", {"german"}),
        ("fluss lang:de", {"german"}),
        ("操作系统", {"chinese"}),
        ("系操", set()),
        ("creme brulee", {"cafe"}),
        ("signs", {"signs"}),
        ("izmir", {"turkish"}),
        ("İZMİR", {"turkish"}),
        ("dikkat", {"turkish"}),
        ("indirim", {"turkish"}),
        ("kapilar", {"turkish"}),
        ("kapı", {"turkish"}),
        ("KAPI", {"turkish"}),
        ("sınav", {"turkish"}),
        ("api", {"turkish"}),
        ("WAITS", {"phrase"}),
        ("zebra", set()),
        ("x" * 10_000, set()),
    ],
)
def test_query_finds(store: Path, query: str, names: set[str]) -> None:
    assert {url.removeprefix(HOST) for url in urls(store, query)} == names


# A page in each language: its text; queries by an inflected form, the form that is written, another case or without
# accents, a word within a compound or a run, and a phrase; and words that it has not.
LANGUAGES = {
    "en": ("He reads old stories", ("reading", "stories", "STORIES", "story", '"old stories"'), '"stories old"'),
    "de": ("Krankenhäuser öffnen", ("Krankenhaus", "öffnen", "OFFNEN", "häuser", '"Krankenhäuser öffnen"'), "los"),
    "nl": ("Grote ziekenhuizen bouwen", ("grote", "bouwen", "BOUWEN", "zieken", '"ziekenhuizen bouwen"'), "wonen"),
    "sv": ("Nya järnvägar byggs", ("järnvägen", "byggs", "jarnvagar", "vägar", '"nya järnvägar"'), "vagn"),
    "da": ("Nye sygehuse bygges", ("sygehuset", "bygges", "SYGEHUSE", "huse", '"nye sygehuse"'), "huler"),
    "nb": ("Nye jernbaner åpnes", ("jernbanen", "åpnes", "apnes", "baner", '"nye jernbaner"'), "barn"),
    "fi": ("Uudet kerrostalot nousevat", ("kerrostalo", "nousevat", "UUDET", "talot", '"uudet kerrostalot"'), "talvi"),
    "hu": ("Új könyvtárak nyíltak", ("könyvtárakat", "nyíltak", "konyvtarak", "tárak", '"új könyvtárak"'), "torony"),
    "fr": ("Les maisons étaient fermées", ("maison", "fermées", "fermees", "MAISONS", '"maisons étaient"'), "raison"),
    "es": ("Las canciones antiguas", ("canción", "antiguas", "cancion", "ANTIGUAS", '"canciones antiguas"'), "camión"),
    "pt": ("Informações úteis", ("informação", "úteis", "informacoes", "UTEIS", '"informações úteis"'), "formas"),
    "it": ("Le città più belle", ("bella", "città", "citta", "BELLE", '"città più"'), "balle"),
    "ro": ("Casele vechi și orașele", ("casele", "vechi", "orasele", "VECHI", '"vechi și"'), "masele"),
    "ru": ("Ёлки и книги в домах", ("книга", "домах", "елки", "КНИГИ", '"ёлки и книги"'), "май"),
    "el": ("Οι παλιές λέξεις", ("λέξη", "παλιές", "λεξεις", "ΛΈΞΕΙΣ", '"παλιές λέξεις"'), "λάθος"),
    "tr": ("İzmir'de eski evler", ("evlerde", "eski", "izmir", "ESKİ", '"eski evler"'), "araba"),
    "ar": ("المكتبة القديمة كَبيرة", ("مكتبة", "القديمة", "كبيرة", "کبيرة", '"المكتبة القديمة"'), "مدرسة"),
    "fa": ("کتاب‌های قدیمی", ("کتاب‌های", "قدیمی", "قديمي", "كتابهای", '"کتاب‌های قدیمی"'), "قدم"),
    "he": ("שָׁלוֹם לעולם", ("שלום", "לעולם", "שָׁלוֹם", '"שלום לעולם"'), "שלומי"),
    "ko": ("학교에서 공부한다", ("학교", "학교에서", "공부한다", "공부", '"학교에서 공부한다"'), "교학"),
    "zh": ("这是一段简单的测试", ("简单", "测试", "一段", '"简单的测试"', "简单的测试"), "单简"),
    "ja": ("ｶﾞﾍﾞｰｼﾞｺﾚｸｼｮﾝの話", ("ガベージ", "コレクション", "話", '"の話"', "ｶﾞﾍﾞｰｼﾞ"), "カベージ"),
    "th": ("ประเทศไทยมีแหล่งท่องเที่ยว", ("ท่องเที่ยว", "ไทย", "มี", '"แหล่งท่องเที่ยว"', "ประเทศ"), "ท่องเทียว"),
    "lo": ("ປະເທດລາວມີແມ່ນ້ຳຂອງ", ("ແມ່ນ້ຳ", "ລາວ", "ມີ", '"ມີແມ່ນ້ຳ"', "ປະເທດ"), "ແມນ້ຳ"),
    "km": ("ប្រទេសកម្ពុជាមានប្រាសាទ", ("កម្ពុជា", "ប្រទេស", "មាន", '"មានប្រាសាទ"', "ប្រាសាទ"), "កមពុជា"),
    "my": ("မြန်မာနိုင်ငံသည်အာရှ", ("နိုင်ငံ", "မြန်မာ", "အာရှ", '"နိုင်ငံသည်"', "သည်"), "နိငငံ"),
    "bo": ("བོད་ཡིག་གི་དེབ", ("བོད་ཡིག", "དེབ", "ཡིག", '"ཡིག་གི"', "བོད"), "བོདེ"),
    "vi": ("Tiếng Việt đẹp", ("tiếng", "Việt", "tieng viet dep", "ĐẸP", '"tiếng Việt"'), "tiền"),
    "x-signs": ("Use v2.10.3 or 4.5.6, x² and CO₂, ﬁne ＡＢＣ", ("2.10.3", "v4.5.6", "x²", "co2", '"fine abc"'), "x2"),
}  # fmt: skip


@pytest.fixture(scope="module")
def languages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    site = {f"{HOST}{tag}": [f"<html lang={tag}><title>-</title><p>{text}"] for tag, (text, *_) in LANGUAGES.items()}
    return indexed(site, tmp_path_factory.mktemp("languages") / "crawl.db")


@pytest.mark.parametrize("tag", LANGUAGES)
def test_text_of_every_language_is_found(languages: Path, tag: str) -> None:
    _, queries, other = LANGUAGES[tag]
    assert [query for query in queries if f"{HOST}{tag}" not in urls(languages, query)] == []
    assert f"{HOST}{tag}" not in urls(languages, other)


def test_a_word_inside_a_compound_comes_after_the_word(tmp_path: Path) -> None:
    site = {
        f"{HOST}{name}": [f"<html lang={tag}><title>{name}</title><p>{text}"]
        for name, tag, text in [
            ("long", "de", "Das Donaudampfschiff. " * 9), ("word", "de", "Kein Schiff, aber viele andere Dinge"),
            ("english", "en", "A donaudampfschiff"),
        ]
    }  # fmt: skip
    assert urls(indexed(site, tmp_path / "crawl.db"), "schiff") == [f"{HOST}word", f"{HOST}long"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("tasks", "A *task* group waits for its *tasks*. See mod_rewrite."),
        ("c++", "We write *C++* and C#, not C."),
        ("haus", "Viele große *Häuser* am Fluß"),
        ("系统", "关于操作*系**统*内核的文档"),
        ("izmir", "*İzmir*'de bir kapı ve İNDİRİM. SINAV YOK, API var"),
        ("indirim", "İzmir'de bir kapı ve *İNDİRİM*. SINAV YOK, API var"),
        ("altogether", "Something else *altogether*"),
    ],
)
def test_snippet_marks_the_words(store: Path, query: str, expected: str) -> None:
    assert expected in [page.snippet.marked("*", "*") for page in found(store, query).pages]


def test_snippet_is_the_part_with_the_words_without_signs_of_permalinks(tmp_path: Path) -> None:
    filler = " ".join(f"filler{i}" for i in range(2_000))
    heading = f'<h2>Zebras<a href="#z">¶</a></h2><p>{filler} a zebra at last {filler}</p>'
    store = indexed({HOST: [f"<title>T</title>{heading}"]}, tmp_path / "crawl.db")
    first, last = (found(store, query).pages[0].snippet for query in ("zebras", "at last"))
    assert first.marked("*", "*").startswith("*Zebras* filler0")
    assert "*at* *last*" in last.marked("*", "*")
    assert len(last.text) <= 250
    (begin,) = found(store, "intitle:t").pages
    assert begin.snippet.marks == ()
    assert begin.snippet.text.startswith("Zebras filler0 ")


@pytest.mark.parametrize(
    ("text", "terms", "excluded"),
    [
        ("python asyncio", ["python", "asyncio"], []),
        ('"task group" asyncio', ["task group", "asyncio"], []),
        ('asyncio -"task group"', ["asyncio"], ["task group"]),
        ('an "open quote', ["an", "open quote"], []),
        ("c++ std::vector mod_rewrite", ["c++", "std::vector", "mod_rewrite"], []),
        ("a AND b OR NOT c", ["a", "AND", "b", "OR", "NOT", "c"], []),
        ("word + * ( ) ^", ["word"], []),
    ],
)
def test_query_is_read(text: str, terms: list[str], excluded: list[str]) -> None:
    query = parse_query(text)
    assert [term.text for term in query.terms] == terms
    assert [term.text for term in query.excluded] == excluded


def test_fields_say_where() -> None:
    query = parse_query("title:asyncio INTITLE:x site:https://Docs.Python.org/3/ lang:de_AT gather", ("*.test.",))
    assert query.terms == (Term("asyncio", in_title=True), Term("x", in_title=True), Term("gather"))
    assert query.sites == ("test", "docs.python.org")
    assert query.languages == ("de-at",)
    assert parse_query("x after:2026-11-20 after:7d").after == "7d"


@pytest.mark.parametrize("text", ["", "  ", "-only", "+++ \0", "site:a.test", '""'])
def test_query_without_a_word_is_refused_by_name(text: str) -> None:
    with pytest.raises(SettingError, match="at least one word"):
        parse_query(text)


def test_hundred_words_are_cut_and_counted() -> None:
    query = parse_query(" ".join(f"w{i}" for i in range(100)))
    assert len(query.terms) == MOST_WORDS


@given(st.text(max_size=60))
def test_any_text_is_a_query_or_is_refused(text: str) -> None:
    try:
        query = parse_query(text)
    except SettingError:
        return
    assert all(has_words(term.text) for term in (*query.terms, *query.excluded))
