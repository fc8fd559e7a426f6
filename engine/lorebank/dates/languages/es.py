"""Spanish."""

WORDS = {
    "MONTH": {
        1: "enero",
        2: "febrero",
        3: "marzo",
        4: "abril",
        5: "mayo",
        6: "junio",
        7: "julio",
        8: "agosto",
        9: "septiembre|setiembre",
        10: "octubre",
        11: "noviembre",
        12: "diciembre",
    },
    "MON": {
        1: "enero|ene",
        2: "febrero|feb",
        3: "marzo|~mar",
        4: "abril|abr",
        5: "mayo|~may",
        6: "junio|jun",
        7: "julio|jul",
        8: "agosto|~ago",
        9: "septiembre|setiembre|sept|sep|~set",
        10: "octubre|oct",
        11: "noviembre|nov",
        12: "diciembre|dic",
    },
    "WEEKDAY": {
        0: "lunes",
        1: "martes",
        2: "miércoles",
        3: "jueves",
        4: "viernes",
        5: "sábado",
        6: "domingo",
    },
    "WDAY": {0: "lun", 1: "mar", 2: "mié|mie", 3: "jue", 4: "vie", 5: "sáb", 6: "dom"},
    "WEEKDAYS": {
        0: "lunes",
        1: "martes",
        2: "miércoles",
        3: "jueves",
        4: "viernes",
        5: "sábados",
        6: "domingos",
    },
    "UNIT": {
        "day": "día|días|jornada|jornadas",
        "week": "semana|semanas",
        "weekend": "fin de semana|finde|fines de semana",
        "fortnight": "quincena|quincenas",
        "month": "mes|meses",
        "quarter": "trimestre|trimestres",
        "half": "semestre|semestres|mitad",
        "year": "año|años",
        "decade": "década|décadas|decenio",
    },
    "NUM": {
        1: "un|una",
        2: "dos|un par de|par de",
        3: "tres",
        4: "cuatro",
        5: "cinco",
        6: "seis",
        7: "siete",
        8: "ocho",
        9: "nueve",
        10: "una decena de|decena de|diez",
        11: "once",
        12: "doce",
        13: "trece",
        14: "catorce",
        15: "quince",
        20: "veinte",
        30: "treinta",
        40: "cuarenta",
        50: "cincuenta",
        60: "sesenta",
        90: "noventa",
        100: "cien",
    },
    "ORD": {
        1: "primer|primero|primera",
        2: "segundo|segunda",
        3: "tercer|tercero|tercera",
        4: "cuarto|cuarta",
        5: "quinto|quinta",
        -1: "último|última",
    },
    "DAY": {
        1: "primero|uno",
        2: "dos",
        3: "tres",
        4: "cuatro",
        5: "cinco",
        6: "seis",
        7: "siete",
        8: "ocho",
        9: "nueve",
        10: "diez",
        11: "once",
        12: "doce",
        13: "trece",
        14: "catorce",
        15: "quince",
        20: "veinte",
        30: "treinta",
    },
    "DAYWORD": {
        -2: "anteayer|antes de ayer|antier",
        -1: "ayer|anoche",
        0: "hoy|esta mañana|esta tarde|esta noche",
        1: "mañana|mañana por la mañana",
        2: "pasado mañana",
    },
    "DAYPART": {"part": "por la mañana|por la tarde|por la noche|a mediodía"},
    "REL_PRE": {
        -1: "pasado|pasada|anterior",
        0: "este|esta|el presente|la presente",
        1: "próximo|próxima|siguiente|entrante",
    },
    "REL_POST": {
        -2: "antepasado|antepasada|trasanterior",
        -1: "pasado|pasada|anterior|previo|previa",
        0: "actual|en curso|corriente",
        1: "próximo|próxima|siguiente|que viene|entrante|que entra",
    },
    "TRAIL_PRE": {-1: "último|última"},
    "SPAN_PRE": {
        -1: "últimos|últimas|pasados|pasadas|estos últimos|estas últimas",
        1: "próximos|próximas|siguientes",
    },
    "SPAN_POST": {
        -1: "últimos|últimas|anteriores|pasados|pasadas",
        1: "próximos|próximas|siguientes",
    },
    "AGO_PRE": {
        "ago": "hace unas|hace unos|hace como|hace casi|hace más de|hace aproximadamente|hace|hará"
    },
    "AGO": {"ago": "atrás"},
    "AHEAD_PRE": {"ahead": "dentro de|en"},
    "SEASONS": {
        "spring": "primaveras",
        "summer": "veranos",
        "autumn": "otoños",
        "winter": "inviernos",
    },
    "SCHOOL_YEAR": {9: "curso|año escolar|curso escolar|año académico|curso académico|año lectivo"},
    "SAME_TIME": {"time": "por estas fechas|en estas fechas|en esta época|por esta época"},
    "TO_DATE": {
        "month": "en lo que va de mes|en lo que va del mes",
        "year": "en lo que va de año|lo que va de año|en lo que va del año",
    },
    "SEASON": {"spring": "primavera", "summer": "verano", "autumn": "otoño", "winter": "invierno"},
    "HOLIDAY": {
        "easter-weekend": "puente de semana santa",
        "turn-of-year": "cambio de año|el cambio de año",
        "st-george": "diada de sant jordi|día de sant jordi",
        "new-year": "año nuevo|día de año nuevo",
        "new-year-eve": "nochevieja|noche vieja",
        "epiphany": "reyes|día de reyes|los reyes magos|epifanía",
        "valentine": "san valentín|día de san valentín",
        "labour-day": "día del trabajo|día del trabajador",
        "halloween": "halloween",
        "all-saints": "todos los santos|día de todos los santos",
        "christmas-eve": "nochebuena",
        "christmas": "navidad|navidades|día de navidad",
        "carnival": "carnaval|martes de carnaval",
        "ash-wednesday": "miércoles de ceniza",
        "palm-sunday": "domingo de ramos",
        "good-friday": "viernes santo",
        "easter": "pascua|domingo de pascua|domingo de resurrección",
        "easter-monday": "lunes de pascua",
        "pentecost": "pentecostés",
        "corpus-christi": "corpus christi",
        "black-friday": "viernes negro|black friday",
        "assumption": "la asunción",
        "thanksgiving": "acción de gracias",
        "holy-week": "semana santa",
        "maundy-thursday": "jueves santo",
        "easter-saturday": "sábado santo|sábado de gloria",
        "fat-thursday": "jueves lardero",
        "rose-monday": "lunes de carnaval",
        "lent": "cuaresma",
        "ascension": "la ascensión",
        "mothers-day-es": "día de la madre|día de las madres",
        "st-joseph": "día del padre",
        "st-john": "noche de san juan|día de san juan",
        "hispanic-day": "día de la hispanidad|fiesta nacional|día del pilar|día de la raza",
        "constitution-es": "día de la constitución",
        "immaculate": "la inmaculada|día de la inmaculada|la purísima",
        "all-souls": "día de muertos|día de los muertos|día de los difuntos",
        "womens-day": "día de la mujer|día internacional de la mujer",
        "cyber-monday": "cyber monday|ciberlunes",
        "advent": "adviento",
        "advent-1": "primer domingo de adviento",
        "advent-2": "segundo domingo de adviento",
        "advent-3": "tercer domingo de adviento",
        "advent-4": "cuarto domingo de adviento",
        "holidays": "vacaciones de navidad|fiestas navideñas|las fiestas navideñas",
        "chinese-new-year": "año nuevo chino",
        "ramadan": "ramadán",
        "eid-al-fitr": "eid al-fitr|fin del ramadán",
        "eid-al-adha": "fiesta del cordero|eid al-adha",
        "diwali": "diwali",
        "hanukkah": "janucá|hanukkah",
        "passover": "pésaj",
        "yom-kippur": "yom kipur",
        "eleven-eleven": "día de san martín",
    },
    "QUARTER": {1: "t1|1t", 2: "t2|2t", 3: "t3|3t", 4: "t4|4t"},
    "DECADE": {
        1920: "veinte",
        1930: "treinta",
        1940: "cuarenta",
        1950: "cincuenta",
        1960: "sesenta",
        1970: "setenta",
        1980: "ochenta",
        1990: "noventa",
        2000: "dos mil",
    },
    "DECADE_PRE": {
        "decade": "los años|años|la década de los|década de los|década de|"
        "la década de|la década del|los años de"
    },
    "PART": {
        "mid": "mediados de|a mediados de|mediados del|a mediados del|mitad de|la mitad de|"
        "mitades de",
        "opening": "a primeros de|primeros de|a primeros del|"
        "principios de|a principios de|principios del|a principios del|comienzos de|"
        "a comienzos de|inicios de|a inicios de|a comienzos del|comienzos del|inicios del|"
        "a inicios del|principio de|el principio de|inicio de|el inicio de|comienzo de|"
        "inicio del|comienzo del|principio del|el principio del|al principio de|al inicio de",
        "closing": "a últimos de|últimos de|a últimos del|"
        "finales de|a finales de|finales del|a finales del|fines de|a fines de|"
        "fines del|a fines del",
        "end": "final de|el final de|al final de|final del|fin de|"
        "el fin de|al final del|fin del|a fin de",
    },
    "WEEK_OF": {"week": "semana del|semana de|la semana del|semana que empieza el"},
    "WEEK_NO": {"week": "semana|semana número|semana nº"},
    "DAY_NEXT_TO": {-1: "día antes de|día anterior a", 1: "día después de|día siguiente a"},
    "WEEK_NEXT_TO": {-1: "semana antes de|semana anterior a", 1: "semana después de"},
    "DAY_PRE": {"day": "el día|del día"},
    "ON": {"on": "el|del|el día|día|del día"},
    "DURATION": {
        (15, "day"): "medio mes",
        (6, "week"): "mes y medio|un mes y medio",
        (3, "day"): "72 horas",
        (2, "day"): "48 horas",
        (1, "day"): "24 horas",
        (10, "day"): "semana y media|una semana y media",
        (6, "month"): "medio año",
        (18, "month"): "un año y medio|año y medio",
    },
    "ART": {"the": "el|la"},
    "IN": {
        "in": "en|durante|de|del|por|en el|en la|con fecha|para|todo|toda|a lo largo de|"
        "en todo|allá por|en torno",
    },
    "OF": {"of": "de|del|en"},
    "THE": {
        "the": "el ejercicio|ejercicio|el año fiscal|"
        "el|la|los|las|el mes de|mes de|el año|día|el día|año|al|lo"
    },
    "AND": {"and": "y|e|y el|y la|a"},
    "TO": {"to": "a|al|hasta|hasta el|hasta la"},
    "FROM": {"from": "de|del|desde|desde el|desde la"},
    "BETWEEN": {"between": "entre|entre el|entre la|entre los"},
    "SINCE": {"since": "desde|a partir de|a partir del|desde el|desde la|a contar de"},
    "ONWARDS": {"on": "en adelante|hasta hoy|hasta ahora|y después|hasta la fecha"},
    "UNTIL": {
        "until": "hasta|hasta el|hasta la|antes del final de|como máximo el|a más tardar el|"
        "hasta finales del"
    },
    "BEFORE": {
        "before": "antes de|antes del|previo a|anterior a|con anterioridad a|previo al|"
        "anterior al|anteriores a|anteriores al"
    },
    "AFTER": {
        "after": "después de|después del|tras|posterior a|luego de|tras el|posterior al|"
        "posteriores a|luego del|posteriores al"
    },
    "AROUND": {
        "around": "alrededor de|alrededor del|hacia|hacia el|cerca de|cerca del|"
        "en torno a|en torno al|aproximadamente|sobre|sobre el|por el|más o menos"
    },
    "EVERY": {"every": "cada|todos los|todas las|los"},
    "NOT": {
        "not": "por la mañana|de la mañana|a la mañana|la mañana|las mañanas|buena mañana|"
        "mayo y mostaza|plaza de mayo|martes 13|cinco de mayo"
    },
}
VAGUE = (
    "el otro día|la otra semana|recientemente|últimamente|hace poco|hace tiempo|hace mucho|"
    "hace unos días|hace unas semanas|hace unos meses|hace unos años|hace varios días|"
    "hace algunos días|en los últimos tiempos|hace un rato|antiguamente|hace algún tiempo|"
    "algún día|pronto|los últimos días|las últimas semanas|hace mucho tiempo|hace algunas semanas"
)
MARKS = (
    "el|los|las|qué|que|quién|cuándo|cuál|cómo|dónde|y|con|por|para|una|del|se|su|es|fue|pasó|"
    "hizo|dijo|hemos|lo|desde|hasta|está|sobre"
)
PAST = "fue|fueron|era|estuvo|hizo|dijo|había|pasó|compró|empezó|terminó|llegó|visitó|habló|hubo"
FUTURE = (
    "será|irá|va|vamos|tendrá|vence|debe|hará|llegará|próxima|próximo|planea|cita|viajará|"
    "prometo|promete|prometí|prometió|prometido"
)
HABIT = "siempre|normalmente|habitualmente|suele|suelen|soler|frecuentemente"
