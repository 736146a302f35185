/** A name that somebody else chose: kept apart from what is beside it, and seen even where none of its characters can be. */
import { Marked } from "./Marked.tsx"

/** Whether a reader sees any of it. */
const isVisible = (text: string): boolean => /[^\p{C}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}]/u.test(text)

interface NameProps {
  readonly text: string
  /** What was searched for, which is marked. */
  readonly wanted?: string | undefined
  readonly className?: string
}

/** Isolated, so that its direction of writing changes nothing beside it; `wanted` is marked. */
export const Name = ({ className, text, wanted }: NameProps) => (
  <bdi className={className}>
    {isVisible(text) ? <Marked text={text} wanted={wanted} /> : <em>(no visible character)</em>}
  </bdi>
)
