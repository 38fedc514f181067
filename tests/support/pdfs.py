"""PDF files, written by hand."""

import zlib
from collections.abc import Callable, Iterable

PAGES = b"<< /Type /Pages /Kids [%b] /Count %d >>"
FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
Objects = dict[int, bytes]


def written(objects: Objects, trailer: bytes = b"/Root 1 0 R") -> bytes:
    """A file of these objects, with its table of cross references."""
    body, places = b"%PDF-1.7\n", {}
    for number, content in objects.items():
        places[number] = len(body)
        body += b"%d 0 obj\n%b\nendobj\n" % (number, content)
    table = b"".join(
        b"%010d 00000 n \n" % places[n] if n in places else b"0" * 10 + b" 65535 f \n" for n in range(max(places) + 1)
    )
    size = max(places) + 1
    return body + b"xref\n0 %d\n%btrailer\n<< /Size %d %b >>\nstartxref\n%d\n%%%%EOF\n" % (
        size, table, size, trailer, len(body)
    )  # fmt: skip


def stream(data: bytes, entries: bytes = b"") -> bytes:
    return b"<< /Length %d %b >>\nstream\n%b\nendstream" % (len(data), entries, data)


def packed(data: bytes, times: int = 1) -> bytes:
    """A stream that is compressed so many times."""
    for _ in range(times):
        data = zlib.compress(data, 9)
    return stream(data, b"/Filter [%b]" % (b"/FlateDecode " * times))


def showing(lines: Iterable[str]) -> bytes:
    """The content of a page that says these lines."""
    shown = b"".join(
        b"(%b) Tj T*\n" % line.encode("cp1252").replace(b"(", rb"\(").replace(b")", rb"\)") for line in lines
    )
    return b"BT /F1 12 Tf 14 TL 72 720 Td\n%bET" % shown


def link(action: bytes) -> bytes:
    """A link annotation."""
    return b"<< /Type /Annot /Subtype /Link /Rect [72 700 200 720] /A << %b >> >>" % action


def document(*pages: Iterable[str], uris: Iterable[str] = (), catalog: bytes = b"", about: bytes = b"") -> bytes:
    """A file of these pages, lines each, with links on the first one. about: entries of its information."""
    tree = 4 + 2 * len(pages)
    objects: Objects = {1: b"<< /Type /Catalog /Pages %d 0 R %b >>" % (tree, catalog), 2: FONT, 3: b"<< %b >>" % about}
    annotations = b"".join(link(b"/S /URI /URI (%b)" % uri.encode()) for uri in uris)
    for at, lines in enumerate(pages):
        further = b"/Annots [%b]" % annotations if not at else b""
        objects[4 + 2 * at] = _page(tree, 5 + 2 * at, b"/Font << /F1 2 0 R >>", further)
        objects[5 + 2 * at] = packed(showing(lines))
    kids = b" ".join(b"%d 0 R" % number for number in range(4, tree, 2))
    return written({**objects, tree: PAGES % (kids, len(pages))}, b"/Root 1 0 R /Info 3 0 R")


def _page(tree: int, content: int, resources: bytes, further: bytes) -> bytes:
    entries = b"/Type /Page /Parent %d 0 R /Contents %d 0 R /Resources << %b >> %b"
    return b"<< %b >>" % (entries % (tree, content, resources, further))


def one_page(content: bytes, page: bytes = b"", more: Objects | None = None) -> bytes:
    """A file of one page with the content object `content`, more entries and more objects, from number 10 on."""
    objects = {
        1: b"<< /Type /Catalog /Pages 2 0 R >>",
        2: PAGES % (b"3 0 R", 1),
        3: _page(2, 4, b"/Font << /F1 5 0 R >> /XObject << /X 10 0 R >>", page),
        4: content,
        5: FONT,
        **(more or {}),
    }
    return written(objects)


def answered(body: bytes, *fields: str, kind: str | None = "application/pdf") -> bytes:
    """An HTTP answer with a file. fields: more of its header."""
    head = [*([f"Content-Type: {kind}"] if kind else []), f"Content-Length: {len(body)}", *fields]
    return "\r\n".join(["HTTP/1.1 200 OK", *head, "", ""]).encode() + body


MB = 10**6
FORM = b"/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X %d 0 R /Y %d 0 R >> >>"
HELLO = showing(["Hello"])


def circles() -> dict[str, bytes]:
    """Files that refer to themselves, or go deep, by what they do."""
    doubling = {n: stream(b"/X Do /Y Do", FORM % (n + 1, n + 1)) for n in range(10, 40)}
    nested = {n: PAGES % (b"%d 0 R" % (n + 1), 1) for n in range(10, 900)}
    return {
        "form in itself": one_page(stream(b"/X Do"), more={10: stream(b"/X Do /X Do", FORM % (10, 10))}),
        "doubling forms": one_page(stream(b"/X Do"), more={**doubling, 40: stream(HELLO)}),
        "contents in itself": one_page(b"[4 0 R 4 0 R]"),
        "page tree in a circle": written({1: b"<< /Type /Catalog /Pages 2 0 R >>", 2: PAGES % (b"2 0 R 2 0 R", 2)}),
        "deep page tree": written({1: b"<< /Type /Catalog /Pages 10 0 R >>", **nested, 900: PAGES % (b"", 0)}),
        "annotation in itself": one_page(stream(HELLO), b"/Annots 10 0 R", {10: b"10 0 R"}),
        "cross references in a circle": document(["x"]).replace(b"/Root 1 0 R", b"/Root 1 0 R /Prev 9"),
    }


def hostile() -> dict[str, Callable[[], bytes]]:
    """What makes files that would take all the time or memory there is, by what they do: most have megabytes."""

    def page_many_times() -> bytes:
        pages = {2: PAGES % (b"3 0 R " * MB, MB), 3: b"<< /Type /Page >>"}
        return written({1: b"<< /Type /Catalog /Pages 2 0 R >>", **pages})

    def annotations() -> bytes:
        return one_page(stream(HELLO), b"/Annots [%b]" % (link(b"/S /URI /URI (http://h.test/)") * 90_000))

    def many_mappings() -> bytes:
        mapped = {
            10: b"<< /Type /Font /Subtype /Type0 /BaseFont /A /Encoding /Identity-H /ToUnicode 11 0 R >>",
            11: packed(b"1 beginbfrange\n" + b"<00000000> <ffffffff> <0041>\n" * MB + b"endbfrange"),
        }
        return one_page(stream(HELLO.replace(b"F1", b"F2")), b"/Resources << /Font << /F2 10 0 R >> >>", mapped)

    return {
        "bomb": lambda: one_page(packed(b" " * 1_000 * MB)),
        "bomb in bombs": lambda: one_page(packed(b" " * 1_000 * MB, 3)),
        "text bomb": lambda: one_page(packed(b"BT /F1 9 Tf 1 0 0 1 9 9 Tm %bET" % (b"(abcdefgh ijk) Tj T* " * 3 * MB))),
        "nested arrays": lambda: one_page(packed(b"[" * 10 * MB)),
        "nested dictionaries": lambda: one_page(packed(b"<< /A " * 2 * MB)),
        "long string": lambda: one_page(packed(b"BT (" + b"a" * 50 * MB + b") Tj ET")),
        "operators": lambda: one_page(packed(b"BT " + b"0 0 Td " * 10 * MB + b"ET")),
        "inline images": lambda: one_page(packed(b"BI ID " * 5 * MB)),
        "page many times": page_many_times,
        "annotations": annotations,
        "no cross references": lambda: b"%PDF-1.7\n" + b"1 0 obj\n<< /Type /Catalog >>\nendobj\n" * 400_000,
        "nothing but a head": lambda: b"%PDF-1.7\n" + bytes(16 * MB),
        "lines": lambda: b"%PDF-1.7\n" + b"\n" * 16 * MB,
        "trailers": lambda: b"%PDF-1.7\n" + b"trailer << /Root 1 0 R /Prev 9 >>\nstartxref\n9\n%%EOF\n" * 250_000,
        "opening brackets": lambda: b"%PDF-1.7\n1 0 obj\n" + b"[" * 16 * MB,
        "many mappings": many_mappings,
    }
