/** Debian's Chromium, or the one that `CHROMIUM` names. Tests that need it are skipped where there is none. */
import { existsSync } from "node:fs"
import type { Browser } from "playwright-core"

const places = [
  process.env["CHROMIUM"],
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome"
]

export const chromiumPath = places.find((place) => place !== undefined && existsSync(place))

if (chromiumPath === undefined) {
  console.warn(
    "SKIPPED: the tests in a browser need Chromium, and there is none. Install it (Debian: apt-get install chromium), or name it in CHROMIUM."
  )
}

export const launchChromium = async (): Promise<Browser> => {
  // Few of the files that ask for Chromium start it.
  const { chromium } = await import("playwright-core")
  return chromium.launch({
    executablePath: chromiumPath!,
    // The user of this test may be root in a container.
    args: [
      "--no-sandbox",
      "--disable-dev-shm-usage",
      "--disable-gpu",
      // A name that is not this machine's own, to which browsers grant less over plain http.
      "--host-resolver-rules=MAP console.test 127.0.0.1"
    ]
  })
}
