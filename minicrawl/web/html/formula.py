"""Formulas: MathML as TeX, which says what its letters alone would not: a half is no 12, the root of 16 is not 16.

A formula that is a line of letters and powers is written as it is read: n=0, x^2.
"""

import re

_TOKEN = re.compile(r"<(/?)([^ >]*)([^>]*)>|[^<]+")
_ONE = re.compile(r"[-+\N{MINUS SIGN}]?\w+|.|\\\w+|\(.*\)|&\w+;", re.DOTALL)
_DEEPEST = 32
"""Elements inside each other, from which on they are a line."""
_UNSEEN = frozenset(("annotation", "annotation-xml", "mphantom", "none", "mprescripts"))
_FENCES = {name: re.compile(f' {name}="([^"]*)"') for name in ("open", "close", "separators")}
_SCRIPTS = {
    **dict.fromkeys(("msup", "mover"), "^"), **dict.fromkeys(("msub", "munder"), "_"),
    **dict.fromkeys(("msubsup", "munderover", "mmultiscripts"), "_^"),
}  # fmt: skip
_PARTS = frozenset(("mfrac", "mroot", "mtable", "mtr", "mlabeledtr", "mfenced", *_SCRIPTS))
"""Elements of which each child is a part."""


def tex_of(math: str) -> str:
    """The TeX of an element of MathML, as HTML text. math: HTML as a parser writes it, perhaps without its end."""
    parts: list[list[str]] = [[]]
    names: list[tuple[str, str]] = [("", "")]
    for token in _TOKEN.finditer(math):
        end, name, attributes = token.groups()
        if name is None:
            if names[-1][0] not in _PARTS:
                parts[-1].append(token[0])
        elif not end:
            names.append((name if len(names) < _DEEPEST else "", attributes))
            parts.append([])
        elif len(names) > 1:
            shown = _element(*names.pop(), parts.pop())
            parts[-1].append(shown)
    while len(parts) > 1:
        shown = _element(*names.pop(), parts.pop())
        parts[-1].append(shown)
    return " ".join("".join(parts[0]).split())


def _element(name: str, attributes: str, parts: list[str]) -> str:
    if name not in _PARTS:
        line = "".join(parts)
        return "" if name in _UNSEEN else rf"\sqrt{{{line}}}" if name == "msqrt" else line or " " * (name == "mspace")
    parts = [part.strip() for part in parts]
    first, second, *_ = *parts, "", ""
    if name in _SCRIPTS:
        signs = zip(parts[1:], _SCRIPTS[name] * len(parts), strict=False)
        return _group(first) + "".join(sign + _group(part) for part, sign in signs if part)
    if name == "mfenced":
        start, stop, between = (found[1] if (found := each.search(attributes)) else None for each in _FENCES.values())
        inside = ("," if between is None else between[:1]).join(parts)
        return f"{'(' if start is None else start}{inside}{')' if stop is None else stop}"
    rows = r" \\ ".join(parts)
    shown = {
        "mfrac": rf"\frac{{{first}}}{{{second}}}",
        "mroot": rf"\sqrt[{second}]{{{first}}}",
        "mtable": rf"\begin{{matrix}} {rows} \end{{matrix}}",
    }
    return shown.get(name) or " &amp; ".join(parts)


def _group(part: str) -> str:
    return part if not part or _ONE.fullmatch(part) else f"{{{part}}}"
