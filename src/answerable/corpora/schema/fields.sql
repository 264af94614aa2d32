-- What filters go by (`fields.FieldRow`), made of each document. Days of files are those that `ingest` saw.
CREATE TABLE fields (
    enclave TEXT NOT NULL,
    document INTEGER NOT NULL,
    kind TEXT NOT NULL,
    sender TEXT NOT NULL,
    recipients TEXT NOT NULL,
    day TEXT NOT NULL,
    PRIMARY KEY (enclave, document)
) WITHOUT ROWID;
