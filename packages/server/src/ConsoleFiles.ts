/** The files of the console. The one-file server has another module in place of this one, which holds them. */
import type { ConsoleFile } from "@lead-signals/http"

/** Builds the console where its sources have changed since it was built. */
export const loadConsole = async (): Promise<ReadonlyArray<ConsoleFile>> => {
  const script = new URL("../../../scripts/console.mjs", import.meta.url).href
  const { builtConsole } = (await import(script)) as {
    readonly builtConsole: () => Promise<ReadonlyArray<ConsoleFile>>
  }
  return builtConsole()
}
