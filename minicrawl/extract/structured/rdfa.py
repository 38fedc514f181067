"""RDFa Lite 1.1 as expanded JSON-LD, with `about`, `content`, `datatype`, `lang` and names with a prefix in `rel`
(RDFa Core 1.1, 7.5, without chains; HTML+RDFa 1.1).

Left out: properties of <meta> that OpenGraph's reader has, and names with an unknown prefix.
"""

from typing import NamedTuple

from minicrawl.extract.document import Node
from minicrawl.extract.structured.bounded_page import BoundedPage, children
from minicrawl.extract.structured.meta import prefixes_of

_INITIAL = {
    "schema": "http://schema.org/",
    "og": "http://ogp.me/ns#",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "dc": "http://purl.org/dc/terms/",
    "dcterms": "http://purl.org/dc/terms/",
    "dc11": "http://purl.org/dc/elements/1.1/",
    "gr": "http://purl.org/goodrelations/v1#",
    "v": "http://rdf.data-vocabulary.org/#",
    "cc": "http://creativecommons.org/ns#",
    "sioc": "http://rdfs.org/sioc/ns#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}
"""Prefixes without a declaration, of RDFa's initial context those in use."""
_VOCABULARY = "http://www.w3.org/ns/rdfa#usesVocabulary"


class _Context(NamedTuple):
    """What an element hands down to those in it. `node`: the id of that which they describe."""

    node: str
    language: str
    vocabulary: str
    prefixes: dict[str, str]

    def iri(self, name: str) -> str | None:
        """The IRI of a term, a name with a prefix, or an IRI; None for an unknown one."""
        prefix, colon, local = name.partition(":")
        if not colon:
            return self.vocabulary + name if self.vocabulary else None
        if prefix == "_" or local.startswith("//"):
            return name
        start = self.prefixes.get(prefix.lower())
        return None if start is None else start + local


def rdfa(page: BoundedPage) -> list[dict[str, object]]:
    """The nodes of a page's graph, in the order of their first mention."""
    marks = page.tree.css("[typeof], [vocab], [about], [resource], [property], [rel*=':']")
    known = prefixes_of(page.tree)
    marks = [one for one in marks if one.tag != "meta" or not (one.attributes.get("property") or "").startswith(known)]
    return _Reader(page).nodes(marks) if marks else []


class _Reader:
    """Reads the graph of one page."""

    def __init__(self, page: BoundedPage) -> None:
        self._page = page
        self._nodes: dict[str, dict[str, list[object]]] = {}
        self._known = set[tuple[str, str, str]]()
        self._blank_nodes = 0

    def nodes(self, marks: list[Node]) -> list[dict[str, object]]:
        """marks: the elements with attributes of RDFa; those above them hand down."""
        relevant = {mark.mem_id for mark in marks}
        for mark in marks:
            above = mark.parent
            while above is not None and above.mem_id not in relevant:
                relevant.add(above.mem_id)
                above = above.parent
        pending = [(self._page.tree.root, _Context(self._page.base, "", "", _INITIAL))]
        while pending and self._page.has_room:
            element, context = pending.pop()
            if element is not None and element.mem_id in relevant:
                context = self._context_within(element, context)
                pending += [(child, context) for child in reversed(children(element))]
        return [{"@id": name, **values} for name, values in self._nodes.items()]

    def _context_within(self, element: Node, above: _Context) -> _Context:
        """Add what an element says; return the context of its children."""
        page, has = self._page, element.attrs
        above = self._handed_down(element, above)
        about = self._resource(element, above, "about")
        source = self._resource(element, above, "resource", "href", "src")
        is_typed, is_text = "typeof" in has, "content" in has or "datatype" in has
        own = above.node if element.tag in {"html", "head", "body"} else None
        blank = f"_:b{self._blank_nodes}"
        self._blank_nodes += is_typed
        rels = [iri for name in page.words(element, "rel") if ":" in name and (iri := above.iri(name))]
        if rels:
            owner, is_text = about or above.node, True
            node = typed = source or owner
            for name in rels if source else ():
                self._add(owner, name, {"@id": source})
        elif "property" not in has or is_text:
            node = owner = typed = about or source or own or (blank if is_typed else above.node)
        else:
            owner = about or above.node
            typed = about or own or source or blank
            node = typed if is_typed else owner
        if is_typed:
            for name in self._names(element, "typeof", above):
                self._add(typed, "@type", name)
        if names := self._names(element, "property", above):
            target = None if is_text else source or (typed if is_typed and about is None else None)
            value = self._text(element, above) if target is None else {"@id": target}
            for name in names:
                self._add(owner, name, value)
        page.spend(elements=1, values=len(names))
        return above._replace(node=node)

    def _handed_down(self, element: Node, above: _Context) -> _Context:
        """The context with the element's own vocabulary, prefixes and language."""
        page, has = self._page, element.attrs
        if (vocabulary := page.attribute(element, "vocab")) is not None:
            above = above._replace(vocabulary=vocabulary)
            if vocabulary:
                self._add(page.base, _VOCABULARY, {"@id": vocabulary})
        declared = (page.attribute(element, "prefix") or "").split()
        names = {name.rstrip(":").lower(): iri for name, iri in zip(declared[::2], declared[1::2], strict=False)}
        names |= {name[6:]: has.get(name) or "" for name in has.keys() if name.startswith("xmlns:")}  # noqa: SIM118
        if names:
            above = above._replace(prefixes=above.prefixes | names)
            page.spend(elements=len(above.prefixes))
        language = page.attribute(element, "lang", "xml:lang")
        return above if language is None else above._replace(language=language)

    def _text(self, element: Node, context: _Context) -> dict[str, object]:
        """The text of an element's properties."""
        given = self._page.attribute(element, "content", "datetime", *(("value",) if element.tag == "data" else ()))
        found: dict[str, object] = {"@value": self._page.text(element) if given is None else given}
        if types := self._names(element, "datatype", context):
            return found | {"@type": types[0]}
        return found | ({"@language": context.language} if context.language else {})

    def _names(self, element: Node, attribute: str, context: _Context) -> list[str]:
        """The IRIs of an attribute's names."""
        return [iri for name in self._page.words(element, attribute) if (iri := context.iri(name)) is not None]

    def _resource(self, element: Node, context: _Context, *attributes: str) -> str | None:
        """The IRI of the first of these attributes: relative to the base, or with a prefix, in brackets or not."""
        given = self._page.attribute(element, *attributes)
        if given is None:
            return None
        is_short = given.startswith("_:") or given.partition(":")[0].lower() in context.prefixes
        name = given.strip("[]")
        return (context.iri(name) if is_short or name != given else None) or self._page.url(given)

    def _add(self, node: str, name: str, value: object) -> None:
        if (triple := (node, name, str(value))) not in self._known:
            self._known.add(triple)
            self._nodes.setdefault(node, {}).setdefault(name, []).append(value)
