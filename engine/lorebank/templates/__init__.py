"""Templates: packs of pages that a new workspace begins with, and the sample workspace."""
