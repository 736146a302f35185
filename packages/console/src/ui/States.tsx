/** What stands in the place of content that is loading, empty or missing, and what to do about it. */
import { type ReactNode, useEffect } from "react"
import { CallFailed, messageOf, Unreachable } from "../api/client.ts"
import { Button } from "./Button.tsx"
import { Icon, type IconName } from "./Icon.tsx"

const ReloadButton = () => (
  <button type="button" className="underline underline-offset-2" onClick={() => location.reload()}>
    reload the page
  </button>
)

const PageTitle = ({ children }: { readonly children: string }) => {
  useEffect(() => {
    document.title = `${children} · Lead Signals`
  }, [children])
  return <h1 className="font-medium">{children}</h1>
}

/** `children` say why there is nothing, `action` what to do about it. */
export const Empty = ({
  action,
  children,
  icon,
  isPage = false,
  title
}: {
  readonly title: string
  /** Whether it stands for a whole page, whose heading its title is. */
  readonly isPage?: boolean
  readonly icon: IconName
  readonly children?: ReactNode
  readonly action?: ReactNode
}) => (
  <div className="flex flex-col items-center gap-2 px-6 py-14 text-center">
    <span className="bg-sunken text-muted mb-1 flex size-10 items-center justify-center rounded-full">
      <Icon name={icon} className="size-5" />
    </span>
    {isPage ? <PageTitle>{title}</PageTitle> : <p className="font-medium">{title}</p>}
    <div className="text-muted max-w-md text-sm">{children}</div>
    {action === undefined ? null : <div className="mt-2">{action}</div>}
  </div>
)

interface FailureProps {
  readonly error: unknown
  readonly onRetry?: () => void
  readonly children?: ReactNode
}

/** A failure, in words, with the id by which the server's log has it. */
export const Failure = ({ children, error, onRetry }: FailureProps) => (
  <div role="alert" className="bg-danger-soft flex flex-wrap items-center gap-3 rounded-lg px-4 py-3">
    <Icon name="alert" className="text-danger size-4" />
    <div className="min-w-0 grow basis-60">
      <p className="text-sm wrap-anywhere">{messageOf(error)}</p>
      {children}
      {error instanceof CallFailed && error.requestId !== null ? (
        <p className="text-muted text-xs">
          Request <span className="font-mono">{error.requestId}</span>
        </p>
      ) : null}
    </div>
    {onRetry === undefined ? null : (
      <Button icon="retry" onClick={onRetry}>
        Try again
      </Button>
    )}
  </div>
)

/** A read that has failed and is repeated by itself, in words: what stands below is not its answer. */
export const Waiting = ({ reason }: { readonly reason: unknown }) => (
  <p role="status" className="bg-warn-soft text-warn rounded-md px-3 py-2 text-sm wrap-anywhere">
    {messageOf(reason)} The page tries again by itself.
  </p>
)

/** A page that could not be drawn. What the server says is the server's; the rest is the page's own mistake. */
export const PageFailure = ({ error, onRetry }: FailureProps) => (
  <div className="flex flex-col gap-3">
    <h1 className="text-lg font-semibold">The page could not be shown</h1>
    <Failure error={error} {...(onRetry === undefined ? {} : { onRetry })}>
      {error instanceof CallFailed || error instanceof Unreachable ? null : (
        <p className="text-muted mt-1 text-xs">
          Nothing was changed by that. If it fails again, <ReloadButton />; the other pages go on working.
        </p>
      )}
    </Failure>
  </div>
)

/** Lines where text will be. */
export const Loading = ({ lines = 6 }: { readonly lines?: number }) => (
  <div role="status" className="flex flex-col gap-3 p-4">
    <span className="sr-only">Loading</span>
    {Array.from({ length: lines }, (_, i) => (
      <div key={i} className={`bg-sunken h-4 animate-pulse rounded ${["w-3/4", "w-1/2", "w-2/3"][i % 3]}`} />
    ))}
  </div>
)
