"""Conversations: the transcripts of hosts, read, kept next to the index, searched, exported. No
fact, opinion, page or boot pack is ever made of them.
"""
