"""Dutch."""

WORDS = {
    "MONTH": {
        1: "januari", 2: "februari", 3: "maart", 4: "april", 5: "mei", 6: "juni", 7: "juli",
        8: "augustus", 9: "september", 10: "oktober", 11: "november", 12: "december",
    },
    "MON": {
        1: "januari|jan", 2: "februari|feb", 3: "maart|mrt", 4: "april|apr", 5: "mei",
        6: "juni|jun", 7: "juli|jul", 8: "augustus|aug", 9: "september|sept|sep",
        10: "oktober|okt", 11: "november|nov", 12: "december|dec",
    },
    "WEEKDAY": {
        0: "maandag", 1: "dinsdag", 2: "woensdag", 3: "donderdag", 4: "vrijdag", 5: "zaterdag",
        6: "zondag",
    },
    "WDAY": {0: "ma", 1: "di", 2: "wo", 3: "do", 4: "vr", 5: "za", 6: "zo"},
    "UNIT": {
        "day": "dag|dagen", "week": "week|weken", "weekend": "weekend|weekeinde|weekenden",
        "fortnight": "veertien dagen", "month": "maand|maanden", "quarter": "kwartaal|kwartalen",
        "half": "helft|halfjaar|semester", "year": "jaar|jaren", "decade": "decennium|decennia",
    },
    "NUM": {
        1: "een|één", 2: "twee|een paar", 3: "drie", 4: "vier", 5: "vijf", 6: "zes", 7: "zeven",
        8: "acht", 9: "negen", 10: "tien", 11: "elf", 12: "twaalf", 13: "dertien", 14: "veertien",
        15: "vijftien", 20: "twintig", 30: "dertig", 40: "veertig", 50: "vijftig", 60: "zestig",
        90: "negentig", 100: "honderd",
    },
    "ORD": {1: "eerste", 2: "tweede", 3: "derde", 4: "vierde", 5: "vijfde", -1: "laatste"},
    "DAY": {1: "eerste|een", 2: "twee", 3: "drie", 4: "vier", 5: "vijf"},
    "DAYWORD": {-2: "eergisteren", -1: "gisteren|gisteravond|vannacht|gisterochtend|gistermiddag|"
                "afgelopen nacht", 0: "vandaag|vanochtend|vanavond|vanmorgen|vanmiddag",
                1: "morgen", 2: "overmorgen"},
    "DAYPART": {"part": "ochtend|middag|avond|nacht|ochtends|avonds|'s avonds|'s ochtends"},
    "REL_PRE": {-2: "voorlaatste|eervorige", -1: "vorig|vorige|verleden|afgelopen|laatste",
                0: "deze|dit|het huidige|de huidige", 1: "volgend|volgende|komend|komende|"
                "aanstaande", 2: "overvolgend|overvolgende"},
    "REL_POST": {-1: "jongstleden|jl", 1: "aanstaande"},
    "SPAN_PRE": {-1: "afgelopen|laatste|voorbije|vorige", 1: "komende|volgende"},
    "AGO": {"ago": "geleden|terug"},
    "AHEAD_PRE": {"ahead": "over|binnen"},
    "SEASON": {"spring": "lente|voorjaar", "summer": "zomer", "autumn": "herfst|najaar",
               "winter": "winter"},
    "HOLIDAY": {
        "new-year": "nieuwjaar|nieuwjaarsdag", "new-year-eve": "oudejaarsavond|oud en nieuw|"
        "oudjaar", "epiphany": "driekoningen", "valentine": "valentijnsdag|valentijn",
        "labour-day": "dag van de arbeid", "halloween": "halloween",
        "all-saints": "allerheiligen", "st-nicholas": "sint nicolaas",
        "christmas-eve": "kerstavond", "christmas": "kerst|kerstmis|eerste kerstdag|kerstdag",
        "boxing-day": "tweede kerstdag", "carnival": "carnaval", "good-friday": "goede vrijdag",
        "ash-wednesday": "aswoensdag", "palm-sunday": "palmzondag",
        "easter": "pasen|eerste paasdag|paaszondag", "easter-monday": "tweede paasdag|paasmaandag",
        "ascension": "hemelvaart|hemelvaartsdag", "pentecost": "pinksteren|eerste pinksterdag",
        "whit-monday": "tweede pinksterdag|pinkstermaandag", "black-friday": "black friday",
    },
    "QUARTER": {1: "q1|k1", 2: "q2|k2", 3: "q3|k3", 4: "q4|k4"},
    "HALF": {1: "h1", 2: "h2"},
    "DECADE": {
        1920: "twintig", 1930: "dertig", 1940: "veertig", 1950: "vijftig", 1960: "zestig",
        1970: "zeventig", 1980: "tachtig", 1990: "negentig",
    },
    "DECADE_PRE": {"decade": "jaren|de jaren"},
    "PART": {
        "mid": "medio|halverwege|midden|half|het midden van|midden in",
        "opening": "begin|begin van|het begin van|aan het begin van|vroeg in|in het begin van",
        "closing": "eind|einde|laat in", "end": "eind van|einde van|het einde van|"
        "aan het einde van|aan het eind van|het eind van",
    },
    "WEEK_OF": {"week": "week van|week vanaf"},
    "WEEK_NO": {"week": "week|weeknummer|wk"},
    "DAY_NEXT_TO": {-1: "dag voor|dag vóór", 1: "dag na"},
    "WEEK_NEXT_TO": {-1: "week voor", 1: "week na"},
    "ON": {"on": "op"},
    "DURATION": {(6, "month"): "half jaar|een half jaar", (18, "month"): "anderhalf jaar"},
    "IN": {"in": "in|op|tijdens|rond de|van|met|gedurende|in het|in de|voor|uit|het|de|"
           "in de loop van|van het jaar|in het jaar|dit|over|heel"},
    "OF": {"of": "van|in|van het jaar"},
    "THE": {"the": "de|het|maand|de maand|het jaar|jaar"},
    "AND": {"and": "en|en de|tot"},
    "TO": {"to": "tot|tot en met|t/m|tm|en met|naar|en"},
    "FROM": {"from": "van|vanaf|sinds"},
    "BETWEEN": {"between": "tussen|tussen de"},
    "SINCE": {"since": "sinds|vanaf|sedert|sinds de|sinds het|vanaf de"},
    "ONWARDS": {"on": "af|tot nu|tot heden|tot vandaag|en later"},
    "UNTIL": {"until": "tot|tot en met|uiterlijk|t/m|tot aan|uiterlijk op|tot de|tot het"},
    "BEFORE": {"before": "voor|vóór|voorafgaand aan|eerder dan"},
    "AFTER": {"after": "na|later dan|na de"},
    "AROUND": {"around": "rond|omstreeks|rondom|ongeveer|circa|ca|zo rond|rond de"},
    "EVERY": {"every": "elke|iedere|alle|elk|ieder"},
    "NOT": {"not": "goedemorgen|tweede mening"},
}
VAGUE = (
    "onlangs|laatst|pas geleden|kort geleden|een tijdje geleden|een tijd geleden|lang geleden|"
    "een paar dagen geleden|een paar weken geleden|enkele dagen geleden|enkele weken geleden|"
    "binnenkort|ooit|de laatste tijd|recentelijk|vroeger|een paar maanden geleden"
)
MARKS = (
    "de|het|een|wat|wie|wanneer|hoe|waar|en|is|was|heeft|hebben|met|van|we|wij|ik|zij|niet|op|"
    "er|gebeurde|zijn|voor|sinds|vanaf|tot"
)
PAST = "was|waren|heeft|had|hebben|werd|ging|kwam|zei|kocht|begon"
FUTURE = "zal|zullen|gaat|moet|gepland|komt|begint|vliegt"
