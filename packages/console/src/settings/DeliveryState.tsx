/** The state of a delivery, in a word. */
import type { Delivery } from "../api/client.ts"
import { Badge, type Tone } from "../ui/Badge.tsx"

const tones: Readonly<Record<Delivery["state"], Tone>> = {
  pending: "plain",
  delivered: "good",
  dead: "bad",
  held: "warn"
}

/** The state as a badge: dead is red, held is yellow. */
export const DeliveryState = ({ state }: { readonly state: Delivery["state"] }) => (
  <Badge tone={tones[state]}>{state}</Badge>
)
