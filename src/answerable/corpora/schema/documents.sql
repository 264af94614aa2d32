CREATE TABLE enclaves (
    name TEXT PRIMARY KEY,
    passages INTEGER NOT NULL,
    documents INTEGER NOT NULL,
    fingerprint TEXT NOT NULL
);
CREATE TABLE files (
    enclave TEXT NOT NULL,
    source TEXT NOT NULL,
    stamp TEXT NOT NULL,
    digest TEXT NOT NULL,
    edition INTEGER NOT NULL,
    records INTEGER NOT NULL,
    complete INTEGER NOT NULL,
    problem TEXT,
    place TEXT NOT NULL,
    PRIMARY KEY (enclave, source)
) WITHOUT ROWID;
CREATE TABLE documents (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    enclave TEXT NOT NULL,
    id TEXT NOT NULL,
    source TEXT NOT NULL,
    kind TEXT NOT NULL,
    title TEXT NOT NULL,
    sections TEXT NOT NULL,
    meta TEXT NOT NULL,
    text TEXT NOT NULL,
    UNIQUE (enclave, id)
);
CREATE INDEX documents_by_source ON documents (enclave, source);
CREATE TABLE editions (
    document INTEGER PRIMARY KEY,
    digest BLOB NOT NULL,
    edition INTEGER NOT NULL
);
CREATE TABLE passages (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    enclave TEXT NOT NULL,
    id TEXT NOT NULL,
    document INTEGER NOT NULL,
    start INTEGER NOT NULL,
    stop INTEGER NOT NULL,
    section TEXT NOT NULL,
    text TEXT,
    UNIQUE (enclave, id)
);
CREATE INDEX passages_by_enclave ON passages (enclave, key);
CREATE INDEX passages_by_document ON passages (document);
CREATE TABLE vector_counts (
    enclave TEXT NOT NULL,
    encoder TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (enclave, encoder)
) WITHOUT ROWID;
CREATE TABLE unpurged (enclave TEXT PRIMARY KEY) WITHOUT ROWID;
