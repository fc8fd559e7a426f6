"""What comes into a bank from other programs, and what leaves it for them.

What comes in is in quarantine until it is confirmed; a file that its owner edited is never
overwritten. No link is followed, and no archive unpacked onto the disk.
"""
