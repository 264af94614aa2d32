"""Forms of words, numbers, units, measures, and the small words of a question.

Every table is of lower-case words; verbs are looked up by `forms.base`.
"""

from __future__ import annotations


def _table(text: str) -> dict[str, str]:
    return dict(pair.split("=") for pair in text.split())


IRREGULAR = _table(
    "is=be are=be was=be were=be been=be am=be being=be has=have had=have having=have does=do did=do done=do "
    "began=begin begun=begin won=win lost=lose beaten=beat sold=sell bought=buy taught=teach thought=think "
    "wrote=write written=write built=build broke=break broken=break came=come went=go gone=go gave=give given=give "
    "took=take taken=take made=make said=say told=tell led=lead left=leave met=meet held=hold kept=keep "
    "knew=know known=know grew=grow grown=grow fell=fall fallen=fall rose=rise risen=rise ran=run sang=sing "
    "sung=sing sank=sink sunk=sink spoke=speak spoken=speak stood=stand stole=steal stolen=steal swam=swim "
    "threw=throw thrown=throw wore=wear worn=wear fought=fight found=find forgot=forget forgotten=forget "
    "forbade=forbid forbidden=forbid froze=freeze frozen=freeze flew=fly flown=fly drew=draw drawn=draw "
    "drove=drive driven=drive ate=eat eaten=eat chose=choose chosen=choose caught=catch brought=bring born=bear "
    "bore=bear borne=bear became=become got=get gotten=get used=use using=use bound=bind bred=breed fed=feed "
    "fled=flee hid=hide hidden=hide laid=lay "
    "lain=lie lent=lend meant=mean paid=pay saw=see seen=see sent=send shot=shoot slept=sleep spent=spend "
    "struck=strike swore=swear sworn=swear tore=tear torn=tear understood=understand woke=wake wove=weave "
    "withdrew=withdraw withdrawn=withdraw overthrew=overthrow overthrown=overthrow overturned=overturn "
    "fewer=few less=little least=little more=much most=much fewest=few worse=bad worst=bad better=good best=good "
    "men=man women=woman children=child people=people mice=mouse feet=foot teeth=tooth geese=goose wolves=wolf "
    "lives=live died=die dies=die dying=die lying=lie lies=lie upheld=uphold elder=old eldest=old further=far "
    "later=late latest=late earlier=early earliest=early founded=founded founding=founded founder=founded "
    "cities=city countries=country parties=party armies=army bacteria=bacteria symptoms=symptom bred=breed "
    "whom=who whose=whose an=a rang=ring rung=ring shone=shine dug=dig hung=hang stuck=stick sought=seek "
    "felt=feel dealt=deal heard=hear lit=light rode=ride ridden=ride shook=shake shaken=shake showed=show shown=show "
    "death=die deaths=die birth=bear births=bear marriage=marry marriages=marry arrival=arrive choice=choose "
    "loss=lose losses=lose growth=grow sale=sell sales=sell height=tall length=long width=wide depth=deep "
    "weight=heavy "
    "speech=speak flight=fly gift=give song=sing belief=believe proof=prove discovery=discover successor=succeed "
    "bent=bend crept=creep clung=cling burnt=burn learnt=learn leapt=leap dreamt=dream knelt=kneel slid=slide "
    "sped=speed "
    "spun=spin sprang=spring sprung=spring swept=sweep swung=swing wept=weep wound=wind shrank=shrink shrunk=shrink "
    "stung=sting drank=drink drunk=drink bit=bite bitten=bite blew=blow blown=blow arose=arise arisen=arise "
    "awoke=awake fled=flee flung=fling ground=grind laid=lay leant=lean spelt=spell spilt=spill strove=strive "
    "wives=wife knives=knife gifted=give agreed=agree freed=free predecessor=precede winner=win victory=victory"
)
"""Forms that no suffix tells, with the word they are of."""

PHRASES = frozenset(
    (
        "set up,set out,set off,carry out,take place,take part,take off,take out,come back,go back,bring back,give "
        "up,"
        "give off,give away,turn down,turn on,turn off,switch on,switch off,shut down,close down,tear down,pull down,"
        "knock down,blow up,break out,step down,put off,put out,call off,do away,pass away,die out,go away,look for,"
        "capital punishment,death penalty,speed up,make sure,get into,get out,come after,come before,get rid,go "
        "down,come out,"
        "wipe out,kill off,take over"
    ).split(",")
)
"""Verbs of two words that mean another thing than the first of them. Where `synonyms` names them, a hyphen
joins the two."""

NUMBERS = {
    word: value
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen".split()
    )
} | {word: 10 * value for value, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)}
SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "trillion": 10**12}
ORDINALS = {
    word: value
    for value, word in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
        "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth".split(),
        1,
    )
} | {"firstly": 1, "secondly": 2, "thirdly": 3}
MONTHS = {
    form: name
    for name in "january february march april may june july august september october november december".split()
    for form in (name, name[:3], *(("sept",) if name == "september" else ()))
}
DAYS = frozenset("monday tuesday wednesday thursday friday saturday sunday".split())

UNITS = _table(
    "km=kilometre kms=kilometre kilometer=kilometre kilometre=kilometre m=metre meter=metre metre=metre "
    "cm=centimetre "
    "centimeter=centimetre centimetre=centimetre mm=millimetre millimeter=millimetre millimetre=millimetre mile=mile "
    "yard=yard foot=foot ft=foot inch=inch kg=kilogram kgs=kilogram kilo=kilogram kilogram=kilogram gram=gram "
    "tonne=tonne ton=tonne pound=pound lb=pound lbs=pound ounce=ounce oz=ounce litre=litre liter=litre gallon=gallon "
    "pint=pint second=second sec=second minute=minute hour=hour day=day week=week month=month year=year "
    "decade=decade "
    "century=century celsius=celsius fahrenheit=fahrenheit kelvin=kelvin dollar=dollar euro=euro acre=acre "
    "hectare=hectare volt=volt watt=watt kilowatt=kilowatt mph=mph kph=kph knot=knot "
    "annual=year yearly=year monthly=month weekly=week daily=day hourly=hour"
)
"""Units by their singular and their sign."""

ORDER = _table(
    "before=before after=after during=during since=since until=until till=until while=during prior=before "
    "following=after afterwards=after beforehand=before throughout=during"
)
"""Words that put two things in an order in time."""

COUNTED = _table("all=all every=all each=all only=only solely=only some=some both=both either=either")
"""Words that say of how many it is so, by what they mean."""

SUPERLATIVES = _table(
    "most=most least=least maximum=high minimum=low top=high lowest=low highest=high largest=large biggest=large "
    "greatest=large smallest=small longest=long shortest=short tallest=tall oldest=old eldest=old youngest=young "
    "newest=new earliest=early latest=late fastest=fast slowest=slow deepest=deep richest=rich poorest=poor "
    "strongest=strong weakest=weak heaviest=heavy lightest=light hottest=hot coldest=cold warmest=warm widest=wide "
    "narrowest=narrow best=good worst=bad nearest=near closest=near furthest=far farthest=far fewest=few "
    "brightest=bright hardest=hard softest=soft cheapest=cheap northernmost=north southernmost=south "
    "easternmost=east westernmost=west average=average mean=average"
)
COMPARATIVES = _table(
    "more=more less=less fewer=less higher=high lower=low larger=large bigger=large greater=large smaller=small "
    "longer=long shorter=short taller=tall older=old elder=old younger=young newer=new earlier=early later=late "
    "faster=fast slower=slow deeper=deep richer=rich poorer=poor stronger=strong weaker=weak heavier=heavy "
    "lighter=light hotter=hot colder=cold warmer=warm wider=wide narrower=narrow better=good worse=bad nearer=near "
    "closer=near further=far farther=far brighter=bright dimmer=dim harder=hard softer=soft cheaper=cheap"
)
"""What is compared by each, and in which direction."""

DEMONYMS = _table(
    "french=france dutch=netherlands danish=denmark welsh=wales spanish=spain greek=greece swiss=switzerland "
    "turkish=turkey swedish=sweden finnish=finland polish=poland british=britain english=england irish=ireland "
    "scottish=scotland chinese=china japanese=japan portuguese=portugal norwegian=norway american=usa"
)
"""What is of a country, with the country, where the two begin differently or end much shorter."""


NEGATORS = frozenset(
    "not no never neither none nobody nothing nowhere cannot without unable fail refuse lack hardly barely "
    "seldom rarely cease decline forget absence absent failure refusal unlike neglect omit scarcely nor".split()
)
"""Each of them turns what a question asks to its opposite; two of them turn it back."""

PREPOSITIONS = frozenset(
    "of in on at by from to into onto for with without within against about between among through over under above "
    "below after before during since until near besides beside out off as than via per because despite".split()
)
AUXILIARIES = frozenset(
    "be is are was were been am do does did have has had can could may might must will would shall should".split()
)
LIGHT = frozenset(
    "a an the this that these those its their his her it he she they them him there here s of in on at by to for "
    "from "
    "with as into be do have can may might will would shall should could been being so such same well also "
    "ever called call known know name named what which who whom whose when where why how year date time many much "
    "number amount kind type sort and exactly other than because due reason part one per still then about him "
    "someone anyone something anything any through up out off over among between within upon onto towards "
    "toward".split()
)
"""Words of which one more or less changes nothing."""

TIME_HEADS = frozenset("year date day month decade century time season era period weekday hour".split())
PLACE_HEADS = frozenset(
    "birthplace city town country state place village island county region continent street location river "
    "lake nation district province municipality area neighborhood neighbourhood site building museum park "
    "port venue capital stadium arena theatre theater hospital hotel hall cathedral continent sea ocean palace "
    "castle "
    "cemetery prison".split()
)
COUNT_HEADS = frozenset("number amount quantity count population total".split())
SHARE_HEADS = frozenset("percentage percent proportion share fraction cent".split())
REASON_HEADS = frozenset("reason cause purpose motive".split())
MEASURES = _table(
    "tall=height high=height height=height long=length length=length far=distance distance=distance old=age age=age "
    "big=size large=size size=size area=size wide=width width=width deep=depth depth=depth heavy=weight "
    "weight=weight fast=speed "
    "speed=speed often=frequency frequently=frequency frequency=frequency hot=temperature "
    "temperature=temperature cold=temperature "
    "close=distance near=distance loud=loudness thick=thickness strong=strength soon=soon lifespan=length "
    "capacity=capacity "
    "price=price cost=price fee=price salary=price"
)
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
