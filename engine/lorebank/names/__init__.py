"""Names: when two are one, which entity each stands for, and what the index knows of them.

`verdicts` compares two names, `resolve` all names of a workspace under the decisions of people;
both are pure, as are their word tables. `entity_rows` and `plain_mentions` write what comes of it,
in the sync's transaction; `entities` and `who` read it. What is uncertain is proposed,
never guessed. May use `language`, `domain`, `database` and `errors`.
"""
