"""The value types of all rooms, in one module per subject, so that commands load only their own."""
