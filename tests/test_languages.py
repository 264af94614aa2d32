"""Which language a text is in."""

from __future__ import annotations

import pytest

from answerable.languages import STEMMED, STOP_WORDS, function_words, language, likeliest

TEXTS = {
    "en": "The tower was built by the keeper of the harbour, and its lamp has been lit every night since then.",
    "de": "Der Turm wurde von dem Wärter des Hafens gebaut, und seine Lampe brennt seitdem in jeder Nacht.",
    "fr": "La tour a été construite par le gardien du port, et sa lampe est allumée toutes les nuits depuis lors.",
    "es": "La torre fue construida por el farero del puerto, y su lámpara está encendida todas las noches.",
    "it": "La torre è stata costruita dal guardiano del porto, e la sua lampada è accesa tutte le notti da allora.",
    "nl": "De toren is gebouwd door de wachter van de haven, en zijn lamp brandt sindsdien in elke nacht.",
    "pt": "A torre foi construída pelo guarda do porto, e a sua lâmpada está acesa todas as noites desde então.",
    "sv": "Tornet byggdes av hamnens fyrvaktare, och dess lampa har varit tänd i varje natt sedan dess.",
    "ru": "Башня была построена смотрителем гавани, и с тех пор её лампа горит каждую ночь.",
    "zh": "这座塔是由港口的看守人建造的，从那以后每天晚上都亮着灯。",
    "ja": "この塔は港の番人によって建てられ、それ以来毎晩明かりが灯っています。",
    "ko": "이 탑은 항구의 등대지기가 지었고 그때부터 매일 밤 등불이 켜져 있다.",
    "el": "Ο πύργος χτίστηκε από τον φύλακα του λιμανιού και η λάμπα του ανάβει κάθε βράδυ.",
    "ar": "بنى حارس الميناء البرج ومنذ ذلك الحين يضاء مصباحه كل ليلة.",
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_sentence_tells_its_language(name: str) -> None:
    assert language(TEXTS[name]) == name


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Die Hard (1988)",
        "Le Corbusier, Villa Savoye, 1931",
        "| 12 | 13,5 | 2001-05-04 |",
        "To: Martina.Angelova@enron.com, Bob.Stevens@enron.com, Sue.Neville@enron.com, Jim.Man@enron.com",
        "1964 «EMBRYO» Caracas ; 1982 «PSICOTRONICÓ» Caracas",
        'Don Quixote, in full "El ingenioso hidalgo", is a novel that was written by Cervantes of Spain.',
        "Kõpu 灯塔 is a lighthouse on the island of Hiiumaa, and it is the oldest one in the Baltic.",
        "Wieża została zbudowana przez latarnika",
    ],
)
def test_what_is_not_told_apart_counts_as_english(text: str) -> None:
    assert language(text) == "en"


def test_a_long_text_is_told_by_its_beginning() -> None:
    assert language(TEXTS["de"] * 50 + TEXTS["en"] * 5000) == "de"


def test_function_words_are_counted() -> None:
    assert function_words("Wie hoch ist der Turm", "de") == 3 and function_words("Wie hoch ist der Turm", "en") == 0
    assert function_words("Did he die?", "en") == 2 and function_words("灯塔", "zh") == 0
    assert likeliest("Did he die?", ("en", "de")) == "en" and likeliest("Wo ist der Turm?", ("en", "de")) == "de"
    assert likeliest("Neuwerk", ("en", "de")) == "en"
    assert "the" in STOP_WORDS and STEMMED["en"] == "english"
