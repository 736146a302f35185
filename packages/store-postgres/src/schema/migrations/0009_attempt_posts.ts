/** How the post of each attempt was made: in which batch, and in which format. Older nodes post alone, and as envelopes. */
export const attemptPosts = `
ALTER TABLE lead_signals.attempt
  ADD COLUMN batch_id text COLLATE "C",
  ADD COLUMN format text COLLATE "C" NOT NULL DEFAULT 'envelope'`
