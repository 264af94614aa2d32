CREATE TABLE books (
    document INTEGER NOT NULL,
    navigator TEXT NOT NULL,
    digest BLOB NOT NULL,
    sentences BLOB NOT NULL,
    wholes BLOB NOT NULL,
    PRIMARY KEY (document, navigator)
);
