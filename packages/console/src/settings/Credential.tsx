/** What keys and tokens of operators have in common: when they end, when they were used, and whether they can be revoked. */
import { Badge } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { ConfirmDialog } from "../ui/ConfirmDialog.tsx"
import { TextField } from "../ui/Field.tsx"
import { Name } from "../ui/Name.tsx"
import { openSecret } from "../ui/SecretDialog.tsx"
import { exactTime, Time } from "../ui/Time.tsx"

/** A key or a token, as lists have it: without its value. */
export interface Credential {
  readonly id: string
  /** The first characters of the value, to recognise it by. */
  readonly start: string
  readonly expiresAt: string | null
  readonly revokedAt: string | null
}

interface LabelProps {
  readonly credential: Credential
  readonly text: string
  /** Whether the table has a column with the start where it is wide. */
  readonly hasStartColumn?: boolean
}

/** What it is for, above how it begins. */
export const CredentialLabel = ({ credential, hasStartColumn = false, text }: LabelProps) => (
  <span className="flex min-w-0 flex-col">
    <span
      className={`font-medium wrap-anywhere ${credential.revokedAt === null ? "" : "text-muted line-through"}`}
    >
      <Name text={text} />
    </span>
    <code className={`text-muted font-mono text-xs ${hasStartColumn ? "sm:hidden" : ""}`}>
      {credential.start}…
    </code>
  </span>
)

const never = <span className="text-muted">Never</span>

/** When it ends. */
export const Expiry = ({ at }: { readonly at: string | null }) =>
  at === null ? never : <time dateTime={at}>{exactTime(at)}</time>

/** When it was used last. */
export const LastUse = ({ at }: { readonly at: string | null }) => (at === null ? never : <Time at={at} />)

interface ExpiryFieldProps {
  /** A day, or empty. */
  readonly value: string
  readonly onChange: (day: string) => void
}

const dayMillis = 86_400_000

/** The first day that has not begun, in UTC: the API makes nothing that has ended already. [AUTH-12] */
const tomorrow = (): string => new Date(Date.now() + dayMillis).toISOString().slice(0, 10)

/** Chooses the day at whose beginning a new one ends. */
export const ExpiryField = ({ onChange, value }: ExpiryFieldProps) => (
  <TextField
    label="Expires"
    hint="At the beginning of this day, UTC. Empty: never."
    type="date"
    min={tomorrow()}
    value={value}
    onChange={(event) => onChange(event.target.value)}
  />
)

const isExpired = ({ expiresAt }: Credential): boolean =>
  expiresAt !== null && Date.parse(expiresAt) <= Date.now()

interface StateProps {
  readonly credential: Credential
  /** Such as "the key crm". */
  readonly name: string
  /** Null where the reader may not. */
  readonly onRevoke: (() => void) | null
}

/** Its state, or the button that revokes it. */
export const CredentialState = ({ credential, name, onRevoke }: StateProps) => {
  if (credential.revokedAt !== null) return <Badge>Revoked</Badge>
  if (isExpired(credential)) return <Badge>Expired</Badge>
  if (onRevoke === null) return <Badge tone="good">Active</Badge>
  return (
    <Button onClick={onRevoke} aria-label={`Revoke ${name}`}>
      Revoke
    </Button>
  )
}

interface Created {
  readonly what: "key" | "token"
  readonly value: string
  /** The end of the sentence that says how programs send it. */
  readonly sentenceEnd: string
}

/** Shows a new one, once. */
export const openCredential = ({ sentenceEnd, value, what }: Created): void =>
  openSecret({
    title: `The new ${what}`,
    value,
    text: (
      <>
        The server keeps its hash alone. Programs send it as{" "}
        <code className="font-mono">Authorization: Bearer …</code>
        {sentenceEnd}
      </>
    )
  })

interface RevokeProps {
  readonly what: "key" | "token"
  readonly name: string
  readonly onConfirm: () => Promise<void>
  readonly onClose: () => void
}

/** Asks before it is revoked. */
export const RevokeDialog = ({ name, onClose, onConfirm, what }: RevokeProps) => (
  <ConfirmDialog title={`Revoke this ${what}`} does="Revoke for good" onConfirm={onConfirm} onClose={onClose}>
    Every {what === "key" ? "request" : "call"} with the {what} <strong>{name}</strong> is refused from now
    on, and its sessions in this console end. This can&apos;t be undone.
  </ConfirmDialog>
)
