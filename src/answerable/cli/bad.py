"""`answerable bad`: the last answer is wrong."""

from answerable.cli.good import Question, judge
from answerable.cli.options import AskerName
from answerable.cli.shell import Shell


def run(shell: Shell, question: Question = None, asker: AskerName = None) -> None:
    """Say that the last answer is bad: do not give it again.

    Neither to this question, nor to one that asks the same.
    """
    judge(shell, False, question, asker)
