"""What a word weighs that stands in one of two questions alone: nothing, or that it asks for something else.

Words in none of these tables weigh something in short questions, where each word counts (`leftover`).
"""

from __future__ import annotations

HARMLESS = frozenset(
    # how, how much and how surely it is said
    "typically usually generally commonly normally often oftentimes mainly mostly primarily largely predominantly "
    "chiefly approximately roughly around nearly almost very really quite pretty rather fairly extremely practically "
    "actually exactly precisely currently now today presently nowadays already just specifically particularly "
    "especially reportedly supposedly allegedly historically traditionally altogether please overall essentially "
    "basically simply readily apparently frequently likely probably possibly "
    # of what kind, saying nothing more
    "specific certain particular various several few else great good given respective possible following existing "
    "whatever whichever known famous notable renowned proper aforementioned current present exact precise favour "
    "favor "
    # what stands for anything
    "person people individual thing item someone somebody something anybody everybody anything everything ones you we "
    "i me us my our your own itself himself herself themselves others idea term word title example instance case "
    "terms respect naming "
    # what a sentence is held together by
    "according regarding concerning relating thus hence therefore while whilst although though whether if how "
    "towards along amongst ago".split()
)
"""Words of which one more or less changes nothing."""

JOINING = frozenset(
    "constitute exist occur happen take get make regard concern relate involve consider situate locate place "
    "contain provide use utilize utilise present represent describe refer mean serve appear seem lie remain "
    "entail comprise feature possess give set let take-place definition define spend credit attribute member consist "
    "belong responsible carry-out commit house span".split()
)
"""Verbs, and nouns like them, of which one more changes nothing, unless it stands where the other question has another
word."""

MUST = frozenset("must should shall ought supposed".split())
"""Words by which a thing is to be so, as "have to" is."""
MAY = frozenset("may might could able unable allowed permitted entitled possible".split())
"""Words by which a thing may be so."""

NAME_PARTS = frozenset(
    "north south east west northern southern eastern western central new old upper lower latin inner outer "
    "great greater little big junior senior jr sr anti pre post non".split()
)
"""Before a name, they make it another."""
NAME_ENDS = frozenset(
    "palace university airport bridge station hotel county street road square museum castle cathedral park "
    "school college hospital tower theatre theater library stadium club festival prize cup bay valley beach "
    "forest hill hills lake island islands mountains sea channel harbour harbor port dam canal railway "
    "newspaper times junior senior jr sr ii iii iv".split()
)
"""After a name, they make it another."""
PERSON_HEADS = frozenset(
    "person people man woman men women boy girl king queen emperor prince princess duke duchess ruler monarch "
    "pope bishop president minister governor mayor senator politician leader general captain commander "
    "officer soldier author writer poet artist painter sculptor composer musician singer actor actress "
    "director architect designer engineer scientist inventor explorer player athlete runner coach manager "
    "teacher professor student journalist team side club country nation state party company firm organization "
    "organisation group band army family tribe institution agency university school council committee court "
    "individual member figure character somebody dynasty union house order church bank theologian historian "
    "philosopher scholar critic employee worker".split()
)
"""What may be said after "which" of one for whom "who" asks too, or a body that acts as one."""
THING_HEADS = frozenset("thing item object stuff something".split())
