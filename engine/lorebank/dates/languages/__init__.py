"""One module of words a language: which words name months, units, directions, holidays.

A module holds `WORDS`, a table of tag → value → spellings joined by `|`, and `VAGUE`, `MARKS`,
`PAST`, `FUTURE` and `HABIT`, each a string of spellings joined by `|`. The tags are explained in
`lorebank.dates.lexicon`; a new language is a new module and its name in `LANGUAGES` there. After a
change, `LOREBANK_UPDATE_DATE_WORDS=1 pytest tests/dates/test_date_words.py` writes `words.tsv`.
A leading `~` marks a spelling that is also a common word of another language: it counts only where
another word of the text belongs to its own.
"""
