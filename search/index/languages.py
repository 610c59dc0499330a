"""Detects the languages that a vault is written in by their most common words.

A note is in a language if its text has at least `_MIN_WORDS` different common words of that language, and more than of
any other. A vault is written in each language that has more than `_MIN_SHARE` of the notes with a language, and at
least `_MIN_OF_ALL` of all notes. Short notes, lists and code have no language. A vault of such notes alone has no
language either: no default is assumed.

The lists only serve to tell languages apart, so a word may be in several of them. Some languages have a list but no
stemmer.
"""

from collections.abc import Mapping

import numpy as np

from search.analysis.fold import fold
from search.answer.evidence import Field
from search.index.postings import FIELDS, Postings
from search.index.vocabulary import Vocabulary

_MIN_WORDS = 3
_MIN_SHARE = 0.05
_MIN_OF_ALL = 0.02
_BODY = FIELDS.index(Field.BODY)

_COMMON_WORDS = {
    "albanian": "dhe në të një e për me nga që si është ka më nuk por se kjo ai janë ishte",
    "basque": "eta da ez bat dira zen du ere izan zuen baina edo egin dute bere ziren",
    "catalan": "el la els les un una i o però que amb per de del dels als no és són amb aquest aquesta això hi ha més",
    "croatian": "je se na da su za od koji kao što iz ne ili bio biti nije koja koje nakon prema",
    "czech": "je se na že to do ale jako za by pro tak po co podle jsou které který však nebo také bylo byl při až",
    "danish": "og i det at en den til er som på de med han af for ikke der var mig sig men et har om vi havde hun nu",
    "dutch": "de het een en van ik te dat die in is niet zijn op aan met als voor er maar om dan wat door ook naar bij",
    "english": "the a an of to and in is that it for as was with on be at by this from or are not have but which you",
    "estonian": "ja on ei et see ta kui oli ka aga mis siis oma või nii need kes ning veel seda pole ainult selle",
    "filipino": "ang ng sa mga na ay para ito may siya ni kung hindi",
    "finnish": "ja on ei se että hän oli mutta kun niin joka myös ovat tai kuin mitä jos sen tämä vain voi ole mukaan",
    "french": "le la les un une de des du et est que qui dans pour pas sur au avec ce il elle ne se plus par je vous",
    "german": "der die das und ist nicht ein eine zu den mit von auf für im dem des sich auch als wird an es ich sind",
    "greek": "και το η ο τα να της του οι με για στο στη από που είναι δεν θα σε ένα μια την τον των ή ως",
    "hungarian": "a az és nem hogy is egy van meg de csak ez mint volt ha már még kell vagy azt el ki minden ezt",
    "icelandic": "og að er sem til um við með af en var það ekki hann fyrir frá eða hún þar þess",
    "indonesian": "yang dan di dengan untuk dari ini pada adalah itu dalam tidak ke oleh sebagai juga akan atau telah",
    "irish": "an na agus ar is i le go a bhí sé ag do tá nach ach seo sin leis gur mar ní iad sí raibh",
    "italian": "il la lo i gli le un una di e che non è per in con del della sono si da dei alla più nel anche come ma",
    "latvian": "un ir no ar par uz kas tika bija pēc kā lai arī gada vai bet pie nav",
    "lithuanian": "ir yra kad į iš su ne tai kaip bet o dėl taip jis ji ar po už buvo tik savo nuo prie",
    "norwegian": "og i det at en den til er som på de med han av for ikke der var meg seg men et har om vi hadde hun",
    "polish": "i w nie na się z do to że jest jak o co ale po za od tak tego przez jego są oraz dla który lub czy",
    "portuguese": "o a os as um uma de do da dos das e que não em no na com para por se é mais como mas ao foi são",
    "romanian": "și în de la cu pe nu este că un o din mai pentru care sunt sau ca dar fi se prin după acest această",
    "russian": "и в не на что с по это как но к из у за от для о так же все он она мы вы они или если то бы есть",
    "serbian": "и у је да се на не за од са као су али то из који што је или bi ће би по није само",
    "slovene": "in je se na da so za od ki kot tudi po ne pa bi ali bil bila pri ter kar iz med",
    "spanish": "el la los las un una de del y que en no es por con para se al lo como más pero su este está son si",
    "swahili": "ya na wa kwa ni katika la za cha kama hii huo yake pia kuwa huu hiyo lakini",
    "swedish": "och i att det en som på är av för den till med inte om ett han men var jag sig från vi så kan när har",
    "turkish": "ve bir bu da de için ile çok ne gibi daha olarak ama var o ki mi olan kadar sonra değil en her",
    "vietnamese": "và của là có cho một những các được trong không với người để này đã khi từ đến ở như về cũng bị vào",
    "welsh": "yn ar yr ac mae gan am ei wedi fel oedd hefyd nad sydd bod",
}
COMMON_WORDS: Mapping[str, frozenset[str]] = {
    language: frozenset(map(fold, words.split())) for language, words in _COMMON_WORDS.items()
}


def languages_of(vocabulary: Vocabulary, postings: Postings) -> tuple[str, ...]:
    """The languages of a vault by Snowball's names, in alphabetical order; () if no note has a language.

    A note with equally many common words of two languages has no language.
    """
    counts = np.zeros((len(COMMON_WORDS), len(postings.notes)), np.int64)
    for row, words in zip(counts, COMMON_WORDS.values(), strict=True):
        known = [vocabulary.matching(word, is_exact=True).word for word in sorted(words)]
        for ids in known:
            if len(ids):
                found = postings.find(ids)
                row[found.slots[found.fields == _BODY]] += 1
    if not counts.size:
        return ()
    best = counts.max(axis=0)
    has_language = (best >= _MIN_WORDS) & ((counts == best).sum(axis=0) == 1)
    n_notes = np.bincount(counts.argmax(axis=0)[has_language], minlength=len(COMMON_WORDS))
    is_spoken = (n_notes > _MIN_SHARE * n_notes.sum()) & (n_notes >= _MIN_OF_ALL * postings.n_counted)
    return tuple(language for language, spoken in zip(COMMON_WORDS, is_spoken.tolist(), strict=True) if spoken)
