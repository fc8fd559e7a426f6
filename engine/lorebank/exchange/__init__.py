"""Import from other programs, in quarantine until confirmed, and export for them. Files edited by
the owner are never overwritten, archives not unpacked onto the disk."""
