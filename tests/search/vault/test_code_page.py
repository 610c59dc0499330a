"""Notes in 8-bit code pages are read in the right one, however short."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.vault.code_page import PAGES, latin_page
from search.vault.reader import decode

WESTERN = [
    # French
    "Les règles naïves du café",
    "Demain j'achète des pâtes et du fromage à la crémerie.",
    "Où est passée la clé du grenier ?",
    "Même la fenêtre était fermée, c’est étrange…",
    # Portuguese
    "A reunião não será amanhã",
    "Você já leu as opções do relatório?",
    "Três irmãos compraram pão e maçãs.",
    # Spanish
    "El niño comió en la montaña, ¿verdad?",
    "¡Qué sueño! Mañana iré al médico.",
    "El pingüino vive en la Antártida.",
    # Italian
    "Perché la città è più bella di lunedì?",
    "Così non si può fare, però è già qualità.",
    # German
    "Größere Bäume für die Straße",
    "Übermorgen müssen wir früh los.",
    # Swedish, Finnish
    "Vi åker båt på sjön",
    "Köp mjölk, ägg och smör på vägen hem.",
    "Hyvää päivää, äiti lähtee töihin",
    # Danish, Norwegian
    "Blåbærgrød på søndag er dejligt",
    "Husk at købe rugbrød, æg og øl.",
    "Å være eller ikke være",
    # Icelandic
    "Það er gott veður í dag",
    # in capitals, one word, signs alone
    "RÉSUMÉ",
    "naïve",
    "“Smart quotes” and it’s fine",
    "100 £, ½ cup, 5 m², 20 °C",
]
CENTRAL = [
    # Polish
    "Zażółć gęślą jaźń",
    "Wczoraj poszedłem do sklepu i kupiłem świeże pieczywo",
    "Proszę oddzwonić, będę w domu.",
    "Łódź",
    "Jak się masz?",
    # Czech, Slovak
    "Příliš žluťoučký kůň úpěl ďábelské ódy",
    "Zítra půjdu s přáteli do kina",
    "Nezapomeň zavolat babičce kvůli večeři.",
    "ČESKÁ REPUBLIKA",
    "Dnes je pekný deň, pôjdem k moru",
    # Hungarian
    "A következő hétfőn megbeszéljük az ügyet",
    "Holnap megyek az erdőbe",
    "Ne felejtsd el a szülők születésnapját, és végy lisztet, gyümölcsöt, tűt.",
    # Croatian, Slovene, Romanian
    "Gdje je najbliža ljekarna? Žurim se",
    "Danes je lep dan, šel bom v trgovino",
    "Şi apoi am plecat în oraş",
]
OTHERS = [
    ("cp1251", "Завтра мы пойдём в магазин за хлебом"),
    ("cp1251", "Москва и Петербург"),
    ("cp1251", "Meeting notes: обсудить проект с командой"),
    ("shift_jis", "今日は構造化知識を学ぶ。明日も"),
    ("shift_jis", "会議は明日です"),
    ("utf-16-le", "会議は明日です"),
    ("utf-16-be", "メモ"),
    ("big5", "今天我們去公園散步,然後回家吃飯"),
    ("gb18030", "今天我们去公园散步,然后回家吃饭"),
    ("koi8_r", "Завтра мы пойдём в магазин за хлебом"),
    ("koi8_r", "Москва и Петербург"),
    ("koi8_r", "Meeting notes: обсудить проект с командой"),
    ("euc_jp", "今日は構造化知識を学ぶ。明日も"),
    ("euc_jp", "会議は明日です"),
    ("euc_kr", "오늘은 난초에 물을 주었다 ㅋㅋㅋㅋㅋㅋ"),
    ("cp1255", "מחר נלך לקנות לחם בחנות"),
    ("cp1255", "Meeting: לדון בפרויקט עם הצוות"),
    ("cp1254", "Yarın ekmek almak için dükkâna gideceğiz"),
    ("cp1254", "Çocuklar güneşli bir günde ağaçların altında oynuyor"),
    ("cp1254", "Soğanı doğrayın ve yağda kavurun, iyice karıştırın"),
    ("cp1254", "ışık"),
    ("cp1252", "Á morgun förum við á þingið í Reykjavík, sagði Þóra"),
    ("cp1254", "Meeting: projeyi görüşmek için öğleden sonra buluşacağız"),
    ("cp1253", "Καλημέρα, τι κάνεις σήμερα;"),
    # KOI8 in capitals, and of Ukrainian
    ("koi8_r", "ЗАВТРА МЫ ПОЙДЁМ В МАГАЗИН"),
    ("koi8_r", "ВНИМАНИЕ"),
    ("koi8_r", "ПРОЕКТ: обсудить сроки"),
    ("koi8_r", "ЗАМЕТКИ О ПРОЧИТАННЫХ КНИГАХ"),
    ("koi8_u", "Завтра ми підемо до магазину по хліб"),
    ("koi8_u", "Україна"),
    ("koi8_u", "ЗАВТРА МИ ПІДЕМО ДО МАГАЗИНУ"),
    ("koi8_u", "Я не знаю, що робити з цією ґрунтовною працею"),
    # Hebrew with signs, with points, and of one word
    ("cp1255", "מחר – נלך לקנות לחם"),
    ("cp1255", "הוא אמר “שלום” והלך"),
    ("cp1255", "ג’ירפה בגן החיות"),
    ("cp1255", "צה”ל פרסם הודעה"),
    ("cp1255", "זה עולה 20 ₪ בחנות"),
    ("cp1255", "20 € לכל אדם"),
    ("cp1255", "• לקנות לחם"),
    ("cp1255", "שָׁלוֹם"),
    ("cp1255", "שלום"),
    ("cp1255", "תודה רבה"),
    ("cp1255", "ישראל"),
    ("cp1255", "בית ספר"),
    # the Turkish letter that is Icelandic in the Western page and Croatian in that of central Europe
    ("cp1254", "öğretmen"),
    ("cp1254", "Öğrenci"),
    ("cp1254", "öğlen"),
    ("cp1254", "Yağmur"),
    ("cp1254", "yoğurt"),
    ("cp1254", "eğer"),
    ("cp1254", "Diğer dosyalar"),
    ("cp1254", "Bu doğru değil"),
    ("cp1252", "öðru"),
    ("cp1252", "stöð"),
    ("cp1252", "Viðey"),
    ("cp1252", "eðlilegt veður"),
    ("cp1252", "heyrði"),
    # what looks like KOI8 or Hebrew
    ("cp1251", "Сьогодні гарна погода, їдемо на дачу"),
]


@pytest.mark.parametrize(
    ("encoding", "text"),
    [*(("cp1252", text) for text in WESTERN), *(("cp1250", text) for text in CENTRAL), *OTHERS],
)
def test_a_note_of_one_sentence_is_read_in_its_code_page(encoding, text):
    assert decode(text.encode(encoding)).text == text


@pytest.mark.parametrize("text", WESTERN + CENTRAL)
def test_a_sentence_in_an_english_note_is_read_as_well(text):
    encoding = "cp1252" if text in WESTERN else "cp1250"
    note = f"# Note\n\ntags: [travel, food]\n\n- said: {text}\n- [x] 2000-10-10 done\n"
    assert decode(note.encode(encoding)).text == note


def test_of_code_pages_that_fit_equally_well_the_western_one_is_chosen():
    """German and Hungarian have this letter, in the same place of both."""
    assert [latin_page("schön".encode(page)) for page in PAGES] == [("cp1252", True)] * len(PAGES)


def test_a_capital_inside_a_word_is_no_plain_sign_of_a_language():
    r"""`\x8e` is an accented e of the Macintosh; Czech has a capital of that."""
    assert not latin_page(b"caf\x8e")[1]


@given(st.binary(max_size=100))
def test_any_bytes_have_a_page(sample):
    assert latin_page(sample)[0] in PAGES
