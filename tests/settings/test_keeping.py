"""The settings of the archive."""

from pathlib import Path

import pytest

from minicrawl.errors import SettingError
from minicrawl.settings import CrawlSettings


def test_they_are_read_as_the_command_line_takes_them() -> None:
    settings = CrawlSettings(archive="kept", archive_size="2MB", archive_types="text/html, image/*")
    assert settings.archive == Path("kept").absolute()
    assert (settings.archive_size, settings.archive_types) == (2_000_000, ("text/html", "image/*"))


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"archive": __file__}, f"--archive {__file__} is no folder; name one"),
        ({"archive_types": "html"}, "--archive-types takes media types such as text/html or image/*, not 'html'"),
        ({"archive_size": 0}, "--archive-size must be at least 1, not 0"),
    ],
)
def test_what_cannot_be_meant_is_told(given: dict, sentence: str) -> None:
    with pytest.raises(SettingError) as caught:
        CrawlSettings(**given)
    assert str(caught.value).startswith(sentence)
