"""What holders believe: opinions formed from dated lines, and how sure they are.

Owns what one statement is to another (`reading`, `relation`), which lines open, restate or close an
opinion (`forming`), the belief rule (`fold`), what people decided about opinions (`by_hand`), and
the look back at all of that. The judging modules are values in, values out: no disk, no clock.
Generated text is never evidence. May use index, markdown, workspace, dates, settings, language and
domain.
"""
