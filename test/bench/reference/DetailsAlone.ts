/**
 * The floor of drawn details: node:http over the product's own file and rows. It reads the lead and its newest engagements in the statements of
 * the product, renders them with its views, and sends the bytes that the product sends. It checks no key, counts and logs no request, and would see no
 * write. Run with the file in DATABASE; prints `Listening on …`.
 */
import { DriverConnection, renderedDetail } from "@lead-signals/store-sqlite/internal"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

const brandId = "1"

const sql = new DriverConnection(process.env["DATABASE"]!, { readonly: true, busyMillis: 1000 })
sql.pragma("cache_size = -65536")

const server = createServer(({ url }, response) => {
  const [, id] = /\/signals\/leads\/(\d+)$/.exec(url!)!
  const body = `{"data":${renderedDetail(sql, brandId, Number(id), "plain")!}}`
  response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) })
  response.end(body)
})
server.listen(0, "127.0.0.1", () =>
  process.stdout.write(`Listening on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
)
