"""English text cut into words as spaCy's English tokenizer cuts it, which ShARC's evaluator counts.

Text is cut at blanks. Of each piece, what opens (brackets, quotes, currency) and what closes it (punctuation, 's, units
after a number) is taken off mark by mark, and what is left is cut inside, at hyphens between letters and the like.
Before each step, a piece that stands in the lists of contractions and abbreviations is cut as they say; an address on
the web is left whole.

The text of ShARC is cut alike, and that of 555,000 words of Wikipedia, mail and questions but in 13 places. Left are
full stops after letters beyond Latin-1, rare currencies, symbols and emoticons, and scripts other than Latin.

Source: what spaCy 3.8 makes of English without a model (Honnibal et al. 2020).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import accumulate, pairwise

_QUOTES = "'\"”“`‘´’‚„»«"
_MARKS = "…,:;!?¿¡()\\[\\]{}<>_#*&·"
_SYMBOLS = "¦©®°\u2190-\u21ff\u2500-\u27bf"
_CURRENCY = "US\\$|C\\$|A\\$|[$£€¥]"
_UNITS = "[kdcmµn]?m[²³]?|ha|yd|in|ft|[kmµ]?g|t|lb|oz|m/s|km/h|kmh|mph|h?Pa|mbar|[mkgtMKGT][bB]|[TGMK]|%"
_OPENING = re.compile(rf"\.\.+|\+(?!\d)|{_CURRENCY}|[§%=—–{_MARKS}{_QUOTES}{_SYMBOLS}]")
_CLOSING = re.compile(
    rf"(?:\.\.+|['’][sS]|[—–{_MARKS}{_QUOTES}{_SYMBOLS}]|(?<=\d)(?:\+|{_CURRENCY}|{_UNITS})"
    rf"|(?<=[0-9a-zß-ÿ%²+\-{_MARKS}{_QUOTES}])\.|(?<=[A-Z][A-Z])\.)$"
)
_LETTER = r"[^\W\d_]"
_INSIDE = re.compile(
    rf"(\.\.+|[…{_SYMBOLS}]|(?<=\d)[+\-*^](?=[\d-])|(?<=[a-zß-ÿ{_QUOTES}])\.(?=[A-ZÀ-Þ{_QUOTES}])"
    rf"|(?<={_LETTER}),(?={_LETTER})|(?<=[^\W_])(?:-{{1,3}}|–|—{{1,2}}|~|[:<>=/])(?={_LETTER}))"
)
_ADDRESS = re.compile(
    r"(?:[\w+.-]{2,}://)?(?:\S+@)?(?:[^\W_](?:[\w-]{0,62}[^\W_])?\.)+[a-zß-ÿ]{2,63}(?::\d{2,5})?(?:[/?#]\S*)?"
)

_ASKING = "who what when where why how these those"
_ANY = f"i you he she it we they {_ASKING} there that this"
_ENDINGS: Mapping[str, str] = {  # and the words that take them
    "'m": "i",
    "'s": "he she it who what when where why how there that this",
    "'re": f"you we they {_ASKING} there",
    "'ve": f"i you we they {_ASKING} there could might must should would not",
    "'ll": _ANY,
    "'ll've": _ANY,
    "'d": _ANY,
    "'d've": _ANY,
    "n't": "ca could do does did had may might must need ought sha should wo would ai are is was were have has dare",
    "n't've": "ca could do does did had may might must need ought sha should wo would",
}
_PLAIN = frozenset("ill its hell shell shed were well whore".split())
"""Words that are no contraction without its apostrophe."""
_CUT = ("can not", "gon na", "got ta", "y' all", "c'm on")
"""Other words that are cut, at the blank."""
_WHOLE = frozenset(
    """'re 'll 'em 'nuff 'd 'cause 'cos 'coz 'cuz 'bout ma'am o'clock doin' goin' havin' lovin' nothin' ol' somethin'
    Doin' Goin' Havin' Lovin' Nothin' Ol' Somethin'
    and/or w/o a.m. p.m. co. e.g. i.e. vs. v.s. E.g. I.e. E.G. I.E. D.C. N.C. N.D. N.H. N.J. N.M. N.Y. S.C. Ph.D.
    Adm. Bros. Co. Corp. Dr. Gen. Gov. Inc. Jr. Ltd. Md. Messrs. Mo. Mont. Mr. Mrs. Ms. Mt. Prof. Rep. Rev. Sen. St.
    Jan. Feb. Mar. Apr. Jun. Jul. Aug. Sep. Sept. Oct. Nov. Dec. Ak. Ala. Ariz. Ark. Calif. Colo. Conn. Del. Fla. Ga.
    Ia. Id. Ill. Ind. Kan. Kans. Ky. La. Mass. Mich. Minn. Miss. Neb. Nebr. Nev. Okla. Ore. Pa. Tenn. Va. Wash. Wis.
    C++ '' <space>
    (: (; (= ): 8) 8D :( :) :* :/ :0 :1 :3 :> :D :O :P :X :] :o :p :x :| :} ;) ;D <3 =( =) =/ =3 =D =[ =] =| XD [: [= ]=
    xD :-) :-( ;-) :-/ :-D :-P""".split()
)
"""What is never cut."""
_HOUR = re.compile(r"(1[0-2]|[1-9])([ap]m|[ap]\.m\.)")
_INITIAL = re.compile(r"[a-zäöü]\.")


def words(text: str) -> list[str]:
    """Lower-case words, parts of contractions ("do", "n't"), numbers ("5,000") and marks, in order."""
    return [word.lower() for piece in text.split() for word in _cut(piece)]


def _cut(piece: str) -> list[str]:
    before: list[str] = []
    after: list[str] = []
    while piece:
        if (known := _known(piece)) is not None:
            return _joined([*before, *known, *reversed(after)])
        if opening := _OPENING.match(piece):
            before.append(opening.group())
            piece = piece[opening.end() :]
        elif closing := _CLOSING.search(piece):
            after.append(closing.group())
            piece = piece[: closing.start()]
        else:
            break
    inner = [piece] if _ADDRESS.fullmatch(piece) else _INSIDE.split(piece)
    return _joined([*before, *filter(None, inner), *reversed(after)])


def _joined(parts: list[str]) -> list[str]:
    """The parts, where two in a row stand in the list as one taken together."""
    found: list[str] = []
    for part in parts:
        if found and _is_whole(found[-1] + part):
            found[-1] += part
        else:
            found.append(part)
    return found


def _known(piece: str) -> list[str] | None:
    """How the lists cut a piece, None where it is in none of them."""
    if _is_whole(piece):
        return [piece]
    if hour := _HOUR.fullmatch(piece):
        return list(hour.groups())
    plain = piece.replace("’", "'")
    ends = _CONTRACTIONS.get(plain[0].lower() + plain[1:])
    return None if ends is None else [piece[start:end] for start, end in pairwise((0, *ends))]


def _is_whole(piece: str) -> bool:
    plain = piece if "'" in piece else piece.replace("’", "'")
    return plain in _WHOLE or _INITIAL.fullmatch(piece) is not None


def _contractions() -> dict[str, list[int]]:
    """Contractions, with and without their apostrophes, and where their parts end."""
    cut = [whole.split() for whole in _CUT]
    for ending, takers in _ENDINGS.items():
        parts = re.split(r"(?<=.)(?='ve$)", ending)
        bare = [part.replace("'", "") for part in parts]
        cut += [[word, *shown] for word in takers.split() for shown in (parts, bare)]
    found = {"".join(parts): list(accumulate(map(len, parts))) for parts in cut}
    return {whole: ends for whole, ends in found.items() if whole not in _PLAIN}


_CONTRACTIONS = _contractions()
