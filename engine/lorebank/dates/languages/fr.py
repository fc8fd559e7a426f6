"""French."""

WORDS = {
    "MONTH": {
        1: "janvier",
        2: "février",
        3: "mars",
        4: "avril",
        5: "mai",
        6: "juin",
        7: "juillet",
        8: "août",
        9: "septembre",
        10: "octobre",
        11: "novembre",
        12: "décembre",
    },
    "MON": {
        1: "janvier|janv|jan",
        2: "février|févr|fév",
        3: "mars|~mar",
        4: "avril|avr",
        5: "mai",
        6: "juin",
        7: "juillet|juil",
        8: "août",
        9: "septembre|sept|sep",
        10: "octobre|oct",
        11: "novembre|nov",
        12: "décembre|déc",
    },
    "WEEKDAY": {
        0: "lundi",
        1: "mardi",
        2: "mercredi",
        3: "jeudi",
        4: "vendredi",
        5: "samedi",
        6: "dimanche",
    },
    "WDAY": {0: "lun", 1: "mar", 2: "mer", 3: "jeu", 4: "ven", 5: "sam", 6: "dim"},
    "WEEKDAYS": {
        0: "lundis",
        1: "mardis",
        2: "mercredis",
        3: "jeudis",
        4: "vendredis",
        5: "samedis",
        6: "dimanches",
    },
    "UNIT": {
        "day": "jour|jours|journée",
        "week": "semaine|semaines",
        "weekend": "week-end|weekend|week-ends|weekends|fin de semaine",
        "fortnight": "quinzaine",
        "month": "mois",
        "quarter": "trimestre|trimestres",
        "half": "semestre|semestres|moitié",
        "year": "an|ans|année|années",
        "decade": "décennie|décennies",
    },
    "NUM": {
        1: "un|une",
        2: "deux",
        3: "trois",
        4: "quatre",
        5: "cinq",
        6: "six",
        7: "sept",
        8: "huit",
        9: "neuf",
        10: "dix|une dizaine de",
        11: "onze",
        12: "douze",
        13: "treize",
        14: "quatorze",
        15: "quinze|une quinzaine de",
        20: "vingt",
        30: "trente",
        40: "quarante",
        50: "cinquante",
        60: "soixante",
        90: "quatre-vingt-dix",
        100: "cent",
    },
    "ORD": {
        1: "premier|première",
        2: "deuxième|second|seconde",
        3: "troisième",
        4: "quatrième",
        5: "cinquième",
        -1: "dernier|dernière",
    },
    "DAY": {
        1: "premier",
        2: "deux",
        3: "trois",
        4: "quatre",
        5: "cinq",
        6: "six",
        7: "sept",
        8: "huit",
        9: "neuf",
        10: "dix",
        15: "quinze",
        20: "vingt",
        30: "trente",
    },
    "DAYWORD": {
        -2: "avant-hier|avant hier",
        -1: "hier|la nuit dernière|hier soir|cette nuit",
        0: "aujourd'hui|ce matin|ce soir|cet après-midi",
        1: "demain",
        2: "après-demain|après demain",
    },
    "DAYPART": {"part": "matin|soir|après-midi|midi|dans la matinée|au matin|au soir"},
    "REL_PRE": {-1: "dernier|dernière", 0: "ce|cet|cette", 1: "prochain|prochaine"},
    "REL_POST": {
        -1: "dernier|dernière|passé|passée|écoulé|écoulée|précédent|précédente",
        0: "-ci|en cours|courant|courante|actuel|actuelle",
        1: "prochain|prochaine|suivant|suivante|à venir|qui vient",
    },
    "TRAIL_PRE": {-1: "dernier|dernière"},
    "SPAN_PRE": {-1: "derniers|dernières|ces derniers|ces dernières", 1: "prochains|prochaines"},
    "SPAN_POST": {
        -1: "derniers|dernières|précédents|précédentes|passés|passées|écoulés",
        1: "prochains|prochaines|suivants|à venir",
    },
    "AGO_PRE": {
        "ago": "il y a environ|il y a presque|il y a plus de|il y a à peu près|il y a bien|"
        "il y a|voilà|voici|ça fait|y a"
    },
    "AGO": {"ago": "plus tôt|auparavant"},
    "AHEAD_PRE": {"ahead": "dans|d'ici"},
    "SEASONS": {
        "spring": "printemps",
        "summer": "étés",
        "autumn": "automnes",
        "winter": "hivers",
    },
    "SCHOOL_YEAR": {9: "année scolaire|l'année scolaire|année universitaire|année académique"},
    "SAME_TIME": {"time": "à cette époque|à la même époque|à la même période"},
    "TO_DATE": {"year": "depuis le début de l'année"},
    "WEEK_ON": {"week": "en huit"},
    "SEASON": {"spring": "printemps", "summer": "été", "autumn": "automne", "winter": "hiver"},
    "HOLIDAY": {
        "rentree": "rentrée|rentrée scolaire",
        "pentecost-weekend": "week-end de la pentecôte|week-end de pentecôte",
        "easter-weekend": "week-end de pâques|weekend de pâques",
        "new-year": "jour de l'an|nouvel an|premier de l'an",
        "new-year-eve": "saint-sylvestre|réveillon du nouvel an|saint sylvestre",
        "epiphany": "épiphanie",
        "valentine": "saint-valentin|saint valentin",
        "labour-day": "fête du travail",
        "bastille": "fête nationale|quatorze juillet",
        "assumption": "assomption",
        "halloween": "halloween",
        "all-saints": "toussaint",
        "christmas-eve": "réveillon de noël|veille de noël|réveillon|la veille de noël",
        "christmas": "noël|jour de noël",
        "carnival": "mardi gras|carnaval",
        "ash-wednesday": "mercredi des cendres",
        "palm-sunday": "dimanche des rameaux|rameaux",
        "good-friday": "vendredi saint",
        "easter": "pâques|dimanche de pâques",
        "easter-monday": "lundi de pâques",
        "ascension": "ascension",
        "pentecost": "pentecôte",
        "whit-monday": "lundi de pentecôte",
        "black-friday": "black friday",
        "thanksgiving": "thanksgiving|action de grâce",
        "holy-week": "semaine sainte",
        "maundy-thursday": "jeudi saint",
        "easter-saturday": "samedi saint",
        "lent": "carême",
        "corpus-christi": "fête-dieu",
        "mothers-day-fr": "fête des mères",
        "fathers-day": "fête des pères",
        "music-fr": "fête de la musique",
        "victory-fr": "fête de la victoire",
        "eleven-eleven": "armistice|la saint-martin|jour de l'armistice",
        "st-john": "la saint-jean",
        "all-souls": "jour des morts|fête des morts",
        "candlemas": "chandeleur",
        "april-fools": "poisson d'avril",
        "boxing-day": "lendemain de noël",
        "womens-day": "journée de la femme|journée internationale des droits des femmes|"
        "journée des femmes",
        "cyber-monday": "cyber monday",
        "advent": "avent|l'avent",
        "advent-1": "premier dimanche de l'avent",
        "advent-2": "deuxième dimanche de l'avent",
        "advent-3": "troisième dimanche de l'avent",
        "advent-4": "quatrième dimanche de l'avent",
        "chinese-new-year": "nouvel an chinois|nouvel an lunaire",
        "ramadan": "ramadan",
        "eid-al-fitr": "aïd el-fitr|aïd al-fitr|~aïd|aïd el fitr|l'aïd el-fitr",
        "eid-al-adha": "aïd el-kébir|aïd al-adha|aïd el-adha|fête du mouton",
        "diwali": "diwali",
        "hanukkah": "hanoukka|hanouka",
        "passover": "pessah|la pâque juive",
        "yom-kippur": "yom kippour",
        "rosh-hashanah": "roch hachana",
        "holidays": "fêtes de fin d'année|vacances de noël|fêtes de noël",
        "turn-of-year": "tournant de l'année|changement d'année|passage à la nouvelle année",
    },
    "QUARTER": {1: "t1|1t", 2: "t2|2t", 3: "t3|3t", 4: "t4|4t"},
    "HALF": {1: "s1", 2: "s2"},
    "DECADE": {
        1920: "vingt",
        1930: "trente",
        1940: "quarante",
        1950: "cinquante",
        1960: "soixante",
        1970: "soixante-dix",
        1980: "quatre-vingt|quatre-vingts",
        1990: "quatre-vingt-dix",
        2000: "deux mille",
    },
    "DECADE_PRE": {"decade": "années|les années|la décennie"},
    "PART": {
        "mid": "mi|mi-|milieu de|le milieu de|milieu du|le milieu du|au milieu de|milieu|"
        "milieu de l'|courant",
        "opening": "début|début de|au début de|début du|le début de|le début du|au début du|"
        "commencement de|tout début|début de l'|au début de l'|le début de l'|les débuts de",
        "closing": "fin|toute fin",
        "end": "fin de|la fin de|à la fin de|fin du|la fin du|"
        "à la fin du|fin de l'|la fin de l'|à la fin de l'",
    },
    "WEEK_OF": {"week": "semaine du|semaine de"},
    "WEEK_NO": {"week": "semaine|semaine numéro|semaine n°"},
    "DAY_NEXT_TO": {
        -1: "jour avant|veille de|veille du",
        1: "jour après|lendemain de|lendemain du",
    },
    "WEEK_NEXT_TO": {-1: "semaine avant", 1: "semaine après"},
    "ON": {"on": "le|du"},
    "DURATION": {
        (6, "week"): "mois et demi|un mois et demi",
        (3, "day"): "72 heures",
        (2, "day"): "48 heures",
        (1, "day"): "24 heures",
        (10, "day"): "une semaine et demie|semaine et demie",
        (18, "month"): "un an et demi|an et demi",
    },
    "ART": {"the": "la|le|l'|à la|à l'"},
    "IN": {
        "in": "au fil de|dans le courant de|courant de|"
        "en|au|à|durant|pendant|de|du|dans|d'|lors de|au cours de|au mois de|en l'an|"
        "à l'occasion de|pour|au cours du|courant|tout|datant de|daté de|"
        "au cours de l'|pendant l'|du mois de",
    },
    "OF": {"of": "de|du|d'|de l'|de la|en"},
    "THE": {
        "the": "l'exercice|exercice|"
        "le|la|les|l'|mois de|le mois de|mois d'|le mois d'|l'année|année|l'an|au|du|"
        "d'|de l'"
    },
    "AND": {"and": "et|et le|et la|à|au"},
    "TO": {"to": "à|au|jusqu'à|jusqu'au|jusqu'en|jusqu'à la|a"},
    "FROM": {"from": "de|du|depuis|d'|depuis le"},
    "BETWEEN": {"between": "entre|entre le|entre la|entre les"},
    "SINCE": {
        "since": "depuis|depuis le|depuis la|à partir de|à partir du|dès le|dès l'|depuis l'|"
        "à compter du|à compter de|à partir d'"
    },
    "ONWARDS": {
        "on": "et après|jusqu'à aujourd'hui|jusqu'à maintenant|et au-delà|et plus tard|"
        "jusqu'à présent"
    },
    "UNTIL": {
        "until": "jusqu'à|jusqu'au|jusqu'en|jusqu'à la|jusqu'à l'|d'ici|d'ici le|au plus tard "
        "le|d'ici à|jusque|d'ici au|jusqu'"
    },
    "BEFORE": {"before": "avant|avant le|avant la|avant l'|antérieur à|antérieurement à|avant de"},
    "AFTER": {"after": "après|après le|après la|après l'|postérieur à|à la suite de|suivant le"},
    "AROUND": {
        "around": "vers|vers le|aux environs de|aux environs du|autour de|autour du|"
        "aux alentours de|aux alentours du|environ|vers la|à peu près|vers l'|"
        "approximativement|vers fin"
    },
    "EVERY": {"every": "chaque|tous les|toutes les|les"},
    "NOT": {"not": "plus tard|mars et vénus|la planète mars"},
}
VAGUE = (
    "l'autre jour|récemment|dernièrement|il y a peu|il y a longtemps|il y a quelque temps|"
    "il y a quelques jours|il y a quelques semaines|il y a quelques mois|ces derniers temps|"
    "ces derniers jours|ces dernières semaines|un jour|bientôt|autrefois|jadis|naguère|"
    "il y a plusieurs jours|ces temps-ci|il y a quelques années|ces derniers mois|"
    "il y a un moment|depuis peu|il n'y a pas longtemps"
)
MARKS = (
    "le|les|la|des|qu|que|qui|quand|quel|quelle|comment|où|et|avec|pour|une|du|est|a|était|été|"
    "ce|cette|nous|il|elle|on|sur|dans|au|aux|avons|ont|fait|dit|pas|en"
)
PAST = "était|étaient|avait|ai|avons|ont|fut|eu|hier|allé|venu|acheté|vu|commencé"
FUTURE = (
    "sera|seront|va|vont|aura|doit|prévu|prévue|fera|ira|viendra|partira|prochain|prochaine|"
    "promis|promet|promets|promettons"
)
HABIT = "toujours|souvent|habituellement|généralement|normalement|parfois|habitude"
