"""Make the cases: invented inputs, and what the official programs of each data set make of them.

    python tests/evaluation/metrics/make_cases.py OFFICIAL

OFFICIAL is a folder with the official programs as modules, which are not ours to keep here:

    evaluate_v1_1.py        SQuAD 1.1: `evaluate(dataset, predictions)` and the functions under it
    evaluate_v2_0.py        SQuAD 2.0: `get_raw_scores`, `make_eval_dict` and the functions under them
    hotpot_evaluate_v1.py   github.com/hotpotqa/hotpot, with `eval` taking and returning values in place of files
    qa_validation.py        github.com/facebookresearch/DPR: `has_answer`, and SimpleTokenizer beside it (needs regex)
    mdr_eval.py             github.com/facebookresearch/multihop_dense_retrieval, scripts/eval/eval_mhop_retrieval.py:
                            the lines for one question as `measure(path_titles, sp)` → p_recall, p_em, path_covered
    quest_eval.py           github.com/google-research/language, language/quest/eval: the lines for one example of
                            run_eval as `set_scores`, of analyze_retriever as such, print_avg_by_key as `avg_by_key`
    sharc_evaluator.py      the evaluator that comes with the ShARC data, without its rounding and its tokenizer

Also needed: pytrec_eval-terrier (trec_eval itself), spacy (its English without a model), numpy and scikit-learn. The
inputs depend on the seed alone.
"""

from __future__ import annotations

import json
import random
import sys
import unicodedata
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent / "cases"
NAMES = [
    "Mirela Sandoval", "the Harbour of Tønsvik", "A Quiet Orchard", "1,204", "3.5 million", "Zürcher Straße 9", "42nd",
    "São Lirão", "An Lạc", "the the", "O'Dwyer & Sons", "U.S.S. Petrel", "north–south line", "naïve café owner", "№ 7",
    "東京 tower", "Ελλάς", "the", "a", "...", "twenty-two", "red red green", "AN ANTHEM", "İzmir", "x² + y",
    "\u201cLantern\u201d", "yes", "no", "noanswer", "Yes, the river", "no one", "not yes", "¿quién?", "B-12 a", "$40",
    "re-run of a rerun", "na\u00a0ïf", "",
    "the Tha the", "half_a_mile", "e-mail", "ﬁre station", "Σίσυφος ΟΔΟΣ", "a.b.c", "o\u0308l",
]  # fmt: skip


def phrase(chance: random.Random) -> str:
    return chance.choice(NAMES)


def bent(chance: random.Random, text: str) -> str:
    """The text, changed in one or two of the ways in which answers differ."""
    words = text.split(" ")
    ways: list[Callable[[], str]] = [
        lambda: text,
        lambda: text.upper(),
        lambda: text.lower(),
        lambda: f"the {text}",
        lambda: f"{text} again",
        lambda: f"{text}, an",
        lambda: f" {text}.  ",
        lambda: f"({text})!",
        lambda: unicodedata.normalize("NFD", text),
        lambda: text.replace(" ", "\u00a0"),
        lambda: text.replace("-", " "),
        lambda: " ".join(words[1:]),
        lambda: " ".join(words[:-1]),
        lambda: " ".join(words + words[-1:]),
        lambda: " ".join(reversed(words)),
        lambda: f"{text} {phrase(chance)}",
        lambda: f"{phrase(chance)}, {text}",
        lambda: f"{text} of {phrase(chance)} {words[0]}",
        lambda: phrase(chance),
        lambda: "",
    ]
    changed = chance.choice(ways)()
    return bent(chance, changed) if changed and chance.random() < 0.2 else changed


def squad(official: Callable[[str], Any]) -> None:
    chance = random.Random(11)
    v1, v2 = official("evaluate_v1_1"), official("evaluate_v2_0")
    cases = []
    for _ in range(320):
        gold = [phrase(chance) for _ in range(chance.choice([0, 1, 1, 1, 2, 3]))]
        said = bent(chance, chance.choice(gold or NAMES))
        data = [{"paragraphs": [{"qas": [{"id": "q", "answers": [{"text": text} for text in gold]}]}]}]
        em, f1 = v2.get_raw_scores(data, {"q": said})
        first = v1.evaluate(data, {"q": said}) if gold else {"exact_match": None, "f1": None}
        share = [None if value is None else value / 100 for value in first.values()]
        if gold:  # the shares again, without having been through percentages
            share = [
                float(max(function(said, text) for text in gold)) for function in (v1.exact_match_score, v1.f1_score)
            ]
        cases.append([said, gold, float(em["q"]), float(f1["q"]), *share])
    write("squad", cases)
    means = []
    for number in range(12):
        gold = {f"q{n}": [phrase(chance) for _ in range(chance.randint(number % 2, 3))] for n in range(25)}
        said = {id: bent(chance, chance.choice(texts or NAMES)) for id, texts in gold.items() if chance.random() < 0.85}
        qas = [{"id": id, "answers": [{"text": text} for text in texts]} for id, texts in gold.items()]
        data = [{"paragraphs": [{"qas": qas}]}]
        case = {"said": said, "gold": gold, "v2": dict(v2.make_eval_dict(*v2.get_raw_scores(data, said)))}
        means.append({**case, "v1": v1.evaluate(data, said)} if all(gold.values()) else case)
    write("squad_means", means)


def hotpot(official: Callable[[str], Any]) -> None:
    chance = random.Random(12)
    evaluate = official("hotpot_evaluate_v1").eval
    kinds = ["em", "f1", "prec", "recall"]
    cases, everything, all_said, all_facts = [], [], {}, {}
    for number in range(280):
        gold = chance.choice([*(phrase(chance) for _ in range(6)), "yes", "no", "noanswer"])
        said = (
            None
            if number % 20 == 7
            else bent(chance, chance.choice([*[gold] * 6, "yes", "no", "the yes.", "noanswer"]))
        )
        pool = [[chance.choice(["Alder", "Birch (film)", "Çedar"]), chance.randint(0, 3)] for _ in range(6)]
        facts = chance.sample(pool, chance.choice([0, 1, 2, 2, 2, 3, 4]))
        found = (
            None
            if number % 20 == 13
            else chance.choice([facts, facts + facts[:1], chance.sample(pool, chance.randint(0, 5))])
        )
        row = {"_id": f"q{number}", "answer": gold, "supporting_facts": facts}
        answers = {} if said is None else {row["_id"]: said}
        sp = {} if found is None else {row["_id"]: found}
        scores = evaluate({"answer": answers, "sp": sp}, [row])
        cases.append(
            [said, gold, found, facts, *([float(scores[f"{p}{k}"]) for k in kinds] for p in ("", "sp_", "joint_"))]
        )
        everything.append(row)
        all_said.update(answers)
        all_facts.update(sp)
    write("hotpot", {"cases": cases, "means": evaluate({"answer": all_said, "sp": all_facts}, everything)})


def recall(official: Callable[[str], Any]) -> None:
    chance = random.Random(13)
    dpr = official("qa_validation")
    tokenizer = dpr.SimpleTokenizer()
    joints = [" ", " in ", ", ", "-", "'s ", "\t", " — ", "_", "\n", "", "\u200b", " (", ") "]
    texts = ["", " ", "."]
    texts += ["".join(phrase(chance) + chance.choice(joints) for _ in range(chance.randint(1, 5))) for _ in range(120)]
    cases = []
    for _ in range(400):
        text = chance.randrange(len(texts))
        pieces = [bent(chance, phrase(chance)), texts[text][chance.randint(0, 5) : chance.randint(6, 25)]]
        answers = chance.sample(pieces, chance.choice([0, 1, 1, 1, 2]))
        cases.append([text, answers, dpr.has_answer(answers, texts[text], tokenizer, "string")])
    rankings = []
    for _ in range(200):
        ranking = [chance.randrange(len(texts)) for _ in range(chance.randint(0, 8))]
        answers = [phrase(chance) for _ in range(chance.randint(1, 2))]
        hits = [dpr.has_answer(answers, texts[n], tokenizer, "string") for n in ranking]
        rankings.append([ranking, answers, [any(hits[:k]) for k in (1, 3, 5, 20)]])
    write("recall", {"texts": texts, "cases": cases, "rankings": rankings})


def paths(official: Callable[[str], Any]) -> None:
    chance = random.Random(14)
    measure = official("mdr_eval").measure
    cases = []
    for number in range(260):
        titles = [f"t{n}" for n in range(chance.randint(3, 9))]
        gold = chance.sample(titles, 2)
        chains = [[chance.choice(titles), chance.choice(titles)] for _ in range(chance.randint(0, 6))]
        if number % 3 == 0 and chains:
            chains[chance.randrange(len(chains))] = chance.choice([gold, gold[::-1]])
        k = chance.choice([1, 2, 5, 10])
        cases.append([chains, gold, k, *map(float, measure(chains[:k], gold))])
    write("paths", cases)


def trec(official: Callable[[str], Any]) -> None:
    import pytrec_eval

    chance = random.Random(15)
    wanted = {"ndcg", "ndcg_cut.1,3,10", "map", "map_cut.1,3,10", "recip_rank", "recall.1,3,10", "P.1,3,10", "set_P"}
    cases = []
    for _ in range(260):
        ids = [f"d{n}" for n in range(chance.choice([1, 3, 8, 20, 30]))]
        judged = {id: chance.choice([0, 0, 1, 1, 2, 3, -1]) for id in chance.sample(ids, chance.randint(1, len(ids)))}
        if max(judged.values()) <= 0:  # trec_eval never ends when everything judged is below 0
            judged = dict.fromkeys(judged, 0)
        found = chance.sample(ids, chance.randint(0, len(ids)))
        scores = {id: chance.choice([0.5, 1.0, 1.5, 2.0, 4.0, 8.0, 16.0, 2.0 * len(id)]) for id in found}
        measured = pytrec_eval.RelevanceEvaluator({"q": judged}, wanted).evaluate({"q": scores})["q"]
        cases.append([scores, judged, measured])
    write("trec", cases)


def quest(official: Callable[[str], Any]) -> None:
    chance = random.Random(16)
    program = official("quest_eval")
    cases = []
    for _ in range(240):
        ids = [f"e{n}" for n in range(chance.choice([2, 6, 30]))]
        gold = chance.sample(ids, chance.randint(1, min(len(ids), 25)))
        said = chance.choice([[], gold, chance.choices(ids, k=chance.randint(1, 30)), gold + chance.sample(ids, 2)])
        kinds = [
            chance.choice(["_", "_ or _", "_ and _", "_ that are not _"]),
            chance.choice(["films", "books", "plants"]),
        ]
        at = [list(program.analyze_retriever(said, gold, k)) for k in (1, 3, 20)]
        cases.append([said, gold, kinds, list(program.set_scores(said, gold)), at])
    averages = [
        [program.avg_by_key([case[2][by] for case in cases], [case[3][n] for case in cases]) for n in range(3)]
        for by in range(2)
    ]
    write("quest", {"cases": cases, "averages": averages})


def sharc(official: Callable[[str], Any]) -> None:
    chance = random.Random(18)
    evaluator = official("sharc_evaluator").CombinedEvaluator()
    words = "are you do i have a child under 16 or over the age limit ? , living in london yes no n't".split()

    def question() -> str:
        return " ".join(chance.choices(words, k=chance.randint(1, 12)))

    cases = []
    for _ in range(220):
        gold = [
            chance.choice(["yes", "no", "irrelevant", question(), question()]) for _ in range(chance.randint(1, 12))
        ]
        said = [
            chance.choice(
                [text, text, f"{text} {question()}", question(), "yes", "No", "irrelevant", "missing", "more"]
            )
            for text in gold
        ]
        result = evaluator.evaluate(gold, said)
        micro, macro = result["unrounded"]
        every = {"yes", "no", "irrelevant"} <= set(gold) and len(set(gold) - {"yes", "no", "irrelevant"}) > 0
        cases.append([gold, said, micro, macro if every else None, [result[f"bleu_{n}"] for n in range(1, 5)]])
    write("sharc", cases)


def words(official: Callable[[str], Any]) -> None:
    chance = random.Random(21)
    cut = official("spacy").blank("en")
    plain = "are you over the age of 16 and do live in Harwich or Leith".split()
    hard = """don't Can't wouldn't've you're we’ve I'm i'll She'd it's its Ann's the parents' who's whos cannot Cannot
        won’t WON'T let's dont im well wed id gonna y'all o'clock 'em rock'n'roll there're that'll
        5,000 £5,000 $4.50 50% 219kb 3.5m 20kg 10am 11p.m. 13am 5pm +44 2+2 3-4 1990-2001 10/12/2020 1,2 a,b 1st 7(a)
        U.S. u.s. U.K.-based i.e. e.g. Mr. Dr. Inc. Ltd. Jan. Sept. a. B. x.Y etc. no. No. AND. A.B.C. Ph.D.
        self-employed twenty--two mother—father north–south and/or w/o either/or on/off key:value x=y a<b
        www.example.org http://example.org/a?b=c, me@example.org example.org. (see gov.example)
        "quoted" “curled” ‘single’ 'plain' (bracket) [note] {x} ... wait...what …and ?! !! --- - – — * # ## §4 & B&I ~x
        © 20° naïve Zürcher Élan. café. *bold* _under_ half_a_mile ß. été.Après ;end end; C++ :x
        Who'd've they’d not've Must've shan't ain't ma'am ol' co. St. Sept.5 v.s. 12mm 7m² 1t 9G 30T""".split()
    glue = ["", "", "", "", ",", ".", "?", ")", "(", '"', "'", "’", "...", "-", "/", ":"]
    cases = []
    for _ in range(300):
        pieces = [
            chance.choice(hard) + chance.choice(glue) if chance.random() < 0.5 else chance.choice(plain)
            for _ in range(chance.randint(1, 9))
        ]
        text = " ".join(chance.choice(glue[:8]) + piece if chance.random() < 0.1 else piece for piece in pieces)
        cases.append([text, " ".join(token.text.lower() for token in cut(text)).split()])
    write("words", cases)


def write(name: str, value: Any) -> None:
    """As JSON, one case a line."""
    rows = value if isinstance(value, list) else None
    if rows is None:
        parts = ",\n".join(f"{json.dumps(key)}: {lines(part)}" for key, part in value.items())
        text = f"{{\n{parts}\n}}\n"
    else:
        text = lines(rows) + "\n"
    (HERE / f"{name}.json").write_text(text, encoding="utf8")


def lines(value: Any) -> str:
    if not isinstance(value, list):
        return json.dumps(value, separators=(",", ":"))
    return "[\n" + ",\n".join(json.dumps(row, separators=(",", ":")) for row in value) + "\n]"


def main() -> None:
    sys.path.insert(0, sys.argv[1])
    for make in (squad, hotpot, recall, paths, trec, quest, sharc, words):
        make(import_module)


if __name__ == "__main__":
    main()
