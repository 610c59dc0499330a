"""A dash in front of a word: an exclusion, an option of a pasted command, or a minus sign."""

import pytest

from embedders import WordEmbedder
from search.engine import Engine
from search.query import Mode, Query
from search.semantic.settings import Indexing
from search.settings import Settings
from vaults import codes, ids, search, write

VAULT = """
--- unpack.md
Unpack with tar -xvf archive.tgz, or tar -x -v -f in full.
--- pitch.md
tar and pitch
--- xvf.md
The xvf format of tar.
--- winter.md
At night there was a frost of -5 °C.
--- minus.md
The balance is −12 or – for short – –7,5 percent.
--- five.md
frost for 5 days, a balance of 12 and 7,5
--- git.md
```sh
git commit -m "message" --amend
git log -n 3 | head -1
```
--- find.md
`find . -name thing` and `java -jar big.jar`
--- jar.md
A jar of java, and the name of each.
--- only.md
edit this -only
--- list.md
-milk
-eggs
"""


@pytest.fixture
def engine(tmp_path):
    settings = Settings(indexing=Indexing(folder=str(tmp_path / "cache"), in_background=False))
    engine = Engine(write(tmp_path / "vault", VAULT), settings, embedder=WordEmbedder())
    yield engine
    engine.close()


TEXT = [  # a query whose dashes are text, and the note that contains it
    ("tar -xvf", "unpack.md"),
    ("TAR -XVF", "unpack.md"),
    ("unpack tar -x -v -f", "unpack.md"),
    ("archive (tar -xvf)", "unpack.md"),
    ("frost -5 °C", "winter.md"),
    ("frost -5°", "winter.md"),
    ("balance -12", "minus.md"),
    ("balance -7,5 percent", "minus.md"),
    ("git commit -m message", "git.md"),
    ("git log -n 3", "git.md"),
    ("head -1", "git.md"),
    ("find . -name", "find.md"),
    ("java -jar big", "find.md"),
]


@pytest.mark.parametrize("mode", [Mode.KEYWORD, Mode.HYBRID])
@pytest.mark.parametrize(("text", "note"), TEXT)
def test_a_dash_that_a_note_has_behind_the_same_word_is_text(engine, mode, text, note):
    result = search(engine, text, mode=mode)
    assert note in ids(result)
    assert codes(result).count("read-as-text") == 1
    assert "excluded" not in codes(result)
    assert "-(" in next(one.message for one in result.notices if one.code == "read-as-text")
    assert engine.explain(Query(text=text, mode=mode), note).rank == ids(result).index(note) + 1


EXCLUDED = [  # a query, a note that it excludes, and what its notice must say
    ("tar -pitch", "pitch.md", "‘-pitch’ excludes notes"),
    ("tar -(xvf)", "unpack.md", "‘-(xvf)’ excludes notes"),
    ("-xvf tar", "unpack.md", '"-xvf"'),
    ("-5 frost", "winter.md", '"-5"'),
    ("pitch -5 -xvf -tar", "pitch.md", "‘-5’, ‘-xvf’ and ‘-tar’ exclude notes"),
    ("edit -only", "only.md", "‘-only’ excludes notes"),
    ("milk -eggs", "list.md", "‘-eggs’ excludes notes"),
    ('edit -"only"', "only.md", '‘-"only"’ excludes notes; to search for such text, put it in quotes: "-only".'),
    ("tar OR -5", "winter.md", "‘-5’"),
]


@pytest.mark.parametrize("mode", [Mode.KEYWORD, Mode.HYBRID])
@pytest.mark.parametrize(("text", "note", "message"), EXCLUDED)
def test_any_other_exclusion_excludes_and_a_notice_says_so(engine, mode, text, note, message):
    result = search(engine, text, mode=mode)
    assert note not in ids(result)
    assert [one.message for one in result.notices if one.code == "excluded" and message in one.message]
    assert engine.explain(Query(text=text, mode=mode), note).step == "filter"


def test_punctuation_behind_an_option_does_not_matter(engine):
    assert "unpack.md" in ids(search(engine, "tar -xvf."))


def test_many_exclusions_are_one_notice(engine):
    result = search(engine, "tar " + " ".join(f"-x{n}" for n in range(20)))
    assert codes(result) == ["excluded"]
    assert "‘-x0’, ‘-x1’, ‘-x2’ and 17 more exclude notes" in result.notices[0].message


def test_the_suggested_quotes_and_brackets_do_what_the_notices_say(engine):
    assert ids(search(engine, '"-5"')) == ["winter.md"]
    assert "winter.md" not in ids(search(engine, "frost -(5)"))


@pytest.mark.parametrize("text", ["-#tag tar", "tar -tag:x", "tar -[done]", "tar --xvf", "tar - pitch"])
def test_what_cannot_be_meant_as_text_gets_no_notice(engine, text):
    assert "excluded" not in codes(search(engine, text))
