/** A person in a list. No picture is loaded: it would tell its host who looks at whom. */
const initialsOf = (name: string): string => {
  const words = name.split(/\s+/).filter((word) => /^\p{L}/u.test(word))
  const [first, last] = [words[0], words.length > 1 ? words.at(-1) : undefined]
  return [first, last]
    .map((word) => (word === undefined ? "" : (Array.from(word)[0] ?? "")))
    .join("")
    .toUpperCase()
}

/** The initials of the name on a disc, hidden from screen readers; "?" where the name has no letter. */
export const Avatar = ({
  className = "size-7 text-2xs",
  name
}: {
  readonly name: string
  readonly className?: string
}) => (
  <span
    aria-hidden="true"
    className={`bg-accent-soft text-accent inline-flex shrink-0 items-center justify-center rounded-full font-semibold ${className}`}
  >
    {initialsOf(name) || "?"}
  </span>
)
