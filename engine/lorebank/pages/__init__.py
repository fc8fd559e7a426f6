"""The pages under `bank/`: what each should say, and the edits that make it say so."""
