CREATE TABLE enclaves (
    name text COLLATE "C" PRIMARY KEY,
    passages bigint NOT NULL,
    documents bigint NOT NULL,
    fingerprint text NOT NULL
);
CREATE TABLE files (
    enclave text NOT NULL,
    source text COLLATE "C" NOT NULL,
    stamp text NOT NULL,
    digest text NOT NULL,
    edition bigint NOT NULL,
    records bigint NOT NULL,
    complete integer NOT NULL,
    problem text,
    place text COLLATE "C" NOT NULL,
    PRIMARY KEY (enclave, source)
);
CREATE TABLE last_keys (name text PRIMARY KEY, key bigint NOT NULL);
INSERT INTO last_keys VALUES ('documents', 0), ('passages', 0);
CREATE TABLE documents (
    key bigint PRIMARY KEY,
    enclave text NOT NULL,
    id text COLLATE "C" NOT NULL,
    source text COLLATE "C" NOT NULL,
    kind text NOT NULL,
    title text NOT NULL,
    sections text NOT NULL,
    meta text NOT NULL,
    text text NOT NULL,
    UNIQUE (enclave, id)
);
CREATE INDEX documents_by_source ON documents (enclave, source);
CREATE TABLE editions (document bigint PRIMARY KEY, digest bytea NOT NULL, edition bigint NOT NULL);
CREATE TABLE passages (
    key bigint PRIMARY KEY,
    enclave text NOT NULL,
    id text COLLATE "C" NOT NULL,
    document bigint NOT NULL,
    start integer NOT NULL,
    stop integer NOT NULL,
    section text NOT NULL,
    text text,
    UNIQUE (enclave, id)
);
CREATE INDEX passages_by_document ON passages (document);
CREATE TABLE vectors (
    key bigint NOT NULL,
    encoder text NOT NULL,
    vector halfvec NOT NULL,
    PRIMARY KEY (key, encoder)
);
ALTER TABLE vectors ALTER COLUMN vector SET STORAGE PLAIN;
CREATE TABLE vector_counts (
    enclave text NOT NULL,
    encoder text COLLATE "C" NOT NULL,
    count bigint NOT NULL,
    PRIMARY KEY (enclave, encoder)
);
CREATE TABLE unpurged (enclave text PRIMARY KEY);
CREATE TABLE fields (
    enclave text NOT NULL,
    document bigint NOT NULL,
    kind text NOT NULL,
    sender text NOT NULL,
    recipients text NOT NULL,
    day text NOT NULL,
    PRIMARY KEY (enclave, document)
);
CREATE TABLE books (
    document bigint NOT NULL,
    navigator text NOT NULL,
    digest bytea NOT NULL,
    sentences bytea NOT NULL,
    wholes bytea NOT NULL,
    PRIMARY KEY (document, navigator)
);
CREATE TABLE sealed (enclave text COLLATE "C" PRIMARY KEY, digest bytea NOT NULL);
CREATE TABLE document_seals (document bigint PRIMARY KEY, digest bytea NOT NULL);
CREATE TABLE passage_seals (passage bigint PRIMARY KEY, name bigint NOT NULL, digest bytea NOT NULL);
CREATE TABLE pair_counts (enclave text PRIMARY KEY, count bigint NOT NULL, fingerprint text NOT NULL);
CREATE TABLE words (
    word text COLLATE "C" PRIMARY KEY,
    key bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
    passages bigint NOT NULL
);
CREATE TABLE postings (
    word bigint NOT NULL,
    key bigint NOT NULL,
    length integer NOT NULL,
    count integer NOT NULL,
    PRIMARY KEY (word, key) INCLUDE (length, count)
);
CREATE TABLE passage_words (key bigint PRIMARY KEY, length integer NOT NULL, words bigint[] NOT NULL);
CREATE TABLE word_totals (words bigint NOT NULL);
INSERT INTO word_totals VALUES (0);
