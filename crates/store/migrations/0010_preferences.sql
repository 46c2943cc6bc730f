-- What the shell remembers for a person wherever they sign in, such as that they have seen the tour.
CREATE TABLE preferences (
    user_id TEXT NOT NULL REFERENCES users (id),
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (user_id, name)
);
