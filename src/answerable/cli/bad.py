"""`answerable bad`: the last answer is wrong."""

from answerable.cli.good import Question, judge
from answerable.cli.options import AskerName
from answerable.cli.shell import Shell

NAME = "bad"


def run(shell: Shell, question: Question = None, asker: AskerName = None) -> None:
    """Say that the last answer is bad: it is not given again to this question, nor to one that asks the same."""
    judge(shell, False, question, asker)
