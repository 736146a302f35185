/** How far long work has come: a line that is written over on a terminal, a plain line now and then elsewhere. */
const plainEveryMillis = 10_000
const width = 24

/** Writes to standard error. `clear` takes the line of a terminal away before something is printed. */
export class Progress {
  private readonly isTerminal = process.stderr.isTTY === true
  private printedAt = performance.now()

  constructor(private readonly isSilent = false) {}

  /** `share` from 0 to 1; null where nobody knows how much there is. */
  update(share: number | null, text: string): void {
    if (this.isSilent) return
    if (this.isTerminal) {
      const full = Math.round((share ?? 0) * width)
      const bar = share === null ? "" : `${"█".repeat(full)}${"░".repeat(width - full)} `
      process.stderr.write(`\r\u001b[2K${bar}${text}`)
    } else if (performance.now() - this.printedAt > plainEveryMillis) {
      this.printedAt = performance.now()
      process.stderr.write(`${text}\n`)
    }
  }

  /** Takes the line away, so that something can be printed. */
  clear(): void {
    if (!this.isSilent && this.isTerminal) process.stderr.write("\r\u001b[2K")
  }
}
