"""Places within others, and what is said of who comes from them: common knowledge, to make lessons of places from."""

from __future__ import annotations

_COUNTRIES = """
Europe: England/English Scotland/Scottish Wales/Welsh Northern_Ireland/Northern_Irish United_Kingdom/British
Ireland/Irish
France/French Germany/German Italy/Italian Spain/Spanish Portugal/Portuguese Netherlands/Dutch Belgium/Belgian
Switzerland/Swiss Austria/Austrian Poland/Polish Czech_Republic/Czech Slovakia/Slovak Hungary/Hungarian Romania/Romanian
Bulgaria/Bulgarian Greece/Greek Serbia/Serbian Croatia/Croatian Slovenia/Slovenian Albania/Albanian Norway/Norwegian
Sweden/Swedish Denmark/Danish Finland/Finnish Iceland/Icelandic Estonia/Estonian Latvia/Latvian Lithuania/Lithuanian
Ukraine/Ukrainian Belarus/Belarusian Russia/Russian Malta/Maltese Luxembourg/Luxembourgish Cyprus/Cypriot
Asia: China/Chinese Japan/Japanese India/Indian Pakistan/Pakistani Bangladesh/Bangladeshi Nepal/Nepalese
Sri_Lanka/Sri_Lankan Thailand/Thai Vietnam/Vietnamese Malaysia/Malaysian Singapore/Singaporean Indonesia/Indonesian
Philippines/Filipino South_Korea/South_Korean North_Korea/North_Korean Taiwan/Taiwanese Mongolia/Mongolian Iran/Iranian
Iraq/Iraqi Israel/Israeli Lebanon/Lebanese Syria/Syrian Jordan/Jordanian Saudi_Arabia/Saudi Kazakhstan/Kazakhstani
Uzbekistan/Uzbek Afghanistan/Afghan
Africa: Nigeria/Nigerian Ghana/Ghanaian Kenya/Kenyan Ethiopia/Ethiopian Egypt/Egyptian Morocco/Moroccan Algeria/Algerian
Tunisia/Tunisian South_Africa/South_African Zimbabwe/Zimbabwean Zambia/Zambian Uganda/Ugandan Tanzania/Tanzanian
Senegal/Senegalese Cameroon/Cameroonian Ivory_Coast/Ivorian Angola/Angolan Namibia/Namibian Sudan/Sudanese
North_America: United_States/American Canada/Canadian Mexico/Mexican Cuba/Cuban Jamaica/Jamaican Haiti/Haitian
Guatemala/Guatemalan Honduras/Honduran Panama/Panamanian
South_America: Brazil/Brazilian Argentina/Argentine Chile/Chilean Peru/Peruvian Colombia/Colombian Venezuela/Venezuelan
Ecuador/Ecuadorian Bolivia/Bolivian Uruguay/Uruguayan Paraguay/Paraguayan
Oceania: Australia/Australian New_Zealand/New_Zealand Fiji/Fijian Samoa/Samoan
"""
_STATES = """
Alabama Alaska Arizona Arkansas California Colorado Connecticut Delaware Florida Hawaii Idaho Illinois Indiana Iowa
Kansas Kentucky Louisiana Maine Maryland Massachusetts Michigan Minnesota Mississippi Missouri Montana Nebraska Nevada
New_Hampshire New_Jersey New_Mexico New_York North_Carolina North_Dakota Ohio Oklahoma Oregon Pennsylvania Rhode_Island
South_Carolina South_Dakota Tennessee Texas Utah Vermont Virginia Washington West_Virginia Wisconsin Wyoming
"""
_PARTS = {
    "United States": _STATES,
    "United Kingdom": "England Scotland Wales Northern_Ireland",
    "Canada": "Ontario Quebec British_Columbia Alberta Manitoba Nova_Scotia",
    "Australia": "New_South_Wales Queensland Victoria Tasmania Western_Australia",
    "Germany": "Bavaria Saxony Hesse Lower_Saxony",
    "India": "Kerala Tamil_Nadu Karnataka Maharashtra Punjab West_Bengal",
}
CONTINENTS = tuple(line.split(":")[0].replace("_", " ") for line in _COUNTRIES.split("\n") if ":" in line)


def _read() -> tuple[dict[str, str], dict[str, str]]:
    within, demonyms, continent = {}, {}, ""
    for said in _COUNTRIES.split():
        word = said.replace("_", " ")
        if word.endswith(":"):
            continent = word[:-1]
            continue
        country, adjective = word.split("/")
        within[country], demonyms[adjective] = continent, country
    for country, parts in _PARTS.items():
        within |= dict.fromkeys((part.replace("_", " ") for part in parts.split()), country)
    within |= {"US": "United States", "U.S.": "United States", "UK": "United Kingdom", "USA": "United States"}
    return within, demonyms


WITHIN, DEMONYMS = _read()
"""The place around a place, and the country that an adjective is of."""
