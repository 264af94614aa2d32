-- See `seals`. `sealed`: enclaves of which everything has one, and under no name the digest of the counts.
CREATE TABLE sealed (enclave TEXT PRIMARY KEY, digest BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE document_seals (document INTEGER PRIMARY KEY, digest BLOB NOT NULL);
CREATE TABLE passage_seals (passage INTEGER PRIMARY KEY, name INTEGER NOT NULL, digest BLOB NOT NULL);
