/** What an operator has to look at: webhooks that fail, deliveries that died, keys at their limit, and rejected observations. */
import { Link } from "@tanstack/react-router"
import { Icon } from "../ui/Icon.tsx"
import { exactTime } from "../ui/Time.tsx"

/** One line of the list: the name as somebody wrote it, and what is wrong in our words. */
export interface Problem {
  /** What has the trouble. */
  readonly name: string
  readonly text: string
  /** The page that helps. */
  readonly page:
    | { readonly to: "webhook"; readonly id: string; readonly state?: string }
    | { readonly to: "keys" | "import" }
}

interface NeedsAHandProps {
  readonly brandId: string
  readonly problems: ReadonlyArray<Problem>
  readonly hasWebhooks: boolean
  /** When the server began to count refusals and rejections; undefined while that is not known. */
  readonly since: string | undefined
}

const className = "hover:bg-sunken touch:py-3 -mx-2 flex items-start gap-2 rounded-md px-2 py-1 text-sm"

const ProblemLink = ({
  brandId,
  problem: { name, page, text }
}: {
  readonly brandId: string
  readonly problem: Problem
}) => {
  const content = (
    <>
      <Icon name="alert" className="text-danger mt-0.5 size-4" />
      <span className="min-w-0 wrap-anywhere">
        <bdi className="font-medium">{name}</bdi> {text}
      </span>
    </>
  )
  if (page.to === "webhook")
    return (
      <Link
        to="/brands/$brandId/settings/webhooks/$webhookId"
        params={{ brandId, webhookId: page.id }}
        search={page.state === undefined ? {} : { state: page.state }}
        className={className}
      >
        {content}
      </Link>
    )
  return (
    <Link
      to={page.to === "keys" ? "/brands/$brandId/settings/keys" : "/brands/$brandId/import"}
      params={{ brandId }}
      className={className}
    >
      {content}
    </Link>
  )
}

/** Every problem as a link to the page that helps. Without one it says that all is well, or that there is no webhook that could fail. */
export const NeedsAHand = ({ brandId, hasWebhooks, since, problems }: NeedsAHandProps) => (
  <section aria-labelledby="needs-a-hand" className="card flex flex-col p-4">
    <h2 id="needs-a-hand" className="mb-3 text-sm font-semibold">
      Needs a hand
    </h2>
    {problems.length === 0 ? (
      <p className="text-muted flex items-center gap-2 text-sm">
        <Icon name="check" className="text-accent size-4" />
        {hasWebhooks ? "Nothing: every webhook delivers." : "Nothing: there is no webhook that could fail."}
      </p>
    ) : (
      <ul className="flex flex-col gap-2">
        {problems.map((problem) => (
          <li key={`${problem.name} ${problem.text}`}>
            <ProblemLink brandId={brandId} problem={problem} />
          </li>
        ))}
      </ul>
    )}
    {since === undefined ? null : (
      <p className="text-muted mt-3 text-xs">
        Rejected observations and refused requests are counted since the server started, {exactTime(since)}.
      </p>
    )}
  </section>
)
