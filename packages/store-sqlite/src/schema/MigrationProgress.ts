/** Called with the fraction of a migration that is done, from 0 to 1; never by a migration without parts. */
export type Progress = (done: number) => void
