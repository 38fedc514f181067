"""Languages found in texts: sentences of the Universal Declaration of Human Rights, and what pages declare."""

import pytest

from minicrawl.web.language import language_of

TEXTS = {
    "ar": "يولد جميع الناس أحراراً متساوين في الكرامة والحقوق. وقد وهبوا عقلاً وضميراً وعليهم أن يعامل بعضهم بعضاً.",
    "cs": "Všichni lidé rodí se svobodní a sobě rovní co do důstojnosti a práv. Jsou nadáni rozumem a svědomím.",
    "da": "Alle mennesker er født frie og lige i værdighed og rettigheder. De er udstyret med fornuft og samvittighed.",
    "de": "Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft begabt.",
    "el": "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα.",
    "en": "All human beings are born free and equal in dignity and rights. They are endowed with reason.",
    "es": "Todos los seres humanos nacen libres e iguales en dignidad y derechos y, dotados como están de razón.",
    "fa": "تمام افراد بشر آزاد بدنیا میایند و از لحاظ حیثیت و حقوق با هم برابرند. همه دارای عقل و وجدان میباشند.",
    "fi": "Kaikki ihmiset syntyvät vapaina ja tasavertaisina arvoltaan ja oikeuksiltaan.",
    "fr": "Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de raison.",
    "he": "כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם. כולם חוננו בתבונה ובמצפון.",
    "hi": "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है।",
    "hu": "Minden emberi lény szabadon születik és egyenlő méltósága és joga van. Az emberek ésszel bírnak.",
    "it": "Tutti gli esseri umani nascono liberi ed eguali in dignità e diritti. Essi sono dotati di ragione.",
    "ja": "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。",
    "ko": "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다.",
    "nl": "Alle mensen worden vrij en gelijk in waardigheid en rechten geboren. Zij zijn begiftigd met verstand.",
    "pl": "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw.",
    "pt": "Todos os seres humanos nascem livres e iguais em dignidade e em direitos. Dotados de razão.",
    "ru": "Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и совестью.",
    "sv": "Alla människor äro födda fria och lika i värde och rättigheter. De äro utrustade med förnuft.",
    "th": "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ",
    "tr": "Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar. Akıl ve vicdana sahiptirler.",
    "uk": "Всі люди народжуються вільними і рівними у своїй гідності та правах. Вони наділені розумом і совістю.",
    "vi": "Tất cả mọi người sinh ra đều được tự do và bình đẳng về nhân phẩm và quyền lợi.",
    "zh": "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。",
}


@pytest.mark.parametrize("language", TEXTS)
def test_text_tells_its_language_whatever_its_page_declares(language: str) -> None:
    wrong = "de" if language == "en" else "en"
    assert [language_of(TEXTS[language], declared) for declared in (None, "", wrong, "English", language)] == [
        language
    ] * 5


@pytest.mark.parametrize(
    ("text", "declared", "language"),
    [
        (TEXTS["de"], "de-CH", "de-CH"),
        (TEXTS["zh"], " zh_Hant ", "zh-Hant"),
        ("Alle mennesker er født frie. Dei er fødde til fridom.", "nb", "nb"),  # which the model has as no
        ("Alle Mönsche si frei u gliich a Würd u Rächt gebore.", "gsw", "gsw"),  # which it has not
        ("Login", "fr", "fr"),
        ("Login", None, None),
        ("", "it", "it"),
        ("", "x-default", None),
        ("iPhone 15 Pro Max 256 GB", "ja", "ja"),
        ("1 234 567 890 12 345", None, None),
        # A manual in Italian has more code than words.
        (f"{TEXTS['it']}\n\n```c\n{'return the_value_of(this, with, that);' * 40}\n```", "en", "it"),
        (f"[{TEXTS['it']}](https://a.test/{'the-english-words-of-an-address/' * 40})", "en", "it"),
        (f"# Skip to content\n\n- Home\n- About us\n\n{TEXTS['it']}", "en", "it"),
    ],
)
def test_what_a_page_declares_counts_unless_its_words_say_otherwise(
    text: str, declared: str | None, language: str | None
) -> None:
    assert language_of(text, declared) == language
