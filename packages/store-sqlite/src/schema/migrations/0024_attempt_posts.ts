/** How the post of each attempt was made: in which batch, and in which format. Attempts of before went alone, as envelopes. */
export const attemptPosts: ReadonlyArray<string> = [
  "ALTER TABLE attempt ADD COLUMN batch_id TEXT",
  "ALTER TABLE attempt ADD COLUMN format TEXT NOT NULL DEFAULT 'envelope'"
]
