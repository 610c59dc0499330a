"""Whether a query is a question, judged by its last character, first words or particles, without a model.

A request in the form of a question ("can you find my notes?") asks for notes rather than an answer, and does not count.
"""

import re

# The beginnings of questions. Words that also begin other phrases ("come", "was") need a second word that decides.
_OPENERS = (
    r"who|whom|whose|what|which|when|where|why|how|who's|what's|where's|how's|when's",
    (
        r"(?:is|are|was|were|am|does|did|can|could|should|would|will|has|isn't|aren't|doesn't|didn't|can't)"
        r" (?:i|we|you|he|she|it|they|there|this|that|these|those|the|an?|my|our|your|his|her|its|their|any|some|one)"
    ),
    r"(?:do|don't|have|had|may|must) (?:i|we|you|he|she|it|they|people|any)",
    r"wer|wen|wem|wessen|wann|warum|wieso|weshalb|wozu|woher|wohin|wo|wie|welche[rsnm]?",
    r"was (?:ist|sind|war|bedeutet|macht|kann|soll|hat|tun)",
    r"qui|quoi|quand|où|pourquoi|comment (?:faire|puis|on|ça|se|est|les?|la|une?|je|tu|nous|vous)",
    r"combien|quel(?:le)?s?|lequel|laquelle|qu'est-ce|est-ce|que (?:faire|signifie|veut)",
    r"qué|quién(?:es)?|cuándo|dónde|adónde|por qué|cómo|cuánt[oa]s?|cuál(?:es)?",
    r"(?:chi|cosa|dove) (?:è|sono|ha|era|si|fare|posso|significa)|che cosa|quando|dov'è|perché",
    r"come (?:si|posso|fare|funziona|mai)|cos'è|quant[oaie]|quale|quali",
    r"o que|quem|onde|por que|porquê|como (?:é|se|posso|fazer|funciona)|quant[oa]s?|qual|quais",
    r"wie|wat|wanneer|waar|waarom|hoe (?:kan|kun|moet|is|lang|veel|werkt|doe|maak|gaat)|welke?|wiens",
    r"кто|что|когда|где|куда|откуда|почему|зачем|как|сколько|какой|какая|какое|какие|чей",
    r"хто|що|коли|де|чому|навіщо|як|скільки|який|яка|яке|які",
    r"kto|kiedy|gdzie|dlaczego|czemu|jak|ile|który|która|które|czy",
    r"kimdir|ne zaman|nerede|neden|niçin|nasıl|kaç|hangi",
    r"من هو|ماذا|ما هو|ما هي|متى|أين|لماذا|كيف|كم|هل|أي",
    r"מי|מה|מתי|איפה|למה|מדוע|איך|כמה|האם",
    r"क्या|कौन|कब|कहाँ|क्यों|कैसे|कितने|कितना",
)
_OPENS = re.compile(rf"(?:¿\s*)?(?:{'|'.join(_OPENERS)})(?=[\s?]|\Z)", re.IGNORECASE)
_REQUEST = re.compile(
    r"(?:(?:please|pls|kindly) )?(?:(?:can|could|would|will) (?:you|i|we) (?:please |kindly )?"
    r"(?:find|show|list|get|give|search|look|open|see|fetch|bring|collect|summari[sz]e|have)\b"
    r"|(?:find|show|list|get|give|search|fetch|bring|collect) (?:me|all|my|for|every)\b)"
    r"|(?:kannst|könntest|können) (?:du|sie) .*\b(?:finden|zeigen|suchen|öffnen)\b"
    r"|(?:peux-tu|pouvez-vous|peut-on) (?:me )?(?:trouver|montrer|chercher|lister)"
    r"|(?:puedes|podrías) (?:encontrar|mostrar|buscar|mostrarme|buscarme)"
    r"|(?:puoi|potresti) (?:trovare|mostrare|cercare|mostrarmi)"
    r"|(?:请|請|帮我|幫我|给我|給我)?(?:找|查找|搜索|搜尋|列出|显示|顯示|打开)",
    re.IGNORECASE,
)
_MARKS = "?？؟⁇⁈՞;፧"
# In Chinese, Japanese and Korean a question word may stand anywhere, and question particles stand at the end.
_ASKS = re.compile(
    r"什么|什麼|怎么|怎麼|怎样|怎樣|为什么|為什麼|为何|為何|如何|哪[里裡儿些个個年种種位]|谁|誰|多少|几[个點点时時年天]|幾[個點時年天]|是否|是不是|有没有|有沒有"
    r"|[吗嗎呢]$|何[がをでにのはも時故]|なぜ|どう(?:し|や|す|な|で|い)|どこ|いつ|どの|どれ|だれ|いくつ|いくら|ですか|ますか|でしょうか|か$"
    r"|무엇|무슨|뭐|어떻게|왜|언제|어디|누가|누구|얼마|몇|(?:까|나요|가요|니|냐)$"
)
_REQUEST_ENDS = re.compile(r"(?:を?(?:探して|見せて|表示して|検索して|教えてくれる).*|찾아.*|보여.*)$")


def is_question(text: str) -> bool:
    """Whether a user who typed `text` wants an answer rather than a list of notes; False for blank text.

    >>> is_question("how long do oaks live"), is_question("find all my ai digests"), is_question("where?")
    (True, False, True)
    """
    line = " ".join(text[:2000].split()).replace("’", "'")
    bare = line.rstrip(_MARKS + "!.。！ \"'”」）)")
    if not any(map(str.isalpha, bare)) or _REQUEST.match(bare.lstrip("¿ ")) or _REQUEST_ENDS.search(bare):
        return False
    is_marked = any(mark in line[len(bare) :] for mark in _MARKS) or line.startswith("¿")
    if is_marked:
        return True
    opener = _OPENS.match(bare)
    is_name = opener is not None and opener[0].isupper() and not bare.isupper()  # WHO guidelines
    return _ASKS.search(bare) is not None or (opener is not None and not is_name and len(bare.split()) > 1)
