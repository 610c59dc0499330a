"""Stop words: words that say nothing about a text's subject, by the languages that people mix in a vault.

A note is never found by stop words alone; otherwise a question would find the longest note. A query that consists of
stop words only ("to be or not to be") keeps them. The lists are short on purpose: articles, pronouns, prepositions,
conjunctions, question words, auxiliaries and the verbs of wishes and requests ("want", "get", "show"), and no word that
is likely to be the subject of a note. Languages that share most of these words share a list.

A word of one language may be a subject in another: "die" and "war" are German stop words. So a query is read with the
lists of the languages that its vault is written in, of English, in which people ask anywhere, and of its own language.

A frame is the wording of a question around its subject: "difference between X and Y", "X not working". Its words are
stop words where they stand together.
"""

from collections.abc import Collection, Sequence
from functools import cache

from search.analysis.fold import fold

_BY_LANGUAGES = {
    ("english",): """
        a an the this that these those i me my we us our you your he him his she her it its they them their who whom
        whose which what when where why how and or but nor so if then than as of at by for with about into onto to from
        in on off over under between through during before after above below is are was were be been being am do does
        did doing have has had having can could shall should will would may might must not no there here i'm i've don't
        doesn't it's what's how's isn't can't let's you're we're they're you've we've they've i'll you'll he'll she'll
        it'll we'll they'll i'd you'd he'd she'd we'd they'd he's she's that's there's here's who's where's when's why's
        aren't wasn't weren't hasn't haven't hadn't didn't e.g eg i.e ie won't wouldn't shouldn't couldn't mustn't any
        some such only own same too very just also while because until again further get gets getting got let lets put
        puts want wants need needs make makes use uses used using see show someone somebody something anyone anybody
        anything everyone everybody everything nobody nothing myself yourself itself themselves himself herself
        ourselves cannot vs versus like without
    """,
    ("german",): """
        der die das den dem des ein eine einen einem einer eines und oder aber denn doch ich mich mir mein meine du dich
        dir er ihn ihm sie ihr wir uns unser es man wer wen wem was wann wo warum wieso wie welche welcher welches
        dieser diese dieses ist sind war waren bin bist sein hat habe haben hatte wird werden wurde kann konnen soll
        sollte muss nicht kein keine auf aus bei mit nach von vor zu zum zur uber unter durch fur gegen ohne um im am
        vom ins als wenn dass ob etwas jemand niemand nichts machen mache macht will
        mochte brauche braucht sich seine ihre eure gibt geht lasst
    """,
    ("french",): """
        le la les l un une des du de d et ou mais donc car ne pas que qui quoi quel quelle quels quelles quand comment
        pourquoi est sont etait etre suis ai as avons ont avoir je tu il elle nous vous ils elles mon ma mes ton ta tes
        son sa ses notre nos votre vos leur leurs ce cet cette ces se si y en au aux dans par pour sur avec sans sous
        chez c'est qu'est qu'est-ce n'est quelqu'un quelque rien faire
        fait veux veut peux peut faut dois doit j'ai l'on a-t-il
    """,
    (
        "spanish",
        "portuguese",
        "italian",
        "catalan",
    ): """
        el los las una unos unas y o pero porque que quien cual cuando donde como es son era ser estar esta estoy hay yo
        tu su sus mi mis nos se lo del al con sin por para entre sobre desde hasta os um uma e mas quem qual quando onde
        sao foi estou eu ele ela seu sua meu minha do da dos das no na nas em com sem ao aos il gli uno ed ma perche chi
        quale dove sono essere ho ha io lui lei mio mia suo di dal dalla della dei delle nel nella per tra fra che non
        algo alguien nada hacer hace quiero quiere puedo puede necesito tengo
        qualcosa qualcuno niente fare voglio posso puo devo fazer faz quero pode preciso tenho
    """,
    (
        "dutch",
        "swedish",
        "danish",
        "norwegian",
    ): """
        het een en of maar want ik mij mijn jij je jouw hij hem zijn zij wij ons onze wie wat wanneer waar waarom hoe
        welke deze dit is was waren ben bent heb heeft had kan zal moet niet geen op uit bij met naar van voor te door
        tegen zonder om als dan dat och eller men jag mig min du dig din han hon vi oss vad nar var varfor hur vilken
        den det detta ar har inte ingen pa av fran til till med som att og jeg meg hva hvor hvorfor hvordan ikke er
        iets iemand niets maken wil nodig gebruiken nagot nagon gora vill
    """,
    ("russian",): """
        и или но а же бы ли не ни в во на с со к ко о об от до из у за под над при для по что кто как где когда почему
        зачем какой какая какие это этот эта эти тот та те я ты он она оно мы вы они мой твой его ее их наш ваш есть был
        была были быть мне меня мной тебе тебя нам нас вам вас ему ей им себе себя что-то кто-то
        ничего никто нужно надо хочу можно сделать
    """,
}
_FRAMES = (
    "not working",
    "does not work",
    "doesn't work",
    "do not work",
    "don't work",
    "won't work",
    "stopped working",
    "difference between",
    "differences between",
    "meaning of",
    "definition of",
    "the best way to",
    "a way to",
    "funktioniert nicht",
    "geht nicht",
    "unterschied zwischen",
    "bedeutung von",
    "ne marche pas",
    "ne fonctionne pas",
    "difference entre",
    "no funciona",
    "diferencia entre",
    "diferenca entre",
    "non funziona",
    "differenza tra",
    "werkt niet",
    "verschil tussen",
    "fungerar inte",
    "skillnad mellan",
    "не работает",
    "разница между",
)

_LISTS = {languages: frozenset(fold(word) for word in words.split()) for languages, words in _BY_LANGUAGES.items()}
_FOLDED_FRAMES = tuple(tuple(fold(word) for word in frame.split()) for frame in _FRAMES)
_ENGLISH = "english"
_MIN_WORDS = 2  # of a query that make it a question in a language

STOP_WORDS = frozenset(word for words in _LISTS.values() for word in words)


def is_stop_word(token: str) -> bool:
    """Whether a folded token is a stop word of any of the languages."""
    return token in STOP_WORDS


def stop_words_of(languages: Collection[str], query: Collection[str] = ()) -> frozenset[str]:
    """The stop words for a folded query in a vault that is written in these languages (Snowball's names).

    They are those of the languages, of English, and of each list that has two words of a query without English stop
    words. Without languages they are those of all lists.

    >>> "war" in stop_words_of(["english"]), "war" in stop_words_of(["german"]), "war" in stop_words_of([])
    (False, True, True)
    >>> "war" in stop_words_of(["english"], ["wer", "war", "cicero"])
    True
    """
    if not languages:
        return STOP_WORDS
    spoken = _stop_words_of(frozenset((*languages, _ENGLISH)))
    if not _stop_words_of(frozenset({_ENGLISH})).isdisjoint(query):
        return spoken
    return spoken.union(*(words for words in _LISTS.values() if len(words.intersection(query)) >= _MIN_WORDS))


@cache
def _stop_words_of(languages: frozenset[str]) -> frozenset[str]:
    return frozenset(word for known, words in _LISTS.items() if languages.intersection(known) for word in words)


def framing(words: Sequence[str]) -> frozenset[str]:
    """The words of a folded query that belong to a frame.

    >>> sorted(framing(["export", "does", "not", "work"]))
    ['does', 'not', 'work']
    """
    found = {
        frame for at in range(len(words)) for frame in _FOLDED_FRAMES if tuple(words[at : at + len(frame)]) == frame
    }
    return frozenset(word for frame in found for word in frame)
