"""The patterns of phrasings: how queries open, join, limit and leave out."""

from __future__ import annotations

from collections.abc import Collection, Mapping

OPENINGS = {
    "plain": "{}",
    "what are": "what are {}",
    "what are the": "What are the {}?",
    "what are some": "what are some {}",
    "list all": "list all {}",
    "list": "list {} please",
    "show me": "show me {}",
    "show all": "Show all the {}.",
    "find me": "find me {}",
    "find all": "Find all {}",
    "I'm looking for": "I'm looking for {}",
    "how many": "how many {} are there?",
    "are there": "are there any {}?",
    "give me": "Give me all {}",
    "can you": "can you list {}?",
    "I want": "I want {}",
    "search": "search for {}",
    "please find": "Please find {}",
    "which": "which {}?",
    "could you": "Could you show me some {}?",
    "looking for": "looking for {}",
    "which are": "Which are the {}?",
    "I need": "I need a list of {}",
    "I would like": "I'd like to see {}, please",
    "do you know": "do you know any {}?",
    "any": "any {}?",
    "get": "get me every one of the {}",
    "name": "Name all the {}!",
}
JOINS = {
    "or": ("{} or {}", ", "),
    "oxford": ("{}, or {}", ", "),
    "or each": ("{} or {}", " or "),
    "comma each": ("{}, or {}", ", or "),
    "either": ("either {} or {}", ", "),
    "either each": ("either {} or {}", " or "),
    "as well as": ("{} as well as {}", ", "),
    "plus": ("{} plus {}", ", "),
    "and/or": ("{} and/or {}", ", "),
    "along with": ("{} along with {}", ", "),
    "and": ("{} and {}", ", "),
    "or else": ("{} or else {}", ", "),
    "together with": ("{} together with {}", ", "),
    "or also": ("{}, or also {}", ", "),
}
"""How alternatives are joined: the last to the rest, and the rest to one another."""
BOTH = {
    "that are also": "{} that are also {}",
    "that are": "{} that are {}",
    "which are": "{} which are {}",
    "which are also": "{}, which are also {}",
    "and also": "{} and also {}",
    "at the same time": "{} that at the same time are {}",
    "happen to be": "{} that happen to be {}",
}
LEFT_OUT = {
    "but not": "{} but not {}",
    ", but not": "{}, but not {}",
    "that are not": "{} that are not {}",
    "that aren't": "{} that aren't {}",
    "which are not": "{} which are not {}",
    "but that are not": "{} but that are not {}",
    "not": "{} not {}",
    "and not": "{} and not {}",
    "except": "{} except {}",
    "except for": "{}, except for {}",
    "excluding": "{} excluding {}",
    "other than": "{} other than {}",
    "minus": "{} minus {}",
    "but no": "{} but no {}",
    "leaving out": "{}, leaving out {}",
    "apart from": "{} apart from {}",
    "with the exception of": "{} with the exception of {}",
    "which aren't": "{} which aren't {}",
    "not including": "{}, not including {}",
    "though not": "{}, though not {}",
}
NOUNS_ONLY = ("except", "except for", "excluding", "other than", "minus", "but no", "leaving out", "apart from")
THOSE = (*NOUNS_ONLY, "with the exception of", "not including")
NESTED = {
    "unless": "{} but not {} unless {}",
    "that are not that are not": "{} that are not {} that are not {}",
    "except but not": "{} except {} that are not {}",
    "not in parentheses": "{} that are not ({} that are not {})",
    "except other than": "{} except {} other than {}",
    "excluding unless": "{}, excluding {} unless they are {}",
}
MANY_OUT = {
    "neither": "{} that are neither {} nor {}",
    "not or": "{} that are not {} or {}",
    "but not or": "{} but not {} or {}",
    "except and": "{} except {} and {}",
    "excluding and": "{} excluding {} and {}",
    "not nor": "{} but not {} nor {}",
    "neither aside": "{}, neither {} nor {}",
    "nor are": "{} that are not {} and not {} either",
}
SHAPES = (
    "once",
    "once both",
    "once again",
    "in common",
    "bare modifier",
    "that are modifier",
    "non-",
    "without",
    "-free",
)
_HELD = {
    "open": ("looking for", "which are", "I need", "I would like", "do you know", "any", "get", "name"),
    "join": ("along with", "or else", "together with", "or also"),
    "both": ("at the same time", "happen to be"),
    "out": ("leaving out", "apart from", "with the exception of", "which aren't", "not including", "though not"),
    "nested": ("except other than", "excluding unless"),
    "many": ("neither aside", "nor are"),
}
_NAMED: Mapping[str, Collection[str]] = {
    "open": OPENINGS,
    "join": JOINS,
    "both": BOTH,
    "out": LEFT_OUT,
    "nested": NESTED,
    "many": MANY_OUT,
    "shape": SHAPES,
}
PATTERNS = frozenset(f"{kind}:{name}" for kind, names in _NAMED.items() for name in names)
"""All patterns, by the kind of what they say and their name."""
HELD_OUT = frozenset(f"{kind}:{name}" for kind, names in _HELD.items() for name in names)
"""Patterns that nothing is trained on."""
