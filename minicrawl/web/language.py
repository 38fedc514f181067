"""The language of a text: what its page declares, unless the text says otherwise.

py3langid weighs 140 languages by runs of letters. It is unsure where a text is short, has few words, or is in one of
several similar languages; then what the page declares counts.
"""

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

_LIKELY, _UNLIKELY, _CERTAIN = 0.5, 0.02, 0.9
"""Likelihood that is enough for a language that no page declares; below which the declared one is wrong; with which the
beginning of a sample says that it is right."""
SEARCHED, _SAMPLE = 8_000, 1_200
"""Bytes of a text that are looked through for prose, and characters of its longest lines, of which half are weighed."""
_BEGINNING = 200
"""Characters of a sample."""
_TAG = re.compile(r"([A-Za-z]{2,3})(?:[-_][A-Za-z0-9]{1,8})*")
_NO_PROSE = re.compile(r"`[^`]+`|\]\([^)]*\)|\w+://\S+|&\w+;")
_NO_MARKS = dict.fromkeys(map(ord, "*_#|>[]\\!~"), " ")
_SAME = {"nb": "no", "nn": "no", "iw": "he", "in": "id", "mo": "ro", "sh": "hr", "fil": "tl", "cmn": "zh"}
"""Codes that the model has under another one."""
_NO_LANGUAGE = "zxx"


def language_of(markdown: str, declared: str | None) -> str | None:
    """The language tag (BCP 47) of a text in Markdown: the declared one, if it is a tag and the text allows for it,
    else the code of the language found; None if neither is known."""
    tag = _TAG.fullmatch((declared or "").strip())
    said = tag[0].replace("_", "-") if tag else None
    own = primary_language(said)
    sample = _prose(markdown)
    if not sample:
        return said
    found, likelihood = _model().classify(sample[:_BEGINNING])
    if likelihood >= _CERTAIN and found == _SAME.get(own or "", own):
        return said
    likely = dict(_model().rank(sample))
    found = next(iter(likely))
    if likely[found] < _LIKELY or found == _NO_LANGUAGE:
        return said
    # What the model does not know, such as gsw, is most like another language.
    return said if own is not None and likely.get(_SAME.get(own, own), 1.0) >= _UNLIKELY else found


def primary_language(tag: str | None) -> str | None:
    """The language of a tag, without region and script: "de" of "de-CH"."""
    return re.split("[-_]", tag)[0].strip().lower() or None if tag else None


def _prose(markdown: str) -> str:
    """The longest lines of a text, without code and addresses, as menus and headings tell less."""
    lines = "".join(markdown[:SEARCHED].split("```")[::2]).split("\n")  # what stands between fences is a listing
    sample = "\n".join(sorted(lines, key=len, reverse=True))[:_SAMPLE]
    return " ".join(_NO_PROSE.sub(" ", sample).translate(_NO_MARKS).split())[: _SAMPLE // 2]


@cache
def _model() -> "LanguageIdentifier":
    """The model: 80 MB, a third of a second."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # noqa: PLC0415 - it brings numpy

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
