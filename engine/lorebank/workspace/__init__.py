"""The files of a workspace: locations, which are memory, safe writing; never through a link."""
