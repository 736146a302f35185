/** What one transaction did: removed the last rows, found nothing to remove, or removed some rows and left others. */
export type Piece = "gone" | "missing" | "some"

/** Rows of a small table, such as readings or hashes of erased persons, that one transaction removes at most. */
export const maxRowsPerPiece = 5000
