/**
 * `npm run pictures`: takes the pictures of the console in docs/pictures, of the demo brand, in Debian's Chromium or the one that
 * CHROMIUM names.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync } from "node:fs"
import { createServer } from "node:http"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const { chromium } = createRequire(join(root, "test", "package.json"))("playwright-core")
const folder = join(root, "docs", "pictures")

const token = "a-token-of-the-pictures"

/** Starts a server on a demo in memory; resolves to it and to its URL. */
const startServer = () =>
  new Promise((resolve, reject) => {
    const server = spawn(process.execPath, [join(root, "scripts", "lead-signals.mjs")], {
      cwd: root,
      env: {
        ...process.env,
        PORT: "0",
        LEAD_SIGNALS_DATABASE: "memory",
        LEAD_SIGNALS_OPERATOR_TOKEN: token,
        LEAD_SIGNALS_WEBHOOK_ALLOW: "127.0.0.0/8"
      }
    })
    let out = ""
    server.stdout.on("data", (chunk) => {
      out += chunk
      const url = /^Listening on (\S+)$/m.exec(out)?.[1]
      if (url !== undefined) resolve({ server, url })
    })
    server.on("exit", (code) => reject(new Error(`the server ended with ${code}`)))
  })

/** A call of the operator's; answers its data. */
const callerOf =
  (url) =>
  async (path, body, method = body === undefined ? "GET" : "POST") => {
    const response = await fetch(`${url}/operator${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return response.status === 204 ? undefined : (await response.json()).data
  }

/** Keys and tokens of people and programs, as a brand that is in use has them. */
const makeCredentials = async (operate, url) => {
  for (const key of [
    { label: "CRM", requestsPerMinute: 600 },
    { label: "Sales dashboard", scopes: ["leads"], expiresAt: "2030-01-01T00:00:00Z" },
    { label: "Old export" }
  ])
    await operate("/brands/1/keys", key)
  const keys = await operate("/brands/1/keys")
  const old = keys.find(({ label }) => label === "Old export")
  await operate(`/brands/1/keys/${old.id}`, undefined, "DELETE")
  const tokens = [
    { name: "Collector", scopes: ["ingest"], brandIds: ["1"] },
    { name: "Sales desk", scopes: ["read", "ingest"], brandIds: ["1"], expiresAt: "2030-01-01T00:00:00Z" },
    { name: "Monitoring", scopes: ["read"] }
  ]
  for (const each of tokens) {
    const { token: value } = await operate("/tokens", each)
    // Each is used once.
    await fetch(`${url}/operator/brands/1/signals`, { headers: { authorization: `Bearer ${value}` } })
  }
}

/** A file of a collector, with rows that the service refuses. */
const importedFile = [
  "Name,External ID,Headline,Engagement id,Type,Comment,Date",
  "Ada Example,import-1,Head of Growth,import-e-1,comment,Where can I get it?,2026-01-02",
  "Bo Example,import-2,Buyer,import-e-2,comments,Nice,2026-01-02",
  "Cy Example,,Founder,import-e-3,reaction,,2026-01-03",
  "Di Example,import-4,Account Executive,import-e-4,repost,,yesterday"
].join("\r\n")

const importFile = async (page) => {
  await page.setInputFiles("#file", {
    name: "seen.csv",
    mimeType: "text/csv",
    buffer: Buffer.from(importedFile)
  })
  await page.getByLabel("Signal of rows that name none").selectOption({ index: 1 })
  await page.getByRole("button", { name: "Import", exact: true }).click()
  await page.getByRole("status").getByText("Done").waitFor()
}

/** A webhook of the demo brand with deliveries, some of which its receiver refuses; answers its path in the console. */
const makeWebhook = async (operate) => {
  let posts = 0
  const receiver = createServer((request, response) => {
    const status = ++posts % 7 === 3 ? 503 : 204
    request
      .resume()
      .on("end", () => setTimeout(() => response.writeHead(status).end(), 15 + ((posts * 37) % 90)))
  }).listen(0, "127.0.0.1")
  await once(receiver, "listening")
  const { id } = await operate("/brands/1/webhooks", {
    url: `http://127.0.0.1:${receiver.address().port}/crm`,
    events: ["lead2.created", "activity.detected"],
    description: "To the CRM"
  })
  for (let i = 0; i < 40; i++) {
    await operate(`/brands/1/webhooks/${id}/test`, {})
    await sleep(250)
  }
  return { path: `/brands/1/settings/webhooks/${id}`, close: () => receiver.close() }
}

/** Has six people seen by the demo brand's first signal, each time others by their ids. */
const observeFrom = (url) => {
  let seen = 0
  return async () => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
    const signals = await (await fetch(`${url}/operator/brands/1/signals`, { headers })).json()
    for (let n = 1; n <= 6; n++) {
      const id = `picture-${++seen}`
      const engagement = { id, type: "comment", trackedAt: new Date().toISOString() }
      const person = { extId: id, name: `Visitor ${n}`, headline: "Head of Growth" }
      const body = JSON.stringify({ observations: [{ signalId: signals.data[0].id, person, engagement }] })
      await fetch(`${url}/operator/brands/1/observations`, { method: "POST", headers, body })
    }
  }
}

const pagesOf = (webhook, observeSome) => [
  ["sign-in", "/", (page) => page.getByLabel("Operator token or API key").waitFor()],
  ["home", "/brands/1"],
  ["leads", "/brands/1/leads?qualified=true"],
  ["lead", "/brands/1/leads?search=sales&lead=12"],
  ["campaigns", "/brands/1/campaigns?days=30"],
  [
    "live",
    "/brands/1/live",
    async (page) => {
      await page.getByText("Connected", { exact: true }).waitFor()
      await observeSome()
      await page.getByRole("listitem").getByRole("link").nth(7).waitFor()
    }
  ],
  ["signals", "/brands/1/signals"],
  ["import", "/brands/1/import", importFile],
  ["keys", "/brands/1/settings/keys"],
  ["webhook", webhook],
  ["operators", "/brands/1/settings/operators"],
  ["audit", "/brands/1/settings/audit"],
  ["api", "/brands/1/api?operation=listLeads"],
  [
    "simulator",
    "/brands/1/simulator?scenario=swarm&seed=1&bug=lost-update",
    async (page) => {
      await page.getByRole("button", { name: "Run", exact: true }).click()
      await page.getByRole("heading", { name: /The counterexample/ }).waitFor({ timeout: 300_000 })
      await page.getByRole("heading", { name: "swarm", exact: false }).first().scrollIntoViewIfNeeded()
    }
  ]
]

const shapes = [
  { name: "wide", width: 1400, height: 900 },
  { name: "phone", width: 390, height: 800 }
]

const take = async (browser, url, pages, { height, name, width }, colorScheme) => {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme,
    reducedMotion: "reduce"
  })
  // A machine that is busy takes long.
  context.setDefaultTimeout(300_000)
  const page = await context.newPage()
  for (const [title, path, prepare] of pages) {
    await page.goto(`${url}/console${path}`)
    // A stream of events never ends.
    if (title !== "live") await page.waitForLoadState("networkidle")
    await prepare?.(page)
    await page.screenshot({ path: join(folder, `${title}-${name}-${colorScheme}.png`) })
    // It comes first: the other pages need a session.
    if (title === "sign-in") await context.request.post(`${url}/session`, { data: { credential: token } })
  }
  await context.close()
}

mkdirSync(folder, { recursive: true })
const { server, url } = await startServer()
const operate = callerOf(url)
const webhook = await makeWebhook(operate)
await makeCredentials(operate, url)
const pages = pagesOf(webhook.path, observeFrom(url))
const browser = await chromium.launch({
  executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
})
for (const shape of shapes) {
  for (const colorScheme of ["light", "dark"]) await take(browser, url, pages, shape, colorScheme)
}
await browser.close()
webhook.close()
server.removeAllListeners("exit").kill()
process.stdout.write(`Wrote ${pages.length * shapes.length * 2} pictures into docs/pictures\n`)
