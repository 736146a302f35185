/** Light or dark: the system's choice, unless the user has made one. */
import { useState } from "react"

const themes = ["system", "light", "dark"] as const

/** "system" follows the setting of the system as it changes. */
export type Theme = (typeof themes)[number]

const storageKey = "theme"

const storedTheme = (): Theme => {
  const stored = localStorage.getItem(storageKey)
  return themes.find((theme) => theme === stored) ?? "system"
}

/** Without an argument the choice that the browser keeps. Called before the first content, so that no other theme flashes up. */
export const applyTheme = (theme: Theme = storedTheme()): void => {
  if (theme === "system") delete document.documentElement.dataset["theme"]
  else document.documentElement.dataset["theme"] = theme
}

/** The theme, and a function that chooses the next. */
export const useTheme = (): readonly [Theme, () => void] => {
  const [theme, setTheme] = useState(storedTheme)
  const next = () => {
    const chosen = themes[(themes.indexOf(theme) + 1) % themes.length]!
    localStorage.setItem(storageKey, chosen)
    applyTheme(chosen)
    setTheme(chosen)
  }
  return [theme, next]
}
