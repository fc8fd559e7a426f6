"""Words and letters. Index and query go through the same functions here, so that what is written in
one case, width, accent or script form is found in another.
"""
