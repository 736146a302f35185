/** Answers as they come over a socket, taken apart, and the one shape that errors have. */
import { expect } from "vitest"

export interface Parsed {
  readonly status: number
  readonly headers: string
  readonly body: any
}

export const parse = (text: string): Parsed => {
  const [head = "", body = ""] = text.split("\r\n\r\n")
  return {
    status: Number(head.split(" ")[1]),
    headers: head.toLowerCase(),
    body: body === "" ? null : JSON.parse(body)
  }
}

export const expectShape = ({ body, headers, status }: Parsed, wanted: number, code: string): void => {
  expect([status, body]).toEqual([wanted, { error: { code, message: expect.stringMatching(/\S/) } }])
  expect(headers).toContain("content-type: application/json")
  expect(headers).toContain("x-request-id: ")
}
