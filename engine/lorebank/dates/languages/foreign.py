"""Beginnings of month names and whole relative words of languages left to dateparser.

They decide only whether and with which language dateparser is asked. `MONTHS` are beginnings of
words that need a day or year beside them, or a preposition of `PREPOSITIONS` before them;
`RELATIVE` are whole phrases.
"""

MONTHS = {
    "ru": "январ|феврал|март|апрел|мая|мае|май|июн|июл|август|сентябр|октябр|ноябр|декабр",
    "uk": "січ|лют|берез|квіт|трав|черв|лип|серп|верес|жовт|листоп|груд",
    "bg": "януари|февруари|март|април|май|юни|юли|август|септември|октомври|ноември|декември",
    "pl": "stycz|lut|marc|marz|kwie|maj|czerw|lip|sierp|wrze|paźdz|listop|grud",
    "cs": "led|únor|břez|dub|květ|červ|srp|září|říj|listop|prosin",
    "sv": "januari|februari|mars|april|maj|juni|juli|augusti|september|oktober|november|december",
    "da": "januar|februar|marts|april|maj|juni|juli|august|september|oktober|november|december",
    "fi": "tammi|helmi|maalis|huhti|touko|kesä|heinä|elo|syys|loka|marras|joulu",
    "tr": "ocak|şubat|mart|nisan|mayıs|haziran|temmuz|ağustos|eylül|ekim|kasım|aralık",
    "hu": "január|február|márci|április|máju|június|július|auguszt|szeptember|október|november",
    "ro": "ianuarie|februarie|martie|aprilie|mai|iunie|iulie|august|septembrie|octombrie|noiembrie",
    "el": "ιανουαρ|φεβρουαρ|μαρτ|απριλ|μαϊ|μαι|ιουν|ιουλ|αυγουστ|σεπτεμβρ|οκτωβρ|νοεμβρ|δεκεμβρ",
    "id": "januari|februari|maret|april|mei|juni|juli|agustus|september|oktober|november|desember",
    "ar": "يناير|فبراير|مارس|أبريل|مايو|يونيو|يوليو|أغسطس|سبتمبر|أكتوبر|نوفمبر|ديسمبر",
    "he": "ינואר|פברואר|מרץ|אפריל|מאי|יוני|יולי|אוגוסט|ספטמבר|אוקטובר|נובמבר|דצמבר",
    "hi": "जनवरी|फरवरी|मार्च|अप्रैल|मई|जून|जुलाई|अगस्त|सितंबर|अक्टूबर|नवंबर|दिसंबर",
}

PREPOSITIONS = {
    "ru": "в|во", "uk": "в|у", "bg": "през", "pl": "w|we", "cs": "v", "sv": "i", "da": "i",
    "tr": "", "ro": "în|in", "el": "τον", "id": "bulan", "ar": "في", "he": "ב", "hi": "",
}  # fmt: skip

RELATIVE = {
    "ru": "вчера|позавчера|сегодня|на прошлой неделе|в прошлом месяце|в прошлом году",
    "uk": "вчора|позавчора|сьогодні|минулого тижня|минулого місяця|минулого року",
    "pl": "wczoraj|przedwczoraj|dzisiaj|zeszłym tygodniu|w zeszłym tygodniu",
    "cs": "včera|předevčírem|dnes",
    "sv": "igår|i går|förrgår|idag|förra veckan|förra månaden|förra året",
    "da": "i går|forgårs|i dag",
    "fi": "eilen|toissapäivänä|tänään",
    "tr": "dün|bugün|evvelsi gün|geçen hafta|geçen ay|geçen yıl",
    "hu": "tegnap|tegnapelőtt",
    "ro": "ieri|alaltăieri|săptămâna trecută|luna trecută|anul trecut",
    "el": "χθες|χτες|προχθές|σήμερα",
    "id": "kemarin|minggu lalu|bulan lalu|tahun lalu",
    "ko": "어제|그제|오늘|지난주|지난달|작년",
    "ar": "أمس|اليوم",
    "he": "אתמול|שלשום",
    "hi": "बीता हुआ कल",
    "vi": "hôm qua|hôm kia|tuần trước|tháng trước|năm ngoái",
}

AGO = {
    "ru": "назад", "uk": "тому", "pl": "temu", "sv": "sedan", "da": "siden", "fi": "sitten",
    "tr": "önce", "id": "lalu", "ko": "전", "vi": "trước", "ro": "", "cs": "",
}  # fmt: skip
"""The word behind `3 days` in `3 days ago`."""
