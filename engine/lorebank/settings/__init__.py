"""Settings: `tables` and what each field accepts (`rules`), which place said what (`config`), the
files they are kept in (`files`), their JSON Schema (`schema`), those of OpenClaw (`openclaw`).
"""
