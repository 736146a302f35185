/** The id of the brand that was open last. */
const storageKey = "brand"

/** In the browser's storage, across sessions; null where none was opened. The brand may be gone, or not be the session's. */
export const lastBrand = {
  read: (): string | null => localStorage.getItem(storageKey),
  write: (id: string): void => localStorage.setItem(storageKey, id)
}
