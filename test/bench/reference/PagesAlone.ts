/**
 * The floor of random pages: node:http and better-sqlite3 over the product's own file. It reads the rendered JSON of each lead of a page by the
 * lead's number, joins it, and sends the bytes that the product sends. Which leads those are it looks up in arrays of the numbers of all leads in
 * each order, made when it starts. It checks no key, counts and logs no request, and would see no write. Run with the file in DATABASE; prints
 * `Listening on …`.
 */
import { RenderedLeads } from "@lead-signals/domain"
import { Page } from "@lead-signals/domain/pure"
import Database from "better-sqlite3"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { sorts } from "../Shape.ts"

const brandId = 1

/** A missing score comes last in both directions. */
const columns: Readonly<Record<string, string>> = {
  createdAt: "created_at",
  updatedAt: "updated_at",
  name: "name_key",
  "score1:asc": "score_rank",
  "score1:desc": "score_rank_desc"
}

const db = new Database(process.env["DATABASE"], { readonly: true })
db.pragma("cache_size = -65536")

const numbersIn = (sort: string): Uint32Array => {
  const [field, direction] = sort.split(":")
  const column = columns[sort] ?? columns[field!]!
  const isReversed = direction === "desc" && field !== "score1"
  return Uint32Array.from(
    db
      .prepare(`SELECT id FROM lead WHERE brand_id = ? ORDER BY ${column}${isReversed ? " DESC" : ""}, id`)
      .pluck()
      .all(brandId) as Array<number>
  )
}

const orders = new Map(sorts.map((sort) => [sort, numbersIn(sort)]))
const rendered = db.prepare("SELECT shown FROM lead WHERE id = ?").pluck()

const bodyOf = (sort: string, page: Page.Page): string => {
  const numbers = orders.get(sort)!
  const offset = Page.offset(page)
  const leads: Array<string> = []
  db.exec("BEGIN")
  for (const id of numbers.subarray(offset, offset + page.pageSize)) {
    leads.push(RenderedLeads.restore(id, rendered.get(id) as string)!)
  }
  db.exec("COMMIT")
  const meta = {
    pagination: Page.pagination(page, numbers.length),
    sort,
    engagements: { detailIncluded: false }
  }
  return `{"data":[${leads.join(",")}],"meta":${JSON.stringify(meta)}}`
}

const server = createServer(({ url }, response) => {
  const [, sort, pageSize, page] = /\?sort=(\w+%3A\w+)&pageSize=(\d+)&page=(\d+)$/.exec(url!)!
  const body = Buffer.from(
    bodyOf(sort!.replace("%3A", ":"), { page: Number(page), pageSize: Number(pageSize) })
  )
  response.writeHead(200, { "content-type": "application/json", "content-length": body.length })
  response.end(body)
})
server.listen(0, "127.0.0.1", () =>
  process.stdout.write(`Listening on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
)
