"""Import from other programs, and export for them.

Imports stay in quarantine until confirmed; files edited by the owner are never overwritten. Links
are not followed, and archives are not unpacked onto the disk.
"""
