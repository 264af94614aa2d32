"""Names and set phrases with "and" that stay whole: places, companies, duos, titles and pairs of words.

A feature tells that the words around an "and" are one of these; other names it must tell by their classes alone.
"""

from __future__ import annotations

PAIRS = frozenset(
    """
    antigua barbuda|trinidad tobago|saint kitts|st kitts|kitts nevis|vincent grenadines|bosnia herzegovina
    tomé príncipe|tome principe|turks caicos|pierre miquelon|wallis futuna|georgia sandwich|svalbard jan
    newfoundland labrador|andaman nicobar|jammu kashmir|england wales|tyne wear|dumfries galloway|perth kinross
    dadra nagar|daman diu|ashmore cartier|baden württemberg|castile león|tristan gough|channel islands|clwyd gwent
    simon schuster|harper brothers|johnson johnson|procter gamble|little brown|sloan pearce|faber faber|barnes noble
    marks spencer|ernst young|smith wesson|rolls royce|chapman hall|allen unwin|hodder stoughton|weidenfeld nicolson
    laurel hardy|abbott costello|martin lewis|astaire rogers|key peele|cheech chong|gilbert sullivan|lennon mccartney
    rodgers hammerstein|simon garfunkel|wheeler woolsey|fry laurie|french saunders|morecambe wise|penn teller
    crosby hope|tracy hepburn|bogart bacall|merchant ivory|powell pressburger|hall oates|ike tina|sonny cher
    romeo juliet|tom jerry|hansel gretel|adam eve|cain abel|bonnie clyde|batman robin|antony cleopatra|samson delilah
    david goliath|tristan isolde|thelma louise|jekyll hyde|holmes watson|lilo stitch|rick morty|asterix obelix
    bill ted|beauty beast|sense sensibility|pride prejudice|war peace|crime punishment|sons lovers|north south
    lady tramp|red black|time tide|mice men|fathers sons|angels demons|fire ice|dungeons dragons|guys dolls
    prince pauper|naked dead|princess frog|fear loathing|power glory|sound fury|law order|starsky hutch|food drink
    diseases disorders|disease disorder|war conflict|security surveillance|handbooks manuals|accidents incidents
    science technology|arts crafts|rock roll|rhythm blues|drum bass|hide seek|black white|research development
    bed breakfast|health safety|mergers acquisitions|terms conditions|profit loss|supply demand|trial error
    sword sorcery|sword sandal|cloak dagger|search rescue|cat mouse|life death|love hate|good evil|salt pepper
    fish chips|bread butter|cut paste|drag drop|copy paste|client server|plug play|point click|command control
    nuts bolts|law justice|peace reconciliation|oil gas|iron steel|pulp paper|track field|king queen|brothers sisters
    men women|boys girls|father son|mother daughter|husband wife|cops robbers|heaven hell|sun moon|day night
    past present|body soul|heart soul|hopes dreams|magic mystery|myths legends|poems stories|letters diaries
    plays screenplays|fairy folk|avant-garde experimental|hispanic latino|jews judaism|christians christianity
    primary secondary|elementary primary|import export|trade commerce|banking finance|medicine health|sex sexuality
    gender sexuality|death dying|grief loss|rise fall|ups downs|pros cons|dos don'ts|bits pieces|odds ends|arms legs
    hands feet|island mcdonald
    """.replace("\n", "|")
    .replace("    ", "")
    .split("|")
) - {""}
"""The word before "and" and the word after it (or after "the"), in small letters."""
COMPOUNDS = frozenset(
    """
    science fiction|historical fiction|literary fiction|crime fiction|martial arts|stop motion|true crime|found footage
    short stories|real estate|climate change|machine learning|artificial intelligence|operating systems|open source
    web servers|source code|high school|middle ages|civil war|world war|human rights|public health|natural history
    """.replace("\n", "|")
    .replace("    ", "")
    .split("|")
) - {""}
"""Two words that are one, in small letters: nothing is shared from between them."""
