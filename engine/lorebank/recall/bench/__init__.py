"""Questions out of a workspace's own facts, and how well they lead back to them.

Owns making the questions, the grep baseline beside recall, and the measures. Pure but for reading
the index: the asking is the caller's, and nothing is written.
"""
