"""The pages under `bank/`: what each should say, and the edits that make it say so.

Owns the bodies of managed blocks and the plan of a page. Values in, text out; the dates are those
of the content. May use beliefs, generation and what they may use.
"""
