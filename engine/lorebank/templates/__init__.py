"""Templates: packs of initial pages for a workspace, and the sample workspace."""
