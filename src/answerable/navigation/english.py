"""As much English as questions about rules need: verbs and their forms, contractions, negation, words for persons."""

from __future__ import annotations

import re
from collections.abc import Mapping

PAST: Mapping[str, str] = dict(
    pair.split("/")
    for pair in (
        "became/become began/begin bought/buy brought/bring built/build came/come chose/choose did/do died/die "
        "drew/draw drove/drive fell/fall felt/feel fought/fight found/find gave/give got/get grew/grow had/have "
        "heard/hear held/hold kept/keep knew/know laid/lay led/lead left/leave lent/lend lost/lose made/make "
        "meant/mean met/meet paid/pay ran/run rose/rise said/say saw/see sent/send sold/sell spent/spend spoke/speak "
        "stood/stand taught/teach thought/think told/tell took/take understood/understand went/go won/win "
        "withdrew/withdraw wrote/write"
    ).split()
)
"""Irregular verbs of the past and their plain forms."""
_PARTICIPLES = frozenset(
    "been become begun bought brought built come chosen done drawn driven fallen felt fought found given gone got "
    "grown had heard held kept known laid led left lent lost made meant met paid put run risen said seen sent set "
    "sold spent spoken stood taken taught thought told understood won withdrawn written read cut hit let".split()
)
_PLAIN = frozenset(
    "accept act add adopt agree aim allow answer appeal apply arrange arrive ask attend be become begin believe "
    "belong benefit borrow break bring build buy call cancel care carry cause change charge check choose claim close "
    "collect come commit complete confirm consider contact contain continue contribute control cost cover create cut "
    "deal decide delay depend deserve die disagree do drive earn eat employ end enter establish exceed exist expect "
    "experience export face fail fall feel fill find finish fit follow foster get give go grow happen have hear help "
    "hire hold improve include increase inherit insure intend invest invite join keep know lack last lead learn leave "
    "lend let like live look lose maintain make manage marry mean meet move need nominate notify object obtain occupy "
    "occur offer operate opt own paint park pass pay perform plan play possess prefer prepare produce promote protect "
    "prove provide publish put qualify reach read receive recover reduce refuse register rely remain remarry renew "
    "rent repair replace reply represent require reside resign respond restore retire return run satisfy save say see "
    "seek seem sell send separate serve share show sign speak spend stand start stay stop store study submit suffer "
    "supply support suspect take teach tell think total train transfer travel try turn understand use visit volunteer "
    "wait want wear win wish withdraw work write".split()
)
_NOUNS_TOO = frozenset(
    "act aim answer appeal benefit call care cause change charge check claim close contact control cost cover cut "
    "deal delay end experience export face fall help last lead look need object offer own park pass pay plan play "
    "rent repair reply return run save share show sign stand start stay stop store study supply support total train "
    "transfer travel turn use visit volunteer wait wear win wish work".split()
)
BE = frozenset("is are was were am".split())
HAVE = frozenset("have has had".split())
DO = frozenset("do does did".split())
DEONTIC = frozenset("must should shall".split())
MODAL = frozenset("can could may might will would cannot".split())
FINITE = BE | HAVE | DO | DEONTIC | MODAL
"""The verbs that a question may open with, and those that a duty is told with."""
ADVERBS = frozenset(
    "also already always only just still currently normally usually generally recently ever never regularly actually "
    "both either each first now previously permanently legally not simply all lawfully".split()
)
PRONOUNS = frozenset("you i we they he she it this that these those there".split())
DETERMINERS = frozenset(
    "your the a an this that these those any each every all their his her its our my some no".split()
)
PREPOSITIONS = frozenset(
    "of for to in on at by with from under over about into through between after before during within without per "
    "above below outside inside as than since until towards".split()
)
_STATES = frozenset(
    "aged able unable eligible ineligible entitled responsible pregnant disabled ill sick retired resident willing "
    "self-employed unemployed employed registered likely liable named born planning going married single divorced "
    "separated widowed bereaved twenty-one eighteen sixteen sixty".split()
)
_PERSONS = frozenset(
    "person people applicant individual employee worker claimant candidate borrower veteran servicemember citizen "
    "national resident student apprentice taxpayer parent carer homeowner renter tenant landlord driver farmer "
    "member owner prisoner volunteer trainee pensioner widow widower spouse woman man adult child patient producer "
    "fisherman nurse teacher doctor provider operator business organisation organization company employer trader "
    "anyone someone everyone those visitor guest passenger immigrant migrant refugee participant recipient survivor "
    "dependant dependent beneficiary shareholder director agent executor household family youth graduate learner "
    "group minor "
    "contractor guardian practitioner buyer seller holder user".split()
)
_SHIFTED = frozenset(
    "person people applicant individual employee worker claimant candidate borrower veteran servicemember citizen "
    "student apprentice taxpayer homeowner renter tenant farmer anyone someone those participant recipient".split()
)
_PLURALS = {"people": "person", "men": "man", "women": "woman", "children": "child", "wives": "wife"}
_CONTRACTED = (
    (r"\b(can)(?:'t|not)\b", "can not"),
    (r"\bwon't\b", "will not"),
    (r"\bshan't\b", "shall not"),
    (r"n't\b", " not"),
    (r"'re\b", " are"),
    (r"'ve\b", " have"),
    (r"'ll\b", " will"),
    (r"'m\b", " am"),
    (r"\b(you|they|we|i|he|she)'d\b", r"\1 would"),
    (r"\b(it|he|she|that|there|who)'s (?=been\b|got\b|had\b)", r"\1 has "),
    (r"\b(it|he|she|that|there|who|what|one)'s\b", r"\1 is"),
)
_NOT = re.compile(r"\b(?:not|never|neither|nor)\b|\bno (?!later|more|less|fewer)", re.IGNORECASE)
_NOT_NOT = re.compile(r"\bnot (?:only|just|necessarily)\b|\bor not\b", re.IGNORECASE)


def expand(text: str) -> str:
    """The text with straight quotes and its contractions written out: "you’re" becomes "you are"."""
    text = text.replace("’", "'").replace("‘", "'") if re.search(r"\w’\w", text) else text
    for short, full in _CONTRACTED:
        text = re.sub(short, full, text, flags=re.IGNORECASE)
    return " ".join(text.split())


def is_negative(text: str) -> bool:
    """Whether a clause denies something: not, never, neither, no; "not only" does not."""
    return bool(_NOT.search(_NOT_NOT.sub(" ", expand(text))))


def is_plain(word: str) -> bool:
    """Whether a word is a verb in its plain form, and is one more often than a noun."""
    return word in _PLAIN and word not in _NOUNS_TOO


def plain(word: str) -> str | None:
    """The plain form of a verb: itself, or that of its third person or past; None if no verb of ours has that form."""
    if word in _PLAIN or word == "have":
        return word
    if word in PAST:
        return PAST[word]
    for ending, instead in (("ies", "y"), ("es", ""), ("s", ""), ("ied", "y"), ("ed", ""), ("d", "")):
        stem = word.removesuffix(ending) + instead
        if word.endswith(ending) and stem in _PLAIN:
            return stem
    if word.endswith("ed") and len(word) > 5 and word[-3] == word[-4] and word[:-3] in _PLAIN:
        return word[:-3]
    return None


def without_s(verb: str) -> str:
    """The plain form of any verb in its third person, known or not, by its ending: "rains" is "rain"."""
    if re.search(r"[^aeiou]ies$", verb):
        return verb[:-3] + "y"
    if re.search(r"(?:ss|x|ch|sh)es$", verb):
        return verb[:-2]
    return verb[:-1] if re.search(r"[^s]s$", verb) else verb


def is_past(word: str) -> bool:
    """Whether a word is a verb of the past rather than of the present."""
    return word in PAST or (word.endswith("ed") and word not in _PLAIN and len(word) > 4)


def is_participle(word: str) -> bool:
    """Whether a word may follow "have" to tell what has been done."""
    return word in _PARTICIPLES or (word.endswith("ed") and len(word) > 4 and word not in ("need", "limited"))


def is_state(word: str) -> bool:
    """Whether a phrase that begins with this word says how or where somebody is: "under 19", "living", "eligible"."""
    return (
        word in _STATES
        or word in PREPOSITIONS - {"to", "per", "as", "of"}
        or word[:1].isdigit()
        or (word.endswith("ing") and len(word) > 5)
    )


def is_person(noun: str) -> bool:
    """Whether a noun, of one or of many, names persons or those who are treated like them, such as a business."""
    return singular(noun.lower()) in _PERSONS or noun.lower() in _PERSONS


def is_shifted(noun: str) -> bool:
    """Whether a rule that speaks of this noun speaks of whoever asks: "applicants", "the person"."""
    return singular(noun.lower()) in _SHIFTED


def singular(noun: str) -> str:
    """A noun of many as one of one; any other word stays."""
    if noun in _PLURALS:
        return _PLURALS[noun]
    if noun.endswith("men") and len(noun) > 5:
        return noun[:-3] + "man"
    if noun.endswith("ies") and len(noun) > 4:
        return noun[:-3] + "y"
    if re.search(r"(?:ss|x|ch|sh)es$", noun):
        return noun[:-2]
    return noun[:-1] if re.search(r"[^sui]s$", noun) and len(noun) > 3 else noun


def a(noun: str) -> str:
    """A noun phrase of one with its article."""
    vowel = re.match(r"[aeio]|u(?!ni|se|k\b|s\b)", noun, re.IGNORECASE)
    return f"{'an' if vowel else 'a'} {noun}"
