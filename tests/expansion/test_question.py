"""Which queries are questions, in many languages."""

import pytest

from expansion.question import is_question

QUESTIONS = (
    """
how long do oaks live|What is a limit switch?|where?|is there a frost date for beans|can I prune in May|why not
do we need planning permission|How do I set up OAuth in Next.js?|piano tuning, how often?|who wrote it|what’s a fugue
wie lange leben Eichen|Was ist ein Endschalter|warum ist das so|combien de temps vit un chêne|qu'est-ce que le thé
¿dónde está la llave|cómo podar un roble|come si accorda un piano|perché il cielo è blu|hoe lang leeft een eik
как долго живёт дуб|почему небо синее|jak długo żyje dąb|橡树能活多久？|为什么天空是蓝色的|什么是限位开关|你知道吗
オークの寿命はどのくらいですか|なぜ空は青いのか
리미트 스위치는 무엇인가요|왜 하늘은 파란가
كيف أعتني بشجرة|ما هو البلوط؟|מה זה אלון
""".strip()
    .replace("\n", "|")
    .split("|")
)

OTHERS = (
    """
find all my ai digests|find my piano notes|show me all notes about oaks|can you find my piano notes?|piano|  |?|???
could you please list everything on bees?|list all tags|OAuth2 Next.js|to do list|do the dishes|have a nice day|what
will power|WHO guidelines|chi square test|dove photos|comment section ideas|kim meeting notes|tag:#why
finde alle Notizen|kannst du meine Notizen finden?
请找我的钢琴笔记|帮我找一下关于橡树的笔记|ピアノのメモを探して
피아노 노트 찾아줘
橡树|オーク|машинное обучение|machine-learning|what-if analysis
""".strip()
    .replace("\n", "|")
    .split("|")
)


@pytest.mark.parametrize("text", QUESTIONS)
def test_question_is_recognised(text):
    assert is_question(text)


@pytest.mark.parametrize("text", OTHERS)
def test_other_query_is_no_question(text):
    assert not is_question(text)


def test_long_text_is_no_question_and_takes_no_time():
    assert not is_question("find " * 100_000)
