"""English."""

from lorebank.dates.languages.en_holidays import HOLIDAYS

WORDS = {
    "MONTH": {
        1: "january",
        2: "february|feb",
        3: "march",
        4: "april|apr",
        5: "may",
        6: "june",
        7: "july|jul",
        8: "august|aug",
        9: "september|sept|sep",
        10: "october|oct",
        11: "november|nov",
        12: "december|dec",
    },
    "MON": {
        1: "january|jan",
        2: "february|feb",
        3: "march|mar",
        4: "april|apr",
        5: "may",
        6: "june|jun",
        7: "july|jul",
        8: "august|aug",
        9: "september|sept|sep",
        10: "october|oct",
        11: "november|nov",
        12: "december|dec",
    },
    "WEEKDAY": {
        0: "monday",
        1: "tuesday",
        2: "wednesday",
        3: "thursday",
        4: "friday",
        5: "saturday",
        6: "sunday",
    },
    "WDAY": {
        0: "mon",
        1: "tue|tues",
        2: "wed|weds",
        3: "thu|thur|thurs",
        4: "fri",
        5: "sat",
        6: "sun",
    },
    "WEEKDAYS": {
        0: "mondays",
        1: "tuesdays",
        2: "wednesdays",
        3: "thursdays",
        4: "fridays",
        5: "saturdays",
        6: "sundays",
    },
    "UNIT": {
        "day": "day|days",
        "week": "week|weeks",
        "weekend": "weekend|weekends|week-end",
        "fortnight": "fortnight|fortnights",
        "month": "month|months",
        "quarter": "quarter|quarters",
        "half": "half",
        "year": "year|years",
        "decade": "decade|decades",
    },
    "NUM": {
        1: "a|an|one",
        2: "two|couple|couple of|a couple|a couple of",
        3: "three",
        4: "four",
        5: "five",
        6: "six|half a dozen",
        7: "seven",
        8: "eight",
        9: "nine",
        10: "ten",
        11: "eleven",
        12: "twelve|a dozen",
        13: "thirteen",
        14: "fourteen",
        15: "fifteen",
        18: "eighteen",
        20: "twenty",
        21: "twenty-one",
        30: "thirty",
        40: "forty",
        45: "forty-five",
        50: "fifty",
        60: "sixty",
        90: "ninety",
        100: "hundred|a hundred|one hundred",
    },
    "ORD": {
        1: "first",
        2: "second",
        3: "third",
        4: "fourth",
        5: "fifth",
        6: "sixth",
        7: "seventh",
        8: "eighth",
        9: "ninth",
        10: "tenth",
        11: "eleventh",
        12: "twelfth",
        13: "thirteenth",
        14: "fourteenth",
        15: "fifteenth",
        16: "sixteenth",
        17: "seventeenth",
        18: "eighteenth",
        19: "nineteenth",
        20: "twentieth",
        21: "twenty-first",
        22: "twenty-second",
        23: "twenty-third",
        24: "twenty-fourth",
        25: "twenty-fifth",
        26: "twenty-sixth",
        27: "twenty-seventh",
        28: "twenty-eighth",
        29: "twenty-ninth",
        30: "thirtieth",
        31: "thirty-first",
        -1: "last|final",
    },
    "DAYWORD": {
        -2: "the night before last|night before last|the evening before last|"
        "the day before yesterday|day before yesterday|ereyesterday",
        -1: "yesterday|last night|yesternight",
        0: "today|tonight|this morning|this afternoon|this evening|earlier today|later today",
        1: "tomorrow",
        2: "the day after tomorrow|day after tomorrow|overmorrow",
    },
    "DAYPART": {
        "part": "morning|afternoon|evening|night|noon|in the morning|in the afternoon|"
        "in the evening|at night",
    },
    "REL_PRE": {
        -1: "this past|this last|last|previous|the preceding",
        0: "this|the current|current",
        1: "next|coming|following|upcoming|this coming",
    },
    "REL_POST": {-1: "just gone|just past", -2: "before last", 2: "after next"},
    "TRAIL_PRE": {
        -1: "past|this past|trailing|in the last|over the last|during the last|within the last|"
        "in the previous|for the last|over this last",
    },
    "SPAN_PRE": {
        -1: "last|past|previous|trailing|these past|these last|preceding",
        1: "next|coming|following",
    },
    "AGO": {"ago": "ago|back|earlier|in the past"},
    "AHEAD": {"ahead": "from now|hence|from today"},
    "AHEAD_PRE": {"ahead": "in|within"},
    "SEASONS": {
        "spring": "springs",
        "summer": "summers",
        "autumn": "autumns|falls",
        "winter": "winters",
    },
    "SCHOOL_YEAR": {9: "school year|academic year|the school year|the academic year|schoolyear"},
    "SAME_TIME": {"time": "this time|around this time|about this time|the same time|same time"},
    "TO_DATE": {
        "week": "week to date",
        "quarter": "quarter to date|qtd",
        "month": "month to date|mtd",
        "year": "year to date|ytd",
    },
    "WEEK_ON": {"week": "week"},
    "EDGE_WORD": {
        ("end", "month"): "month-end|month end|end of month|eom",
        ("end", "year"): ("year-end|year end|end of year|eoy"),
    },
    "DAYPARTS": {"parts": "mornings|afternoons|evenings|nights"},
    "SEASON": {
        "spring": "spring|springtime",
        "summer": "summer|summertime",
        "autumn": "autumn|fall",
        "winter": "winter|wintertime",
    },
    "HOLIDAY": HOLIDAYS,
    "QUARTER": {1: "q1|1q", 2: "q2|2q", 3: "q3|3q", 4: "q4|4q"},
    "HALF": {1: "h1|1h", 2: "h2|2h"},
    "DECADE": {
        1920: "twenties",
        1930: "thirties",
        1940: "forties",
        1950: "fifties",
        1960: "sixties",
        1970: "seventies",
        1980: "eighties",
        1990: "nineties",
        2000: "noughties|two-thousands",
    },
    "DECADE_THE": {"decade": "the"},
    "DECADE_POST": {"decade": "s|'s"},
    "PART": {
        "first-half": "front half of|the front half of",
        "second-half": ("latter half of|the latter half of|back half of|the back half of"),
        "early": "early|early in|early on in",
        "mid": "mid|mid-|middle of|the middle of|the middle|halfway through|in the middle of",
        "late": "tail end of|the tail end of|back end of|the back end of|"
        "towards the end of|toward the end of|near the end of|"
        "late|late in",
        "start": "start of|beginning of|the start of|the beginning of|the first days of|"
        "beginning|start",
        "end": "end of|the end of|the close of|the last days of",
    },
    "WEEK_OF": {
        "week": "w/c|week ending|week ending on|the week ending|week commencing on|"
        "week of|the week of|week beginning|week starting|week commencing|"
        "week containing|"
        "the week starting|the week beginning|the week with|the week containing|week from",
    },
    "WEEK_NO": {"week": "week|week number|calendar week|cw|kw|wk"},
    "DAY_NEXT_TO": {-1: "day before|eve of", 1: "day after|morning after"},
    "WEEK_NEXT_TO": {-1: "week before", 1: "week after"},
    "ON": {"on": "on|on the|dated"},
    "DURATION": {
        (15, "day"): "half a month",
        (6, "week"): "a month and a half|month and a half|one and a half months",
        (3, "day"): "72 hours",
        (2, "day"): "48 hours",
        (1, "day"): "24 hours",
        (10, "day"): "a week and a half|week and a half|one and a half weeks",
        (6, "month"): "half a year|half year",
        (18, "month"): "a year and a half|year and a half",
    },
    "IN": {
        "in": "in|on|during|at|over|throughout|within|from|for|of|dated|around about|back in|as of|"
        "for all of|all of|in all of|across|way back in",
    },
    "OF": {"of": "of|in|of the year|for"},
    "THE": {
        "the": "fiscal year|financial year|calendar year|the fiscal year|the financial year|"
        "the|that|the month of|the year|the year of|month of|year|the whole of|all|the whole"
    },
    "AND": {"and": "and|&|to"},
    "TO": {"to": "to|till|until|til|through|thru|up to|up until|and ending|ending"},
    "FROM": {"from": "from|starting|starting from|starting on|beginning|beginning on"},
    "BETWEEN": {"between": "between|in between|anywhere between|sometime between"},
    "SINCE": {
        "since": "as from|effective|effective from|from as early as|"
        "since|ever since|starting|starting from|starting in|starting on|beginning in|"
        "not before|no earlier than|since about|dating from|on or after|from and after",
    },
    "ONWARDS": {
        "on": "on|onwards|onward|and later|and after|or later|forward|and onwards|and onward|"
        "to now|"
        "until now|till now|to date|to today|until today|to the present|and on|till today|"
        "through today|up to now|to present",
    },
    "UNTIL": {
        "until": "up to and including|until and including|through to|"
        "not after|not beyond|until|till|til|up to|up until|by|through|"
        "no later than|not later than|"
        "at the latest by|on or before|thru|up till|by the",
    },
    "BEFORE": {
        "before": "in the run-up to|in the runup to|run-up to|leading up to|"
        "in the lead-up to|older than|before|prior to|earlier than|ahead of|"
        "preceding|"
        "up to but not including|"
        "until before|from before"
    },
    "AFTER": {
        "after": "newer than|more recent than|after|later than|following|subsequent to|"
        "past|from after"
    },
    "AROUND": {
        "around": "around|about|circa|approximately|approx|roughly|near|close to|ca|sometime "
        "around|somewhere around|some time around|at around|on around|on or around|"
        "on about|on or about|in or around|or so"
    },
    "AROUND_POST": {"around": "or so|or thereabouts|ish|-ish|give or take"},
    "EVERY": {
        "every": "the other|usually on|always on|mostly on|"
        "every|each|most|any|every other|alternate|no|per|some"
    },
    "NOT": {
        "not": "on weekends|at weekends|on the weekends|"
        "today show|"
        "in the new year|happy new year|new year's resolution|new year's resolutions|"
        "taco tuesday|ruby tuesday|freaky friday|man friday|casual friday|good friday "
        "agreement|bloody sunday|super sunday|black sabbath|may i|may we|may he|may she|may they|"
        "may not|may be|may have|may also|easter egg|easter eggs|christmas tree|christmas card|"
        "spring boot|spring framework|spring cloud|spring cleaning|winter is coming|fall back|"
        "fall through|fall into|march on|march of|march to|march for|march against|"
        "advent of|days of the week|week in week out|second nature",
    },
}
VAGUE = (
    "the other day|the other week|the other night|recently|lately|a while ago|a while back|"
    "some time ago|sometime|some day|someday|one day|once upon a time|long ago|a long time ago|"
    "not long ago|soon|in the near future|in the past|back then|back in the day|these days|"
    "nowadays|earlier on|a few days ago|a few weeks ago|a few months ago|a few years ago|"
    "few days ago|last few days|last few weeks|last few months|last few years|past few days|"
    "past few weeks|past few months|past few years|several days ago|several weeks ago|"
    "several months ago|several years ago|in recent days|in recent weeks|in recent months|"
    "recent weeks|recent months|recent days|of late|ages ago|in the old days|just now|"
    "a moment ago|shortly|eventually|previously|at some point|some days ago|some weeks ago"
)
MARKS = (
    "the|what|did|is|was|were|with|we|how|who|when|which|and|has|have|had|about|does|do|i|he|"
    "she|they|it|that|to|not|you|are|said|his|her|as"
)
PAST = (
    "was|were|did|had|went|said|got|came|made|took|left|met|found|told|ran|broke|began|wrote|sent|"
    "saw|gave|bought|paid|lost|won|built|kept|felt|hurt|fell|thought|"
    "became|chose|quit|drove|flew|swam|sang|slept|woke|wore|grew|drew|"
    "knew|threw|sat|stood|led|"
    "rode|sold|spoke|stole|taught|caught|brought|fought|forgot|drank|ate|"
    "ended|finished|passed|spent|held|ago"
)
FUTURE = (
    "will|shall|going|plans|planned|due|deadline|scheduled|upcoming|must|should|gonna|expects|"
    "expected|intends|starts|moves|arrives|leaves|flies|appointment|booked|until|by|ll|postponed|rescheduled|"
    "promise|promised|promises|pledged|vowed"
)
HABIT = "usually|always|often|normally|typically|generally|sometimes|regularly|habitually"
