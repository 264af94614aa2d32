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
        "meant/mean met/meet paid/pay ran/run rose/rise said/say sank/sink saw/see sent/send sold/sell spent/spend "
        "spoke/speak stood/stand taught/teach thought/think told/tell took/take understood/understand went/go "
        "withdrew/withdraw won/win wrote/write"
    ).split()
)
"""Irregular verbs of the past and their plain forms."""
_PARTICIPLES = frozenset(
    "become been begun bought brought built chosen come cut done drawn driven fallen felt fought found given gone got "
    "grown had heard held hit kept known laid led left lent let lost made meant met paid put read risen run said seen "
    "sent set sold spent spoken stood taken taught thought told understood withdrawn won written".split()
)
_PLAIN = frozenset(
    "accept act add adopt advise agree aim allow answer appeal apply approve arrange arrive ask attend "
    "authorise authorize award be become begin believe belong benefit borrow break bring build buy calculate "
    "call cancel care carry cause change charge check choose claim close collect come commit compare complain "
    "complete confirm consider contact contain continue contribute control cost cover create cut damage deal "
    "decide delay depend describe deserve destroy detain die disagree discuss divorce do donate drink drive "
    "earn eat employ end enrol enroll ensure enter establish estimate exceed exist expect experience expire "
    "export face fail fall feel fill finance find finish fit follow foster fund gain get give go graduate grow "
    "guarantee happen have hear help hide hire hold hope hurt identify import improve include increase inform "
    "inherit injure inspect install insure intend invest invite invoice involve issue join keep kill know lack "
    "last lead leak learn leave lend let license like live lodge look lose lower maintain make manage marry "
    "mean measure meet move need nominate notice notify nurse obey object obtain occupy occur offer operate opt "
    "order owe own paint park pass pay perform plan play possess prefer prepare prescribe process produce "
    "promote prosecute protect protest prove provide publish purchase put qualify rain raise rank reach read "
    "receive record recover reduce refund refuse register rely remain remarry remove renew rent repair repay "
    "replace reply report represent request require reside resign respond restore retire return ride rob row "
    "run sail satisfy save say score search see seek seem sell send separate serve share show sign sing sink "
    "sleep smoke speak spend sponsor stand start state stay steal stop store study submit suffer supply support "
    "suspect swim take tax teach tell think total train transfer transport travel treat try turn understand "
    "update upgrade use verify visit volunteer vote wait walk want wear weigh win wish withdraw work write".split()
)
_NOUNS_TOO = frozenset(
    "act aim answer appeal award benefit call care cause change charge check claim close contact control cost "
    "cover cut damage deal delay drink end estimate experience export face fall finance fit fund guarantee help "
    "hope hurt import invoice issue last lead leak license look measure need notice nurse object offer order "
    "own park pass pay plan play process protest purchase rain rank record refund rent repair reply request "
    "return ride row run sail save score search share show sign sink sleep smoke sponsor stand start state stay "
    "stop store study supply support tax total train transfer transport travel treat turn update use visit "
    "volunteer vote wait walk wear win wish work".split()
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
    "able aged bereaved born disabled divorced eighteen eligible employed entitled going ill ineligible liable "
    "likely married named planning pregnant registered resident responsible retired self-employed separated "
    "sick single sixteen sixty twenty-one unable unemployed widowed willing".split()
)
_PERSONS = frozenset(
    "adult agent anyone applicant apprentice beneficiary borrower business buyer candidate carer child citizen "
    "claimant company contractor dependant dependent director doctor driver employee employer everyone executor "
    "family farmer fisherman graduate group guardian guest holder homeowner household immigrant individual "
    "landlord learner man member migrant minor national nurse operator organisation organization owner parent "
    "participant passenger patient pensioner people person practitioner prisoner producer provider pupil "
    "rancher recipient refugee renter resident seller servicemember shareholder someone spouse student survivor "
    "taxpayer teacher tenant those trader trainee user veteran visitor volunteer widow widower woman worker "
    "youth".split()
)
_SHIFTED = frozenset(
    "anyone applicant apprentice borrower candidate citizen claimant employee farmer homeowner individual "
    "participant people person recipient renter servicemember someone student taxpayer tenant those veteran "
    "worker".split()
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
