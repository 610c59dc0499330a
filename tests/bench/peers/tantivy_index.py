"""tantivy, in memory, with English stems and its excerpts."""

import re

import tantivy
from common import N_SHOWN, Answer, notes, report


def prepare() -> Answer:
    schema = (
        tantivy.SchemaBuilder()
        .add_text_field("path", stored=True, tokenizer_name="raw")
        .add_text_field("title", stored=True, tokenizer_name="en_stem")
        .add_text_field("body", stored=True, tokenizer_name="en_stem")
        .build()
    )
    index = tantivy.Index(schema)
    writer = index.writer(num_threads=1)
    for path, title, body in notes():
        writer.add_document(tantivy.Document(path=path, title=title, body=body))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()

    def answer(query: str) -> object:
        words = " ".join(re.findall(r"\w+", query))
        wanted, _ = index.parse_query_lenient(words, ["title", "body"], field_boosts={"title": 3.0})
        excerpts = tantivy.SnippetGenerator.create(searcher, wanted, schema, "body")
        found = searcher.search(wanted, N_SHOWN).hits
        return [excerpts.snippet_from_doc(searcher.doc(address)).fragment() for _, address in found]

    return answer


report(prepare)
