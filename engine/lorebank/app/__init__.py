"""`bank.Bank`, the face of an open workspace that every interface calls; imports none of it."""
