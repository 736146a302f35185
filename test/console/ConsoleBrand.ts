/** A brand that tests of the console begin with. */
import type { ConsoleServer } from "./ConsoleBrowser.ts"

/** Makes a brand with a signal, and a lead of each name that has engaged once: `e-0` of `p-0`, and so on. Answers their ids. */
export const setUpConsoleBrand = async (
  server: ConsoleServer,
  names: ReadonlyArray<string>
): Promise<{ readonly brand: string; readonly signal: string }> => {
  const brand = (await server.operate("POST", "/operator/brands", { name: "Northwind" })).data.id as string
  const signal = await server.operate("POST", `/operator/brands/${brand}/signals`, {
    name: "Rivals",
    signalType: "mentions",
    source: { type: "posts-with-keywords", value: "launch" }
  })
  await server.operate("POST", `/operator/brands/${brand}/observations`, {
    observations: names.map((name, i) => ({
      signalId: signal.data.id,
      person: { extId: `p-${i}`, name, headline: "Buyer" },
      engagement: { id: `e-${i}`, type: "comment", commentText: name }
    }))
  })
  return { brand, signal: signal.data.id as string }
}
