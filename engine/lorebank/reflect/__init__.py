"""What is believed, and the pages that say so: opinions, trends, summaries, page edits.

Owns the belief rule, the reading of a line as for or against an opinion, the bodies of managed
blocks and the plan of a reflect run. The judging modules are values in, values out: no disk, no
clock. Generated text is never evidence. May use recall, retain, index, markdown, workspace, dates,
providers, prompts, config, language and domain; never the interfaces.
"""
