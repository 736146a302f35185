import type { Oracle } from "./Oracle.ts"

/** The same id is the same bytes, on every retry and after every restart. [EVT-5] */
export const oneBodyPerId: Oracle = {
  name: "one body per id",
  instantiate: () => {
    const bodies = new Map<string, string>()
    return {
      posted: ({ body, envelope, id, index, message }) => {
        if (index === 0) {
          const sent = bodies.get(message.id) ?? message.body
          bodies.set(message.id, message.body)
          if (sent !== message.body) return `${message.id} came with two bodies`
        }
        if (envelope.id !== id) return `webhook-id ${id}, but the envelope says ${envelope.id}`
        const known = bodies.get(id) ?? body
        bodies.set(id, body)
        return known === body ? null : `${id} came with two bodies`
      }
    }
  }
}
