-- What the words of `search_texts` mean to a model, as a vector of bytes in Base64. Deleted when the words change.
CREATE TABLE search_vectors (
    number BIGINT PRIMARY KEY,
    model TEXT NOT NULL,
    vector TEXT NOT NULL
);
