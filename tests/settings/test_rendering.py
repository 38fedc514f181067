"""Which values the settings of rendering may have."""

import pytest

from minicrawl.errors import SettingError
from minicrawl.settings import CrawlSettings

WRONG = {
    "render": ("(", "is no regular expression"),
    "render_timeout": (0, "--render-timeout must be more than 0, not"),
    "render_pages": (0, "--render-pages must be at least 1"),
    "chromium": (7, "--chromium is the path of a file"),
}


@pytest.mark.parametrize(("name", "value", "sentence"), [(name, *wrong) for name, wrong in WRONG.items()], ids=WRONG)
def test_what_cannot_be_meant_is_one_sentence(name: str, value: object, sentence: str) -> None:
    with pytest.raises(SettingError, match=sentence):
        CrawlSettings(**{name: value})  # type: ignore[arg-type]
