"""German."""


def _with_parts(weekday: str) -> str:
    """`montag|montagabend|…`"""
    parts = ("", "abend", "morgen", "mittag", "nachmittag", "vormittag", "nacht", "früh")
    return "|".join(weekday + part for part in parts)


WORDS = {
    "MONTH": {
        1: "januar|jänner|januars",
        2: "februar|feber|februars",
        3: "märz",
        4: "april|aprils",
        5: "mai",
        6: "juni|juno",
        7: "juli",
        8: "august|augusts",
        9: "september|septembers",
        10: "oktober|oktobers",
        11: "november|novembers",
        12: "dezember|dezembers",
    },
    "MON": {
        1: "januar|jänner|jan|jän",
        2: "februar|feber|feb",
        3: "märz|mär|mrz",
        4: "april|apr",
        5: "mai",
        6: "juni|jun",
        7: "juli|jul",
        8: "august|aug",
        9: "september|sept|sep",
        10: "oktober|okt",
        11: "november|nov",
        12: "dezember|dez",
    },
    "WEEKDAY": {
        0: _with_parts("montag"),
        1: _with_parts("dienstag"),
        2: _with_parts("mittwoch"),
        3: _with_parts("donnerstag"),
        4: _with_parts("freitag"),
        5: _with_parts("samstag") + "|" + _with_parts("sonnabend"),
        6: _with_parts("sonntag"),
    },
    "WDAY": {0: "mo", 1: "di", 2: "mi", 3: "do", 4: "fr", 5: "sa", 6: "so"},
    "WEEKDAYS": {
        0: "montagen",
        1: "dienstagen",
        2: "mittwochen",
        3: "donnerstagen",
        4: "freitagen",
        5: "samstagen",
        6: "sonntagen",
    },
    "UNIT": {
        "day": "tag|tage|tagen|tages",
        "week": "woche|wochen",
        "weekend": "wochenende|wochenenden|wochenendes",
        "fortnight": "vierzehn tage",
        "month": "monat|monate|monaten|monats",
        "quarter": "quartal|quartale|quartals|quartalen|vierteljahr|vierteljahres",
        "half": "halbjahr|halbjahre|halbjahres|hälfte",
        "year": "jahr|jahre|jahren|jahres",
        "decade": "jahrzehnt|jahrzehnte|jahrzehnten|jahrzehnts|dekade",
    },
    "NUM": {
        1: "ein|eine|einem|einer|einen|eines",
        2: "zwei|zweier",
        3: "drei|dreier",
        4: "vier",
        5: "fünf",
        6: "sechs",
        7: "sieben",
        8: "acht",
        9: "neun",
        10: "zehn",
        11: "elf",
        12: "zwölf",
        13: "dreizehn",
        14: "vierzehn",
        15: "fünfzehn",
        18: "achtzehn",
        20: "zwanzig",
        30: "dreißig",
        40: "vierzig",
        50: "fünfzig",
        60: "sechzig",
        90: "neunzig",
        100: "hundert",
    },
    "ORD": {
        1: "erste|ersten|erster|erstes|erstem",
        2: "zweite|zweiten|zweiter|zweites",
        3: "dritte|dritten|drittes|dritter",
        4: "vierte|vierten|viertes|vierter",
        5: "fünfte|fünften|fünfter",
        -1: "letzte|letzten|letzter|letztes",
    },
    "DAY": {
        1: "erster|ersten|erste",
        2: "zweiter|zweiten",
        3: "dritter|dritten",
        4: "vierter|vierten",
        5: "fünfter|fünften",
        6: "sechster|sechsten",
        7: "siebter|siebten",
        8: "achter|achten",
        9: "neunter|neunten",
        10: "zehnter|zehnten",
        11: "elfter|elften",
        12: "zwölfter|zwölften",
        15: "fünfzehnter|fünfzehnten",
        20: "zwanzigster|zwanzigsten",
        31: "einunddreißigsten",
    },
    "DAYWORD": {
        -3: "vorvorgestern",
        -2: "vorgestern|vorgestern abend",
        -1: "gestern|gestern abend|gestern nacht|letzte nacht|gestern früh|gestern morgen",
        0: "heute|heute morgen|heute früh|heute abend|heute nacht|heute nachmittag|heute mittag",
        1: "morgen|morgen früh|morgen abend",
        2: "übermorgen",
    },
    "DAYPART": {"part": "vormittag|nachmittag|abend|nacht|früh|mittag|morgens|abends"},
    "REL_PRE": {
        -2: "vorletzte|vorletzten|vorletzter|vorletztes|vorvergangene|vorvergangenen|"
        "vorvorige|vorvorigen|vorletztem",
        -1: "letzte|letzten|letzter|letztes|letztem|vorige|vorigen|voriger|voriges|vorigem|"
        "vergangene|vergangenen|vergangener|vergangenes|vergangenem",
        0: "diese|diesen|dieser|dieses|diesem|laufende|laufenden|laufendes|aktuelle|aktuellen",
        1: "nächste|nächsten|nächster|nächstes|nächstem|kommende|kommenden|kommender|kommendes|"
        "kommendem",
        2: "übernächste|übernächsten|übernächster|übernächstes",
    },
    "REL_POST": {1: "drauf"},
    "UNITWORD": {
        ("year", -1): "vorjahr|vorjahres",
        ("year", 0): "heuer",
        ("month", -1): "vormonat|vormonats",
        ("week", -1): "vorwoche",
    },
    "SPAN_PRE": {
        -1: "letzten|letzte|vergangenen|vergangene|vorigen|zurückliegenden",
        1: "nächsten|nächste|kommenden|kommende",
    },
    "AGO_PRE": {
        "ago": "vor fast|vor mehr als|vor über|vor circa|vor genau|"
        "vor|vor etwa|vor ungefähr|vor rund|vor ca|vor genau|vor gut|vor knapp"
    },
    "AGO": {"ago": "zuvor|zurück"},
    "AHEAD_PRE": {"ahead": "in|binnen|innerhalb von"},
    "SEASONS": {
        "summer": "sommern",
        "winter": "wintern",
    },
    "SCHOOL_YEAR": {8: "schuljahr|schuljahres|studienjahr|schuljahrs"},
    "SAME_TIME": {"time": "um diese zeit|zur gleichen zeit|zur selben zeit"},
    "TO_DATE": {"year": "im bisherigen jahr|dieses jahr bisher|im laufenden jahr bisher"},
    "SEASON": {
        "spring": "frühling|frühjahr|frühlings|frühjahrs",
        "summer": "sommer|sommers",
        "autumn": "herbst|herbstes|herbsts",
        "winter": "winter|winters",
    },
    "HOLIDAY": {
        "pentecost-weekend": "pfingstwochenende|pfingsttage",
        "easter-weekend": "osterwochenende|ostertage|ostertagen|osterfeiertage|osterfeiertagen",
        "new-year": "neujahr|neujahrstag",
        "new-year-eve": "silvester|sylvester",
        "epiphany": "dreikönig|heilige drei könige|dreikönigstag|heiligen drei könige",
        "valentine": "valentinstag",
        "labour-day": "tag der arbeit|maifeiertag",
        "unity-de": "tag der deutschen einheit",
        "halloween": "halloween",
        "all-saints": "allerheiligen",
        "st-nicholas": "nikolaus|nikolaustag",
        "christmas-eve": "heiligabend|heiliger abend|heilig abend|heiligen abend",
        "christmas": (
            "erster weihnachtsfeiertag|ersten weihnachtsfeiertag|"
            "1. weihnachtsfeiertag|1. weihnachtstag|erster weihnachtstag|weihnachten|"
            "weihnachtstag|ersten weihnachtstag|weihnacht"
        ),
        "boxing-day": (
            "zweiter weihnachtsfeiertag|zweiten weihnachtsfeiertag|"
            "2. weihnachtsfeiertag|2. weihnachtstag|zweiten weihnachtstag|stephanstag|"
            "zweiter weihnachtstag"
        ),
        "carnival": "fastnacht|fasching|faschingsdienstag|karneval|veilchendienstag|"
        "karnevalsdienstag",
        "ash-wednesday": "aschermittwoch",
        "palm-sunday": "palmsonntag",
        "good-friday": "karfreitag",
        "easter": "ostern|ostersonntag",
        "easter-monday": "ostermontag",
        "ascension": "himmelfahrt|christi himmelfahrt|vatertag|himmelfahrtstag",
        "pentecost": "pfingsten|pfingstsonntag",
        "whit-monday": "pfingstmontag",
        "corpus-christi": "fronleichnam",
        "black-friday": "black friday",
        "assumption": "mariä himmelfahrt",
        "rose-monday": "rosenmontag",
        "fat-thursday": "weiberfastnacht|altweiber|altweiberfastnacht",
        "holy-week": "karwoche",
        "maundy-thursday": "gründonnerstag",
        "easter-saturday": "karsamstag",
        "lent": "fastenzeit|passionszeit",
        "reformation": "reformationstag",
        "all-souls": "allerseelen",
        "eleven-eleven": "martinstag|singles day",
        "repentance-de": "buß- und bettag|buß und bettag",
        "mourning-de": "volkstrauertag",
        "dead-sunday-de": "totensonntag|ewigkeitssonntag",
        "advent": "advent|adventszeit|vorweihnachtszeit",
        "advent-1": "erster advent|ersten advent|1. advent|ersten adventssonntag|"
        "erster adventssonntag|1. adventssonntag",
        "advent-2": "zweiter advent|zweiten advent|2. advent|zweiten adventssonntag|"
        "2. adventssonntag",
        "advent-3": "dritter advent|dritten advent|3. advent|dritten adventssonntag|"
        "3. adventssonntag",
        "advent-4": "vierter advent|vierten advent|4. advent|vierten adventssonntag|"
        "4. adventssonntag",
        "between-years": "zwischen den jahren",
        "turn-of-year": "jahreswechsel|jahreswechsels",
        "holidays": "weihnachtsfeiertage|weihnachtsfeiertagen|weihnachtszeit|feiertage|"
        "weihnachtsferien",
        "mothers-day": "muttertag",
        "womens-day": "frauentag|weltfrauentag|internationaler frauentag|internationalen frauentag",
        "walpurgis": "walpurgisnacht",
        "st-john": "johannistag",
        "harvest-de": "erntedank|erntedankfest",
        "chinese-new-year": "chinesisches neujahr|chinesischen neujahr|"
        "chinesisches neujahrsfest|chinesischen neujahrsfest",
        "ramadan": "ramadan",
        "eid-al-fitr": "zuckerfest|eid al-fitr",
        "eid-al-adha": "opferfest",
        "diwali": "diwali",
        "hanukkah": "chanukka",
        "passover": "pessach",
        "yom-kippur": "jom kippur",
        "rosh-hashanah": "rosch haschana",
        "cyber-monday": "cyber monday",
        "thanksgiving": "thanksgiving",
        "st-lucy": "luciafest",
        "immaculate": "mariä empfängnis",
        "candlemas": "mariä lichtmess|lichtmess",
        "mid-autumn": "mondfest",
    },
    "QUARTER": {1: "q1", 2: "q2", 3: "q3", 4: "q4"},
    "HALF": {1: "h1", 2: "h2"},
    "DECADE": {
        1920: "zwanziger|zwanzigern",
        1930: "dreißiger|dreißigern",
        1940: "vierziger|vierzigern",
        1950: "fünfziger|fünfzigern",
        1960: "sechziger|sechzigern",
        1970: "siebziger|siebzigern",
        1980: "achtziger|achtzigern",
        1990: "neunziger|neunzigern",
    },
    "DECADE_THE": {"decade": "die|den|der"},
    "DECADE_POST": {"decade": "er|er jahre|er jahren|ern|er-jahre|er-jahren"},
    "PART": {
        "early": "früh im|früh in",
        "mid": "mitte|mitte des|mitte von|der mitte des",
        "late": "spät im|spät in",
        "opening": "anfang|anfang des|beginn|beginn des|zu beginn des|"
        "anfang von|zu anfang des|am anfang des|am anfang von|zu beginn von|der anfang des|"
        "den anfang des|zum beginn des",
        "closing": "ende|gegen ende",
        "end": "ende des|ende von|am ende des|am ende von|"
        "das ende des|zum ende des|gegen ende des|schluss des",
    },
    "EDGE_WORD": {
        ("end", "year"): "jahresende",
        ("start", "year"): "jahresanfang|jahresbeginn",
        ("mid", "year"): "jahresmitte",
        ("end", "month"): "monatsende",
        ("start", "month"): "monatsanfang|monatsbeginn",
        ("mid", "month"): "monatsmitte",
    },
    "WEEK_OF": {
        "week": "woche vom|woche ab dem|woche des|woche um den|woche mit dem|woche ab|woche von",
    },
    "WEEK_NO": {"week": "kw|kalenderwoche|woche"},
    "DAY_NEXT_TO": {-1: "tag vor|vortag von|tag vor dem", 1: "tag nach|tag nach dem"},
    "WEEK_NEXT_TO": {-1: "woche vor|woche vor dem", 1: "woche nach|woche nach dem"},
    "ON": {"on": "am|vom|den|dem|seit dem|bis zum"},
    "DURATION": {
        (15, "day"): "halben monat|einem halben monat",
        (6, "week"): "anderthalb monate|anderthalb monaten|eineinhalb monaten|eineinhalb monate",
        (3, "day"): "72 stunden",
        (2, "day"): "48 stunden",
        (1, "day"): "24 stunden",
        (10, "day"): "anderthalb wochen|eineinhalb wochen",
        (6, "month"): "halbes jahr|ein halbes jahr|halben jahr|einem halben jahr",
        (18, "month"): "anderthalb jahre|anderthalb jahren|eineinhalb jahren",
    },
    "ART": {"the": "das|die|der|des|den|dem|das ganze|den ganzen"},
    "IN": {
        "in": "im lauf des|im lauf|im verlauf|im zuge des|"
        "im|in|am|an|während|während des|vom|von|zu|zum|über|für|aus|aus dem|in der|"
        "in den|an dem|um|beim|im laufe des|im jahr|im jahre|im monat|vom jahr|"
        "im verlauf des|seitens|auf den|am tag|im ganzen",
    },
    "OF": {"of": "des|von|im|der|des jahres|vom|in"},
    "THE": {
        "the": "geschäftsjahr|geschäftsjahres|kalenderjahr|"
        "der|die|das|dem|den|des|jahr|das jahr|dem jahr|monat|dem monat"
    },
    "AND": {"and": "und|und dem|und der|bis"},
    "TO": {"to": "bis|bis zum|bis zur|auf"},
    "FROM": {"from": "von|vom|ab|seit"},
    "BETWEEN": {"between": "zwischen|zwischen dem|zwischen der"},
    "SINCE": {
        "since": "seit|ab|seit dem|seit der|ab dem|ab der|von|seit anfang an|beginnend|"
        "frühestens ab|frühestens am"
    },
    "ONWARDS": {"on": "an|bis heute|bis jetzt|und später|aufwärts|und danach|oder später"},
    "UNTIL": {
        "until": "bis|bis zum|bis zur|bis einschließlich|spätestens|spätestens am|spätestens im|"
        "bis spätestens|bis ende der|bis zu|bis in den|bis in die|bis inklusive",
    },
    "BEFORE": {"before": "vor|vor dem|vor der|früher als|noch vor"},
    "AFTER": {"after": "nach|nach dem|nach der|später als"},
    "AROUND": {
        "around": "um|um den|um die|etwa|ungefähr|gegen|circa|ca|rund um|rund um den|"
        "etwa am|um das|ungefähr am|um die zeit des|ungefähr um den"
    },
    "AROUND_POST": {"around": "herum"},
    "EVERY": {"every": "jeden|jede|jedes|jeder|alle|jedem"},
    "NOT": {
        "not": "an wochenenden|an den wochenenden|"
        "heute journal|heute show|heute-show|zweite meinung|zweiten meinung|guten morgen"
    },
}
VAGUE = (
    "neulich|kürzlich|unlängst|letztens|vor kurzem|vor einiger zeit|"
    "vor langer zeit|in letzter zeit|"
    "jüngst|irgendwann|damals|früher einmal|vor ein paar tagen|vor einigen tagen|"
    "vor ein paar wochen|vor einigen wochen|vor ein paar monaten|vor einigen monaten|"
    "vor einigen jahren|bald|demnächst|eines tages|seit kurzem|seit längerem|die letzten tage|"
    "in den letzten tagen|in den letzten wochen|vorhin|in letzter zeit|vor ein paar jahren|"
    "vor längerer zeit"
)
MARKS = (
    "der|die|das|den|dem|was|wer|wann|wie|wo|und|ist|war|hat|haben|mit|im|am|vom|zum|wir|ich|"
    "sie|er|es|nicht|über|ein|eine|einen|von|zu|habe|wurde|gab|seit|bis|ab|für|auf|ging|"
    "gemacht|passiert|passierte|dr"
)
PAST = "war|waren|hat|hatte|habe|haben|wurde|wurden|ging|kam|sagte|gab|machte|fand|kaufte|begann"
FUTURE = (
    "endet|läuft|wird|werden|soll|muss|fällig|geplant|kommt|steht|beginnt|startet|frist|"
    "fliegt|reist|verspricht|versprach|versprochen|zugesagt"
)
HABIT = "immer|meistens|meist|oft|normalerweise|üblicherweise|gewöhnlich|regelmäßig|gern|gerne"
