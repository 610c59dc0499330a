"""Plain Whoosh, in memory, with English stems and its excerpts."""

import re

from common import N_SHOWN, Answer, notes, report


def prepare() -> Answer:
    from whoosh import fields, qparser
    from whoosh.analysis import StemmingAnalyzer
    from whoosh.filedb.filestore import RamStorage

    stems = StemmingAnalyzer()
    schema = fields.Schema(
        path=fields.ID(stored=True), title=fields.TEXT(stems, field_boost=3), body=fields.TEXT(stems, stored=True)
    )
    index = RamStorage().create_index(schema)
    writer = index.writer()
    for path, title, body in notes():
        writer.add_document(path=path, title=title, body=body)
    writer.commit()
    searcher = index.searcher()
    parser = qparser.MultifieldParser(["title", "body"], schema, group=qparser.OrGroup)

    def answer(query: str) -> object:
        found = searcher.search(parser.parse(" ".join(re.findall(r"\w+", query))), limit=N_SHOWN)
        return [hit.highlights("body") for hit in found]

    return answer


report(prepare)
