"""Italian."""

WORDS = {
    "MONTH": {
        1: "gennaio",
        2: "febbraio",
        3: "marzo",
        4: "aprile",
        5: "maggio",
        6: "giugno",
        7: "luglio",
        8: "agosto",
        9: "settembre",
        10: "ottobre",
        11: "novembre",
        12: "dicembre",
    },
    "MON": {
        1: "gennaio|~gen|genn",
        2: "febbraio|feb|febbr",
        3: "marzo|~mar",
        4: "aprile|apr",
        5: "maggio|mag",
        6: "giugno|giu",
        7: "luglio|~lug",
        8: "agosto|~ago",
        9: "settembre|~set|sett",
        10: "ottobre|ott",
        11: "novembre|nov",
        12: "dicembre|dic",
    },
    "WEEKDAY": {
        0: "lunedì",
        1: "martedì",
        2: "mercoledì",
        3: "giovedì",
        4: "venerdì",
        5: "sabato",
        6: "domenica",
    },
    "WDAY": {0: "lun", 1: "mar", 2: "mer", 3: "gio", 4: "ven", 5: "sab", 6: "dom"},
    "WEEKDAYS": {
        0: "lunedì",
        1: "martedì",
        2: "mercoledì",
        3: "giovedì",
        4: "venerdì",
        5: "sabati",
        6: "domeniche",
    },
    "UNIT": {
        "day": "giorno|giorni|giornata|dì",
        "week": "settimana|settimane",
        "weekend": "fine settimana|weekend|week-end|finesettimana",
        "fortnight": "quindicina",
        "month": "mese|mesi",
        "quarter": "trimestre|trimestri",
        "half": "semestre|semestri|metà",
        "year": "anno|anni",
        "decade": "decennio|decenni",
    },
    "NUM": {
        1: "un|una|uno|un'",
        2: "due|un paio di|paio di",
        3: "tre",
        4: "quattro",
        5: "cinque",
        6: "sei",
        7: "sette",
        8: "otto",
        9: "nove",
        10: "dieci|una decina di",
        11: "undici",
        12: "dodici",
        13: "tredici",
        14: "quattordici",
        15: "una quindicina di|quindicina di|quindici",
        20: "venti",
        30: "trenta",
        40: "quaranta",
        50: "cinquanta",
        60: "sessanta",
        90: "novanta",
        100: "cento",
    },
    "ORD": {
        1: "primo|prima",
        2: "secondo|seconda",
        3: "terzo|terza",
        4: "quarto|quarta",
        5: "quinto|quinta",
        -1: "ultimo|ultima",
    },
    "DAY": {
        1: "primo",
        2: "due",
        3: "tre",
        4: "quattro",
        5: "cinque",
        6: "sei",
        7: "sette",
        8: "otto",
        9: "nove",
        10: "dieci",
        15: "quindici",
        20: "venti",
        30: "trenta",
    },
    "DAYWORD": {
        -2: "l'altro ieri|altro ieri|l'altroieri|ieri l'altro|avantieri",
        -1: "ieri|ieri sera|ieri notte|la notte scorsa|la scorsa notte|stanotte",
        0: "oggi|stamattina|stasera|stamane|questa mattina|questa sera|questo pomeriggio",
        1: "domani",
        2: "dopodomani",
    },
    "DAYPART": {"part": "mattina|sera|pomeriggio|notte|di mattina|di sera"},
    "REL_PRE": {
        -1: "scorso|scorsa|passato|passata|precedente",
        0: "questo|questa|quest'|il presente|corrente",
        1: "prossimo|prossima",
    },
    "REL_POST": {
        -2: "precedente allo scorso",
        -1: "scorso|scorsa|passato|passata|precedente",
        0: "corrente|in corso|attuale|presente",
        1: "prossimo|prossima|che viene|venturo|ventura|entrante|successivo|successiva",
    },
    "TRAIL_PRE": {-1: "ultimo|ultima"},
    "TRAIL_POST": {-1: "ultimo|ultima"},
    "SPAN_PRE": {
        -1: "ultimi|ultime|scorsi|scorse|questi ultimi|queste ultime",
        1: "prossimi|prossime",
    },
    "SPAN_POST": {-1: "scorsi|scorse|precedenti|passati", 1: "prossimi|prossime|successivi"},
    "AGO": {"ago": "fa|or sono|addietro|prima"},
    "AHEAD_PRE": {"ahead": "fra|tra|entro|in"},
    "AHEAD": {"ahead": "a partire da oggi"},
    "SEASONS": {
        "spring": "primavere",
        "summer": "estati",
        "autumn": "autunni",
        "winter": "inverni",
    },
    "SCHOOL_YEAR": {9: "anno scolastico|l'anno scolastico|anno accademico"},
    "SAME_TIME": {"time": "in questo periodo|a quest'epoca|di questi tempi"},
    "TO_DATE": {"year": "dall'inizio dell'anno a oggi|finora quest'anno"},
    "SEASON": {
        "spring": "primavera",
        "summer": "~estate",
        "autumn": "autunno",
        "winter": "inverno",
    },
    "HOLIDAY": {
        "easter-weekend": "weekend di pasqua|fine settimana di pasqua",
        "turn-of-year": "cavallo dell'anno nuovo|passaggio d'anno",
        "new-year": "capodanno|primo dell'anno",
        "new-year-eve": "san silvestro|vigilia di capodanno|ultimo dell'anno",
        "epiphany": "epifania|befana",
        "valentine": "san valentino",
        "labour-day": "festa dei lavoratori|festa del lavoro",
        "assumption": "ferragosto",
        "halloween": "halloween",
        "all-saints": "ognissanti",
        "christmas-eve": "vigilia di natale|vigilia",
        "christmas": "natale|giorno di natale",
        "boxing-day": "santo stefano",
        "carnival": "martedì grasso|carnevale",
        "ash-wednesday": "mercoledì delle ceneri",
        "palm-sunday": "domenica delle palme",
        "good-friday": "venerdì santo",
        "easter": "pasqua|domenica di pasqua",
        "easter-monday": "pasquetta|lunedì dell'angelo",
        "ascension": "ascensione",
        "pentecost": "pentecoste",
        "corpus-christi": "corpus domini",
        "black-friday": "black friday",
        "holy-week": "settimana santa",
        "maundy-thursday": "giovedì santo",
        "easter-saturday": "sabato santo",
        "fat-thursday": "giovedì grasso",
        "lent": "quaresima",
        "mothers-day": "festa della mamma",
        "st-joseph": "festa del papà",
        "womens-day": "festa della donna|giornata internazionale della donna|festa delle donne",
        "liberation-it": "festa della liberazione|anniversario della liberazione",
        "republic-it": "festa della repubblica",
        "immaculate": "immacolata|l'immacolata|immacolata concezione",
        "all-souls": "giorno dei morti|commemorazione dei defunti",
        "eleven-eleven": "estate di san martino",
        "april-fools": "pesce d'aprile",
        "cyber-monday": "cyber monday",
        "whit-monday": "lunedì di pentecoste",
        "advent": "avvento",
        "advent-1": "prima domenica di avvento|prima domenica d'avvento",
        "advent-2": "seconda domenica di avvento|seconda domenica d'avvento",
        "advent-3": "terza domenica di avvento|terza domenica d'avvento",
        "advent-4": "quarta domenica di avvento|quarta domenica d'avvento",
        "chinese-new-year": "capodanno cinese",
        "ramadan": "ramadan",
        "eid-al-fitr": "eid al-fitr",
        "eid-al-adha": "festa del sacrificio",
        "diwali": "diwali",
        "hanukkah": "hanukkah|chanukkà",
        "passover": "pasqua ebraica|pesach",
        "yom-kippur": "yom kippur",
        "holidays": "vacanze di natale|feste natalizie|vacanze natalizie|feste di natale",
        "thanksgiving": "giorno del ringraziamento",
    },
    "QUARTER": {1: "t1|1t", 2: "t2|2t", 3: "t3|3t", 4: "t4|4t"},
    "HALF": {1: "s1", 2: "s2"},
    "DECADE": {
        1920: "venti",
        1930: "trenta",
        1940: "quaranta",
        1950: "cinquanta",
        1960: "sessanta",
        1970: "settanta",
        1980: "ottanta",
        1990: "novanta",
        2000: "duemila",
    },
    "DECADE_PRE": {"decade": "anni|gli anni|negli anni|degli anni|il decennio"},
    "PART": {
        "mid": "metà|metà di|la metà di|a metà di|a metà|metà del|alla metà di|a metà del|"
        "alla metà del|metà dell'|a metà dell'",
        "opening": "inizio|inizio di|l'inizio di|all'inizio di|inizi di|agli inizi di|primi di|"
        "ai primi di|i primi di|inizio del|l'inizio del|all'inizio del|agli inizi del|"
        "principio di|inizio dell'|l'inizio dell'|all'inizio dell'|a inizio|inizi del|"
        "gli inizi di|gli inizi del",
        "closing": "fine|a fine|tarda|tardo",
        "end": "fine di|la fine di|alla fine di|fine del|"
        "la fine del|alla fine del|fine dell'|la fine dell'|alla fine dell'",
    },
    "WEEK_OF": {"week": "settimana del|settimana dell'|settimana di"},
    "WEEK_NO": {"week": "settimana|settimana numero|settimana n"},
    "DAY_NEXT_TO": {
        -1: "giorno prima di|vigilia di|giorno prima del",
        1: "giorno dopo|giorno dopo il|indomani di",
    },
    "WEEK_NEXT_TO": {-1: "settimana prima di|settimana prima del", 1: "settimana dopo"},
    "ON": {"on": "il|del|l'|dell'|dal|al"},
    "DURATION": {
        (6, "week"): "un mese e mezzo|mese e mezzo",
        (3, "day"): "72 ore",
        (2, "day"): "48 ore",
        (1, "day"): "24 ore",
        (10, "day"): "una settimana e mezza|settimana e mezza|una settimana e mezzo",
        (6, "month"): "mezzo anno|sei mesi",
        (18, "month"): "un anno e mezzo|anno e mezzo",
    },
    "ART": {"the": "il|lo|la|l'|i"},
    "IN": {
        "in": "in|a|nel|nello|nella|nell'|di|del|della|dell'|durante|durante il|d'|dal|al|"
        "alla|per|per il|nel corso del|nel corso di|nel mese di|ad|nell'anno|"
        "durante la|durante l'|intorno alla|tutto|tutta|sul|risalente a|"
        "nel corso dell'|per l'|lungo tutto il",
    },
    "OF": {"of": "di|del|dell'|della|dello|nel"},
    "THE": {
        "the": "l'esercizio|esercizio|"
        "il|lo|la|l'|i|gli|le|mese di|il mese di|anno|l'anno|giorno|il giorno|al|"
        "all'|allo|alla"
    },
    "AND": {"and": "e|ed|e il|e l'|e la|a|al"},
    "TO": {"to": "a|al|all'|fino a|fino al|fino all'|alla|fino alla|ad"},
    "FROM": {"from": "da|dal|dall'|dalla|di|del"},
    "BETWEEN": {"between": "tra|fra|tra il|fra il|tra l'|fra l'|tra la|fra la"},
    "SINCE": {
        "since": "da|dal|dall'|dalla|a partire da|a partire dal|a partire dall'|a decorrere "
        "dal|sin da|sin dal|fin da|fin dal|a partire dalla|dallo|sin dalla"
    },
    "ONWARDS": {"on": "in poi|in avanti|fino a oggi|fino ad oggi|a oggi|ad oggi|e oltre"},
    "UNTIL": {
        "until": "fino a|fino al|fino all'|fino alla|entro|entro il|sino a|sino al|"
        "entro la|non oltre il|al più tardi il|fino ad|fino allo|entro l'"
    },
    "BEFORE": {
        "before": "prima di|prima del|prima dell'|prima della|antecedente a|precedente a|"
        "anteriore a|precedente al|antecedente al|precedenti al|prima d'"
    },
    "AFTER": {
        "after": "dopo|dopo il|dopo l'|dopo la|successivo a|in seguito a|successivo al|"
        "successivi al|a seguito del|dopo lo"
    },
    "AROUND": {
        "around": "intorno al|intorno a|intorno all'|attorno al|attorno a|verso|verso il|"
        "circa|all'incirca|verso l'|attorno all'|più o meno|verso la|a cavallo del|"
        "approssimativamente|nei dintorni del|nei pressi del"
    },
    "AROUND_POST": {"around": "circa"},
    "EVERY": {"every": "ogni|tutti i|tutte le|ciascun|qualsiasi"},
    "NOT": {
        "not": "nei weekend|nei fine settimana|"
        "seconda opinione|secondo me|secondo noi|secondo lui|secondo lei"
    },
}
VAGUE = (
    "l'altro giorno|recentemente|di recente|ultimamente|poco fa|tempo fa|qualche tempo fa|"
    "qualche giorno fa|qualche settimana fa|qualche mese fa|qualche anno fa|molto tempo fa|"
    "negli ultimi tempi|un giorno|presto|una volta|giorni fa|alcuni giorni fa|"
    "alcune settimane fa|di questi tempi|in tempi recenti|da poco|settimane fa|anni fa|mesi fa|"
    "un po' di tempo fa|alcuni mesi fa|negli ultimi giorni|prossimamente"
)
MARKS = (
    "il|lo|gli|che|chi|quando|quale|come|dove|e|con|per|una|del|della|dell|di|è|era|ha|abbiamo|"
    "cosa|cos|nel|nella|dal|da|sono|si|noi|non|fatto|detto|successo|al|hanno|ho|l|quest|questa|"
    "prima|dopo|d|dall|all|nell"
)
PAST = "era|erano|stato|stata|ha|aveva|hanno|abbiamo|ho|fatto|detto|andato|comprato|iniziato"
FUTURE = (
    "sarà|farà|andrà|deve|avrà|scade|scadenza|previsto|prevista|partirà|arriverà|verrà|"
    "promesso|promette|prometto"
)
HABIT = "sempre|spesso|solitamente|normalmente|abitualmente|solito"
