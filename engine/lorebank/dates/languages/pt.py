"""Portuguese."""

WORDS = {
    "MONTH": {
        1: "janeiro",
        2: "fevereiro",
        3: "março",
        4: "abril",
        5: "maio",
        6: "junho",
        7: "julho",
        8: "agosto",
        9: "setembro",
        10: "outubro",
        11: "novembro",
        12: "dezembro",
    },
    "MON": {
        1: "janeiro|jan",
        2: "fevereiro|fev",
        3: "março|~mar",
        4: "abril|abr",
        5: "maio|~mai",
        6: "junho|jun",
        7: "julho|jul",
        8: "agosto|~ago",
        9: "setembro|~set",
        10: "outubro|~out",
        11: "novembro|nov",
        12: "dezembro|dez",
    },
    "WEEKDAY": {
        0: "segunda-feira|segunda feira|~segunda",
        1: "terça-feira|terça feira|~terça",
        2: "quarta-feira|quarta feira|~quarta",
        3: "quinta-feira|quinta feira|~quinta",
        4: "sexta-feira|sexta feira|~sexta",
        5: "sábado",
        6: "domingo",
    },
    "WDAY": {0: "seg", 1: "ter", 2: "qua", 3: "qui", 4: "sex", 5: "sáb", 6: "dom"},
    "WEEKDAYS": {
        0: "segundas|segundas-feiras",
        1: "terças|terças-feiras",
        2: "quartas|quartas-feiras",
        3: "quintas|quintas-feiras",
        4: "sextas|sextas-feiras",
        5: "sábados",
        6: "domingos",
    },
    "UNIT": {
        "day": "dia|dias",
        "week": "semana|semanas",
        "weekend": "fim de semana|fim-de-semana|final de semana|fins de semana",
        "fortnight": "quinzena|quinzenas",
        "month": "mês|meses",
        "quarter": "trimestre|trimestres",
        "half": "semestre|semestres|metade",
        "year": "ano|anos",
        "decade": "década|décadas",
    },
    "NUM": {
        1: "um|uma",
        2: "dois|duas|um par de",
        3: "três",
        4: "quatro",
        5: "cinco",
        6: "seis",
        7: "sete",
        8: "oito",
        9: "nove",
        10: "uma dezena de|dezena de|dez",
        11: "onze",
        12: "doze",
        13: "treze",
        14: "catorze|quatorze",
        15: "uma quinzena de|quinze",
        20: "vinte",
        30: "trinta",
        40: "quarenta",
        50: "cinquenta",
        60: "sessenta",
        90: "noventa",
        100: "cem",
    },
    "ORD": {
        1: "primeiro|primeira",
        2: "segundo|segunda",
        3: "terceiro|terceira",
        4: "quarto|quarta",
        5: "quinto|quinta",
        -1: "último|última",
    },
    "DAY": {
        1: "primeiro|um",
        2: "dois",
        3: "três",
        4: "quatro",
        5: "cinco",
        6: "seis",
        7: "sete",
        8: "oito",
        9: "nove",
        10: "dez",
        15: "quinze",
        20: "vinte",
        30: "trinta",
    },
    "DAYWORD": {
        -2: "anteontem|antes de ontem",
        -1: "ontem|ontem à noite|noite passada|a noite passada",
        0: "hoje|hoje de manhã|esta manhã|esta noite|esta tarde",
        1: "amanhã",
        2: "depois de amanhã",
    },
    "DAYPART": {"part": "de manhã|à tarde|à noite|de tarde|pela manhã"},
    "REL_PRE": {
        -1: "passado|passada|anterior|última|último",
        0: "este|esta|neste|nesta|deste|desta|esse|essa|nesse|nessa",
        1: "próximo|próxima",
    },
    "REL_POST": {
        -2: "retrasado|retrasada",
        -1: "passado|passada|anterior|findo|finda",
        0: "atual|corrente|em curso",
        1: "próximo|próxima|que vem|seguinte|que entra",
    },
    "TRAIL_PRE": {-1: "último|última"},
    "SPAN_PRE": {-1: "últimos|últimas|passados|passadas", 1: "próximos|próximas"},
    "SPAN_POST": {
        -1: "últimos|últimas|passados|passadas|anteriores",
        1: "próximos|próximas|seguintes",
    },
    "AGO_PRE": {
        "ago": "há uns|há umas|há quase|há mais de|faz uns|faz umas|faz quase|já faz|"
        "há|faz|há cerca de|cerca de|há uns"
    },
    "AGO": {"ago": "atrás"},
    "AHEAD_PRE": {"ahead": "daqui a|dentro de|em"},
    "SEASONS": {
        "spring": "primaveras",
        "summer": "verões",
        "autumn": "outonos",
        "winter": "invernos",
    },
    "SCHOOL_YEAR": {9: "ano letivo|ano escolar|ano lectivo"},
    "SAME_TIME": {"time": "por esta altura|nesta altura|nesta época"},
    "TO_DATE": {"year": "até agora este ano|este ano até agora"},
    "SEASON": {"spring": "primavera", "summer": "verão", "autumn": "outono", "winter": "inverno"},
    "HOLIDAY": {
        "easter-weekend": "fim de semana da páscoa",
        "turn-of-year": "virada do ano|virada de ano|passagem do ano",
        "new-year": "ano novo|dia de ano novo|ano-novo",
        "new-year-eve": "réveillon|véspera de ano novo|passagem de ano",
        "epiphany": "dia de reis|reis",
        "valentine": "são valentim",
        "labour-day": "dia do trabalho|dia do trabalhador",
        "halloween": "halloween|dia das bruxas",
        "all-saints": "todos os santos|dia de todos os santos",
        "christmas-eve": "véspera de natal|noite de natal",
        "christmas": "natal|dia de natal|o natal",
        "carnival": "carnaval|terça-feira de carnaval",
        "ash-wednesday": "quarta-feira de cinzas",
        "palm-sunday": "domingo de ramos",
        "good-friday": "sexta-feira santa|sexta-feira da paixão",
        "easter": "páscoa|domingo de páscoa",
        "pentecost": "pentecostes",
        "corpus-christi": "corpus christi",
        "black-friday": "black friday",
        "thanksgiving": "ação de graças",
        "holy-week": "semana santa",
        "maundy-thursday": "quinta-feira santa|quinta feira santa",
        "easter-saturday": "sábado de aleluia|sábado santo",
        "rose-monday": "segunda-feira de carnaval",
        "lent": "quaresma",
        "ascension": "ascensão",
        "mothers-day": "dia das mães",
        "mothers-day-es": "dia da mãe",
        "fathers-day-br": "dia dos pais",
        "st-joseph": "dia do pai",
        "lovers-br": "dia dos namorados",
        "st-john": "festa de são joão|festas de são joão|dia de são joão|noite de são joão",
        "hispanic-day": "dia das crianças|nossa senhora aparecida|dia de nossa senhora aparecida",
        "independence-br": "dia da independência|sete de setembro|independência do brasil",
        "republic-br": "proclamação da república",
        "tiradentes": "dia de tiradentes",
        "consciousness-br": "dia da consciência negra|consciência negra",
        "liberation-it": "dia da liberdade",
        "all-souls": "finados|dia de finados",
        "immaculate": "imaculada conceição",
        "assumption": "assunção|dia da assunção",
        "womens-day": "dia da mulher|dia internacional da mulher",
        "april-fools": "dia da mentira",
        "eleven-eleven": "dia de são martinho",
        "cyber-monday": "cyber monday",
        "advent": "advento",
        "advent-1": "primeiro domingo do advento",
        "advent-4": "quarto domingo do advento",
        "chinese-new-year": "ano novo chinês|ano-novo chinês",
        "ramadan": "ramadã|ramadão",
        "eid-al-fitr": "eid al-fitr",
        "diwali": "diwali",
        "hanukkah": "hanucá|chanucá",
        "passover": "pessach",
        "holidays": "férias de natal|festas de fim de ano",
        "easter-monday": "segunda-feira de páscoa",
    },
    "QUARTER": {1: "t1|1t", 2: "t2|2t", 3: "t3|3t", 4: "t4|4t"},
    "DECADE": {
        1920: "vinte",
        1930: "trinta",
        1940: "quarenta",
        1950: "cinquenta",
        1960: "sessenta",
        1970: "setenta",
        1980: "oitenta",
        1990: "noventa",
        2000: "dois mil",
    },
    "DECADE_PRE": {
        "decade": "os anos|anos|a década de|década de|nos anos|dos anos|na década de|da década de"
    },
    "PART": {
        "mid": "meados de|em meados de|meados do|em meados do|meio de|o meio de|meados da|meio do",
        "opening": "início de|no início de|começo de|no começo de|princípio de|princípios de|"
        "início do|no início do|começo do|no começo do|inícios de|princípio do|"
        "inícios do|início da|começo da|no princípio de|o início de|o início do",
        "closing": "finais de|em finais de|finais do|fins de|em fins de|fins do",
        "end": "final de|no final de|fim de|no fim de|final do|no final do|fim do|no fim do|"
        "final da|fim da|o fim de|o final de|o fim do|o final do|ao fim de|ao final de",
    },
    "WEEK_OF": {"week": "semana do dia|semana de|semana do|semana que começa em"},
    "WEEK_NO": {"week": "semana|semana número"},
    "DAY_NEXT_TO": {-1: "dia antes de|véspera de", 1: "dia depois de|dia seguinte a"},
    "WEEK_NEXT_TO": {-1: "semana antes de|semana anterior a", 1: "semana depois de"},
    "DAY_PRE": {"day": "no dia|o dia|do dia"},
    "ON": {"on": "em|no dia|o dia|dia|do dia|de"},
    "DURATION": {
        (6, "week"): "mês e meio|um mês e meio",
        (3, "day"): "72 horas",
        (2, "day"): "48 horas",
        (1, "day"): "24 horas",
        (10, "day"): "uma semana e meia|semana e meia",
        (6, "month"): "meio ano",
        (18, "month"): "um ano e meio|ano e meio",
    },
    "ART": {"the": "a|o|ao|à|aos"},
    "IN": {
        "in": "em|no|na|durante|de|do|da|dia|no dia|por|pelo|pela|todo o|para|ao longo de|"
        "lá por|no mês de|no ano de",
    },
    "OF": {"of": "de|do|da|em"},
    "THE": {
        "the": "o exercício de|exercício de|"
        "o|a|os|as|o dia|dia|o mês de|mês de|o ano de|ano de|ao|o ano|ano"
    },
    "AND": {"and": "e|e o|e a|a"},
    "TO": {"to": "a|ao|até|até o|até ao|até a|à|até à"},
    "FROM": {"from": "de|do|da|desde|desde o|desde a"},
    "BETWEEN": {"between": "entre|entre o|entre a|entre os|entre o dia"},
    "SINCE": {"since": "desde|a partir de|a partir do|a partir da|desde o|desde a"},
    "ONWARDS": {"on": "em diante|até hoje|até agora|para cá|pra cá"},
    "UNTIL": {"until": "até|até o|até ao|até a|até à|até o dia|até dia|o mais tardar em"},
    "BEFORE": {"before": "antes de|antes do|antes da|anterior a|anterior ao|anteriores a"},
    "AFTER": {
        "after": "depois de|depois do|depois da|após|após o|após a|posterior a|posteriores a"
    },
    "AROUND": {
        "around": "por volta de|por volta do|por volta da|perto de|perto do|cerca de|"
        "à volta de|em torno de|em torno do|próximo de|próximo a|aproximadamente|"
        "por volta do dia|mais ou menos"
    },
    "EVERY": {"every": "cada|todo|toda|todos os|todas as|às|aos|nas|nos"},
    "NOT": {
        "not": "segunda opinião|segunda quinzena|segunda semana|segunda metade|"
        "segunda vez|quarta vez|terça parte|segunda mão|em segunda"
    },
}
VAGUE = (
    "outro dia|no outro dia|recentemente|ultimamente|há pouco|há pouco tempo|há algum tempo|"
    "há muito tempo|há uns dias|há alguns dias|há umas semanas|há algumas semanas|um dia desses|"
    "esses dias|faz tempo|faz algum tempo|em breve|nos últimos tempos|há alguns meses|"
    "há alguns anos|alguns dias atrás|algumas semanas atrás|nos últimos dias"
)
MARKS = (
    "noite|manhã|feira|próxima|o|os|as|que|quem|quando|qual|como|onde|e|"
    "com|para|uma|um|do|da|no|na|foi|é|fez|disse|"
    "em|não|aconteceu|até|nós|ele|ela|falamos|decidimos|sobre|pela|pelo"
)
PAST = "foi|foram|era|esteve|fez|disse|tinha|comprou|começou|terminou|chegou|visitou|falou|houve"
FUTURE = (
    "será|vai|vamos|terá|vence|deve|fará|chegará|planeja|viajará|marcado|marcada|"
    "prometo|promete|prometi|prometeu|prometido"
)
HABIT = "sempre|normalmente|geralmente|costuma|costumam|habitualmente"
