/** Requests whose clients hold the end of the body back. */

/** A request whose body has not ended. */
export interface HeldBody {
  /** Sends the end of the body, and gives the answer. */
  readonly end: (text: string) => Promise<{ readonly status: number; readonly text: string }>
}

/** Posts the beginning of a body, as JSON unless the headers say otherwise. */
export const heldBody = (url: string, headers: Record<string, string>, begin: string): HeldBody => {
  const bytes = new TextEncoder()
  let body: ReadableStreamDefaultController<Uint8Array>
  const response = fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: new ReadableStream<Uint8Array>({
      start(controller) {
        body = controller
      }
    }),
    duplex: "half"
  } as RequestInit)
  const send = (text: string): void => body.enqueue(bytes.encode(text))
  send(begin)
  const end = async (text: string) => {
    send(text)
    body.close()
    const answer = await response
    return { status: answer.status, text: await answer.text() }
  }
  return { end }
}
