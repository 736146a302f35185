/** What every command line of the project ends with; each adds codes of its own. */
export const exitCodes = { done: 0, failed: 1, usage: 2, interrupted: 130, terminated: 143 }
