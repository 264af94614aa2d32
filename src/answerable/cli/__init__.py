"""The command line: one file a command, which reads arguments, calls the workspace and prints. Exit codes: 0 done, 1
error, 2 bad usage, 3 abstained.
"""
