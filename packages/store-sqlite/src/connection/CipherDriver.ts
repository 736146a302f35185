/**
 * Loads the optional driver that encrypts files. A bundler that puts everything into one file must replace this module for threads, as
 * `scripts/bundle.mjs` does: they look for the driver beside their bundle.
 */
import type BetterSqlite3 from "better-sqlite3"
import { createRequire } from "node:module"

/** The driver. Throws Node's error where it is not installed. */
export const cipherDriver = (): typeof BetterSqlite3 =>
  createRequire(import.meta.url)("better-sqlite3-multiple-ciphers") as typeof BetterSqlite3
