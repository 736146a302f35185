/** The id of the brand that was open last. */
const storageKey = "brand"

export const lastBrand = {
  read: (): string | null => localStorage.getItem(storageKey),
  write: (id: string): void => localStorage.setItem(storageKey, id)
}
