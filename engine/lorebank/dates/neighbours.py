"""Words beside a match that tell a date from a name: verbs, events, streets, counted things."""

from __future__ import annotations

from lorebank.dates.tokens import Tokens


def _word_set(words: str) -> frozenset[str]:
    return frozenset(words.split())


CAPITALISED_AFTER = _word_set("january february september october november december")
NAME_WORDS = _word_set(
    "april may june august march friday sunday monday tuesday wednesday thursday saturday "
    "summer autumn winter spring fall jan juni mai avril abril agosto domingo domenica noel "
    "natale easter christmas pascal jun jul aug apr mar julio lunes freitag montag sommer mayo"
)
ARTICLES_ROMANCE = _word_set("le la les el los las il lo i gli o a os as au al du del vers")
VERBS = _word_set(
    "is was were are be been has had have said says told tells asked asks wrote writes wants "
    "wanted thinks thought likes liked loves loved left went goes came comes got gets made "
    "makes knows knew can could will would should might must does did gave took found sent met "
    "moved joined started arrived quit lost won bought sold cause need not also"
)
NAME_LEADS = _word_set(
    "named called name nickname nicknamed cat dog pet pub bar book novel film movie song band "
    "boat ship aunt uncle mr mrs ms miss dr sister brother daughter son wife husband colleague "
    "friend ask tell told asked met meet call texted and with hi hello dear hey thanks by than "
    "like via believe believes believed trust trusts trusted confide interested interest "
    "visited herr frau señor señora senor senora signor signora monsieur madame mme sr sra und "
    "con"
)
COUNTED = _word_set(
    "words word tokens token lines line users user people characters chars items item files "
    "file bytes byte mb kb gb ms seconds second minutes minute hours hour steps step rows row "
    "euros euro dollars dollar eur usd points times requests entries pages page km m kg pieces "
    "copies records tests customers employees usuarios personas palabras wörter zeilen nutzer "
    "mots personnes meters metres meter feet miles watts pounds iterations votes messages "
    "articles"
)
EVENTS = _word_set(
    "meeting standup call sync deploy release review demo retro session workshop lunch dinner "
    "breakfast party class lesson game match show episode update incident outage report notes "
    "planning interview presentation conversation discussion brunch barbecue bbq walk trip visit "
    "parade celebration celebrations gathering vacation getaway hike shopping orders order sale "
    "sales gift gifts present presents concert feast festivities photos pictures"
)
OF_A_QUARTER = _word_set(
    "results revenue numbers goals okrs okr report review planning figures budget earnings targets "
    "target plan plans roadmap kpis kpi forecast profit objectives was were is"
)
AFTER_WEEKDAY = _word_set(
    "morning afternoon evening night at around before after about and or when because but the "
    "we i she he they you it did was were is with in to for of"
)
STREETS = _word_set(
    "calle rua via rue avenida plaza piazza praca place strasse largo viale corso avenue boulevard "
    "platz travessa paseo quai square ponte pont puente bridge bahnhof estacao estacion station"
)
STREET_JOINS = _word_set("du de del des di do da der le la dos das of")
STRONG_LEADS = _word_set("on in during since until last next this")
DAY_WORDS = _word_set("today yesterday tomorrow")
AUXILIARIES_FR = _word_set(
    "a ont ai as avons avez avait avaient avoir ayant aurait pas jamais deja"
)
NO_WEEKDAY_AFTER = _word_set("the a my our le la il lo les los las ' \" “ ‘")
HAN_NUMERALS = frozenset("一二三四五六七八九十")
ORDINAL_WEEKDAYS = _word_set("segunda terca quarta quinta sexta")
NO_VERB_AFTER = _word_set(
    "in on since until by from between after before the last this next early late mid end during"
)
VERSION_LEADS = _word_set(
    "version versión versão versione v rev revision ip python node firmware port puerto porta "
    "room zimmer page pages pp line lines seite seiten"
)
RELEASES = _word_set("release releases build tag patch hotfix upgrade upgraded")
AFTER_HOLIDAY = _word_set("at was were with we i they")
NAME_JOINS = _word_set("de con di da com avec per para")
GREETINGS = _word_set("happy merry blessed frohe frohes feliz joyeux buon bon buona")
CJK_PLACES = (
    "餐厅", "餐廳", "酒店", "饭店", "宾馆", "公司", "乐队", "书店", "咖啡", "广场",
    "大厦", "劇場", "広場", "生まれ", "食堂", "ホテル", "旅館",
)  # fmt: skip
AFTER_CJK_NAME = ("さん", "さま", "様", "くん", "君", "ちゃん", "間", "先生", "氏")


def capitalised(tokens: Tokens, index: int) -> bool:
    """Whether there is such a token and it begins with a capital letter."""
    return index < len(tokens.words) and tokens.text[tokens.starts[index]].isupper()
