"""What the path of a URL says of its type: endings of what is never HTML (`--html-only`).

What has an ending that is unknown, that servers give to pages, too (.php, .xml), or that domains have (.com, .au), may
be HTML. So may a name with a colon: a wiki's page about a picture ends like one (/wiki/File:Cat.jpg).
"""

_IMAGES = "avif bmp cur eps gif heic ico jpe jpeg jpg png psd svg svgz tif tiff webp"
_AUDIO_AND_VIDEO = (
    "3gp aac aif aiff avi flac flv m3u m4a m4v mid midi mkv mov mp3 mp4 mpeg mpg oga ogg ogv opus ra rm wav webm "
    "wma wmv"
)
_ARCHIVES = "7z apk bz2 cab deb dmg gz iso jar lz msi rar rpm tar tbz tgz txz war whl xpi xz zip zst"
_PARTS_OF_PAGES = "css eot js json map mjs otf ttf wasm webmanifest woff woff2"
_DOCUMENTS = "doc docx dot epub key mobi odg odp ods odt pdf pps ppt pptx rtf xls xlsm xlsx"
_PROGRAMS_AND_DATA = "bin class dll dylib exe o pyc swf torrent"
_NOT_HTML = frozenset(
    f"{_IMAGES} {_AUDIO_AND_VIDEO} {_ARCHIVES} {_PARTS_OF_PAGES} {_DOCUMENTS} {_PROGRAMS_AND_DATA}".split()
)


def ending(url: str) -> str | None:
    """The ending of a normalised URL's path, such as "zip", by which it is never HTML; None if it may be."""
    path = url.partition("?")[0]
    name = path[path.rindex("/") + 1 :]
    _, dot, end = name.rpartition(".")
    end = end.lower()
    return end if dot and end in _NOT_HTML and ":" not in name else None
