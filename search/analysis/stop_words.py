"""Stop words: words that say nothing about a text's subject, in the languages that people mix in a vault.

A note is never found by stop words alone; otherwise a question would find the longest note. A query that consists of
stop words only ("to be or not to be") keeps them. The lists are short on purpose: articles, pronouns, prepositions,
conjunctions, question words and auxiliaries, and no word that is likely to be the subject of a note. In order:
English; German; French; Spanish, Portuguese and Italian; Dutch and Scandinavian; Russian.
"""

from search.analysis.fold import fold

_WORDS = """
a an the this that these those i me my we us our you your he him his she her it its they them their who whom
whose which what when where why how and or but nor so if then than as of at by for with about into onto to from
in on off over under between through during before after above below is are was were be been being am do does
did doing have has had having can could shall should will would may might must not no there here i'm i've don't
doesn't it's what's how's isn't can't let's you're we're they're i've you've we've they've i'll you'll he'll she'll
it'll we'll they'll i'd you'd he'd she'd we'd they'd he's she's that's there's here's who's where's when's why's
aren't wasn't weren't hasn't haven't hadn't didn't e.g eg i.e ie won't wouldn't shouldn't couldn't mustn't any
some such only own same too very just also while because until again further
der die das den dem des ein eine einen einem einer eines und oder aber denn doch ich mich mir mein meine du dich
dir er ihn ihm sie ihr wir uns unser es man wer wen wem was wann wo warum wieso wie welche welcher welches
dieser diese dieses ist sind war waren bin bist sein hat habe haben hatte wird werden wurde kann konnen soll
sollte muss nicht kein keine auf aus bei mit nach von vor zu zum zur uber unter durch fur gegen ohne um im am
vom ins als wenn dass ob
le la les l un une des du de d et ou mais donc car ne pas que qui quoi quel quelle quels quelles quand comment
pourquoi est sont etait etre suis ai as avons ont avoir je tu il elle nous vous ils elles mon ma mes ton ta tes
son sa ses notre nos votre vos leur leurs ce cet cette ces se si y en au aux dans par pour sur avec sans sous
chez c'est qu'est qu'est-ce n'est
el los las una unos unas y o pero porque que quien cual cuando donde como es son era ser estar esta estoy hay yo
tu su sus mi mis nos se lo del al con sin por para entre sobre desde hasta os um uma e mas quem qual quando onde
porque sao foi estou eu ele ela seu sua meu minha do da dos das no na nos nas em com sem ao aos il lo gli uno ed
ma perche chi quale dove sono era essere ho ha io lui lei mio mia suo sua di dal dalla del della dei delle nel
nella con per tra fra su che non
het een en of maar want ik mij mijn jij je jouw hij hem zijn zij wij ons onze wie wat wanneer waar waarom hoe
welke deze dit is was waren ben bent heb heeft had kan zal moet niet geen op uit bij met naar van voor te door
tegen zonder om als dan dat och eller men jag mig min du dig din han hon vi oss vad nar var varfor hur vilken
den det detta ar har inte ingen pa av fran til till med om som att og jeg meg hva hvor hvorfor hvordan ikke er
и или но а же бы ли не ни в во на с со к ко о об от до из у за под над при для по что кто как где когда почему
зачем какой какая какие это этот эта эти тот та те я ты он она оно мы вы они мой твой его ее их наш ваш есть был
была были быть мне меня мной тебе тебя нам нас вам вас ему ей им себе себя
"""

STOP_WORDS = frozenset(fold(word) for word in _WORDS.split())


def is_stop_word(token: str) -> bool:
    """Whether a folded token is a stop word of any of the languages."""
    return token in STOP_WORDS
