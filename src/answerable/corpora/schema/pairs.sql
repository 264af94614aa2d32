-- `pair_origins`: what generated pairs or where they were imported from. `paired`: passages worked on, and by what.
CREATE TABLE pair_origins (
    key INTEGER PRIMARY KEY,
    enclave TEXT NOT NULL,
    imported INTEGER NOT NULL,
    name TEXT NOT NULL,
    UNIQUE (enclave, imported, name)
);
CREATE TABLE pairs (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    enclave TEXT NOT NULL,
    id TEXT NOT NULL,
    origin INTEGER NOT NULL,
    passage INTEGER,
    question TEXT NOT NULL,
    answers TEXT NOT NULL,
    score REAL NOT NULL,
    start INTEGER NOT NULL,
    stop INTEGER NOT NULL,
    UNIQUE (enclave, id)
);
CREATE INDEX pairs_by_enclave ON pairs (enclave, key);
CREATE INDEX pairs_by_passage ON pairs (passage);
CREATE INDEX pairs_by_origin ON pairs (origin);
CREATE TABLE paired (
    passage INTEGER PRIMARY KEY,
    origin INTEGER NOT NULL
);
CREATE TABLE pair_counts (
    enclave TEXT PRIMARY KEY,
    count INTEGER NOT NULL,
    fingerprint TEXT NOT NULL
) WITHOUT ROWID;
