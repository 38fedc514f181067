"""A film of a terminal shows what the terminal showed."""

from xml.etree import ElementTree

import film

SVG = "{http://www.w3.org/2000/svg}"


def test_lines_that_stay_are_stored_once_and_keep_their_columns() -> None:
    shown = [(0.0, ("a", "same")), (0.5, ("b", "same")), (9.0, ("\x1b[32mgreen\x1b[0m <rest>", "same"))]
    picture = ElementTree.fromstring(film.film(shown, "a & b"))
    texts = ["".join(text.itertext()) for text in picture.iter(f"{SVG}text")]
    assert texts == ["a", "same", "b", "green<rest>"]
    green, rest = [run for text in picture.iter(f"{SVG}text") for run in text][-2:]
    assert (green.get("class"), green.get("x"), rest.get("x")) == ("g", "0.0", f"{6 * film.WIDTH:.1f}")
    assert len(list(picture.iter(f"{SVG}use"))) == 6
    style = picture.findtext(f"{SVG}style") or ""
    assert "film 1.5s" in style  # of the 8.5 s before the last screen one is shown
