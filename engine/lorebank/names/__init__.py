"""Names: when two are one, which entity each stands for, and what the index knows of them. What is
uncertain is proposed, never guessed.
"""
