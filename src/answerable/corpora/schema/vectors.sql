-- A row of numbers as `units` packs it.
CREATE TABLE vectors (
    key INTEGER NOT NULL,
    encoder TEXT NOT NULL,
    vector BLOB NOT NULL,
    PRIMARY KEY (key, encoder)
) WITHOUT ROWID;
