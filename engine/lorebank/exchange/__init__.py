"""What comes into a bank from other programs, and what leaves it for them.

One reader a form (pure: text or JSON values → notes), one writer a form (pure: facts → text); only
`source`, `importing` and `exporting` touch the disk. What comes in is Markdown of origin
`imported`, in quarantine until it is confirmed; a file that its owner edited is never overwritten.
Never asks a model, never follows a link, never unpacks an archive onto the disk.
May use `index` (its facts), `markdown`, `workspace` and below.
"""
