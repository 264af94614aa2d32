-- Documents, there or not, that an imported pair without a passage names.
CREATE TABLE pair_owners (
    enclave TEXT NOT NULL,
    document TEXT NOT NULL,
    pair INTEGER NOT NULL,
    PRIMARY KEY (enclave, document, pair)
) WITHOUT ROWID;
CREATE INDEX pair_owners_by_pair ON pair_owners (pair);
