"""Words that the transformations know: persons, places, measures, forms of verbs."""

from __future__ import annotations

PERSONS = frozenset(
    """person man woman boy girl child people king queen prince princess emperor empress president minister senator
    governor mayor leader chief chairman chairwoman chairperson head director founder co-founder cofounder owner ceo
    officer commander general admiral colonel captain soldier actor actress singer songwriter singer-songwriter rapper
    musician composer guitarist drummer bassist pianist violinist vocalist producer writer author novelist poet
    playwright journalist editor reporter critic historian philosopher scientist physicist chemist biologist
    mathematician astronomer economist engineer inventor architect designer artist painter sculptor photographer
    player footballer cricketer coach manager athlete swimmer boxer wrestler driver racer golfer skater politician
    lawyer judge attorney diplomat ambassador activist priest bishop pope monk nun saint missionary theologian
    teacher professor student pupil doctor physician surgeon nurse businessman businesswoman entrepreneur
    father mother son daughter brother sister wife husband spouse uncle aunt cousin nephew niece grandfather
    grandmother grandson friend rival successor predecessor winner champion hero heroine character detective
    dancer choreographer comedian comedienne presenter host broadcaster filmmaker screenwriter cinematographer
    explorer navigator pilot astronaut sailor pirate slave merchant farmer farmers scholar linguist anthropologist
    archaeologist psychologist sociologist translator publisher model spy rebel member resident native
    diver skier cyclist rower archer fencer gymnast jockey umpire referee bishop cleric
    proprietor banker financier industrialist philanthropist engraver illustrator cartoonist blogger youtuber
    musicologist conductor organist cellist goaltender goalkeeper midfielder winger striker forward pitcher catcher
    """.split()
)
"""Common nouns for persons, in the singular."""

GROUPS = frozenset(
    """band group company team club organization organisation party university college school government army
    agency corporation firm league association institute institution church orchestra label studio network
    channel station newspaper magazine family tribe committee council court""".split()
)

PLACES = frozenset(
    """city town village country state province county region district island continent river lake sea ocean
    mountain valley park street road station airport building house castle palace church cathedral temple museum
    university college school hospital stadium arena theatre theater hotel prison camp neighborhood neighbourhood
    suburb municipality capital area territory kingdom republic desert forest beach coast peninsula square
    prefecture parish borough settlement commune canton colony planet""".split()
)
"""Common nouns for places that one can be in or at."""

NAMED = PLACES | frozenset(
    """award prize medal trophy cup championship series season tournament festival bridge tower dam war battle treaty
    act law party league conference division team club band company corporation university college school institute
    army navy regiment brigade language religion church empire dynasty newspaper magazine network channel label
    album song film novel book play opera poem game show magazine software system program theory award family
    species genus tribe people order society association union foundation agency department ministry committee
    council court bank airline railway railroad line highway route canal bay gulf strait""".split()
)
"""Common nouns that end names, or come before them, and say what is named."""

WORKS = frozenset(
    "film movie novel book series sitcom show play musical opera game album song episode drama comedy story".split()
)
RELEASED = frozenset("film movie novel book series sitcom game album song episode single ep documentary".split())
"""Works that come out in a year."""
EVENTS = frozenset(
    "season championship championships tournament cup race games election elections war battle edition event final "
    "finals festival contest league competition conference".split()
)
"""Pages about these are where things happen: "in" them."""

MEASURES = frozenset(
    "population area length height elevation budget cost capacity density attendance circulation speed depth width "
    "weight value altitude distance rate salary price revenue diameter temperature magnitude mass radius enrollment "
    "enrolment membership circumference volume score record total average".split()
)
"""Nouns that have a number after "of"."""

UNITS = frozenset(
    """metre metres meter meters kilometre kilometres kilometer kilometers km m mile miles mi foot feet ft inch inches
    yard yards acre acres hectare hectares ha kilogram kilograms kg gram grams tonne tonnes ton tons pound pounds
    lb lbs litre litres liter liters gallon gallons degree degrees mph km/h kmh volt volts watt watts mw kw hz mhz
    cm mm square sq""".split()
)
SPANS = frozenset(
    "second seconds minute minutes hour hours day days week weeks month months year years decade decades "
    "century centuries".split()
)
MONTHS = frozenset("january february march april may june july august september october november december".split())
DAYS = frozenset("monday tuesday wednesday thursday friday saturday sunday".split())

COUNTRIES = frozenset(
    line.strip()
    for line in """afghanistan, albania, algeria, angola, argentina, armenia, australia, austria, azerbaijan,
    bahrain, bangladesh, barbados, belarus, belgium, belize, benin, bhutan, bolivia, botswana, brazil, brunei, bulgaria,
    burundi, cambodia, cameroon, canada, chad, chile, china, colombia, cuba, cyprus, denmark, ecuador, egypt,
    eritrea, estonia, ethiopia, fiji, finland, france, gabon, germany, ghana, greece, guatemala, guinea,
    guyana, haiti, honduras, hungary, iceland, india, indonesia, iran, iraq, ireland, israel, italy, jamaica,
    japan, jordan, kazakhstan, kenya, kuwait, kyrgyzstan, laos, latvia, lebanon, lesotho, liberia, libya,
    lithuania, luxembourg, madagascar, malawi, malaysia, maldives, mali, malta, mauritius, mexico, moldova,
    mongolia, montenegro, morocco, mozambique, myanmar, namibia, nepal, the netherlands, netherlands, new zealand,
    nicaragua, niger, nigeria, north korea, norway, oman, pakistan, panama, papua new guinea, paraguay, peru,
    the philippines, philippines, poland, portugal, qatar, romania, russia, rwanda, saudi arabia, scotland, senegal,
    serbia, sierra leone, singapore, slovakia, slovenia, somalia, south africa, south korea, spain, sri lanka,
    sudan, suriname, sweden, switzerland, syria, taiwan, tajikistan, tanzania, thailand, togo, tunisia, turkey,
    turkmenistan, uganda, ukraine, england, wales, the united arab emirates, the united kingdom, united kingdom,
    the united states, united states, the united states of america, uruguay, uzbekistan, venezuela, vietnam, yemen,
    zambia, zimbabwe, the soviet union, soviet union, the czech republic, croatia, bosnia and herzegovina""".split(",")
)
STATES = frozenset(
    line.strip()
    for line in """alabama, alaska, arizona, arkansas, california, colorado, connecticut, delaware, florida, hawaii,
    idaho, illinois, indiana, iowa, kansas, kentucky, louisiana, maine, maryland, massachusetts, michigan, minnesota,
    mississippi, missouri, montana, nebraska, nevada, new hampshire, new jersey, new mexico, north carolina,
    north dakota, ohio, oklahoma, oregon, pennsylvania, rhode island, south carolina, south dakota, tennessee, texas,
    utah, vermont, virginia, west virginia, wisconsin, wyoming""".split(",")
)

_PAST = dict(
    pair.split(":")
    for pair in """written:wrote given:gave known:knew seen:saw taken:took sung:sang begun:began chosen:chose
    driven:drove drawn:drew done:did eaten:ate fallen:fell flown:flew forbidden:forbade forgotten:forgot
    frozen:froze grown:grew hidden:hid overthrown:overthrew overseen:oversaw overtaken:overtook ridden:rode
    risen:rose shown:showed shaken:shook spoken:spoke stolen:stole sworn:swore thrown:threw undertaken:undertook
    withdrawn:withdrew woken:woke worn:wore woven:wove torn:tore borne:bore broken:broke sunk:sank drunk:drank
    sown:sowed sewn:sewed proven:proved been:was become:became come:came run:ran overcome:overcame
    rewritten:rewrote underwritten:underwrote bitten:bit beaten:beat handwritten:handwrote cowritten:cowrote
    co-written:co-wrote ghostwritten:ghostwrote foreseen:foresaw mistaken:mistook rung:rang sprung:sprang""".split()
)


def personal(noun: str) -> bool:
    """Whether a common noun, in the singular, is for persons."""
    last = noun.rsplit("-", 1)[-1]
    return last in PERSONS or (last.endswith(("ist", "man", "woman", "ician")) and len(last) > 5)


def past(participle: str) -> str:
    """The past tense of a verb by its past participle: "written" is "wrote"."""
    return _PAST.get(participle, participle)


def third(base: str) -> str:
    """The third person singular of a verb: "own" is "owns"."""
    if base in ("be", "have", "do", "go"):
        return {"be": "is", "have": "has", "do": "does", "go": "goes"}[base]
    if base.endswith(("s", "x", "z", "ch", "sh")):
        return base + "es"
    if base.endswith("y") and base[-2:-1] not in "aeiou":
        return base[:-1] + "ies"
    return base + "s"


def singular(noun: str) -> str:
    """A noun's singular by its ending, for looking it up: "actresses" is "actress"."""
    if noun.endswith("ies") and len(noun) > 4:
        return noun[:-3] + "y"
    if noun.endswith(("sses", "ches", "shes", "xes")):
        return noun[:-2]
    if noun.endswith("men"):
        return noun[:-3] + "man"
    return noun[:-1] if noun.endswith("s") and not noun.endswith(("ss", "us", "is")) else noun
