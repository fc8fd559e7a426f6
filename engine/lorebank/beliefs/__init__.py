"""What holders believe: opinions formed from dated lines, and how sure they are. Generated text is
never evidence.
"""
