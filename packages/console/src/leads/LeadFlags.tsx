/** The flags and the score of a lead, each to change, and to change back. */
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type FormEvent, useEffect, useState } from "react"
import { answerOf, api, type LeadDetail } from "../api/client.ts"
import { leadKey, leadsKey } from "../api/queries.ts"
import { Button } from "../ui/Button.tsx"
import { notify, notifyFailure } from "../ui/toasts.tsx"

type Amendment = Partial<Pick<LeadDetail, "qualified" | "exported" | "isEmployee" | "score1">>

const flags = [
  ["qualified", "Qualified"],
  ["exported", "Exported"],
  ["isEmployee", "Employee"]
] as const

const textOf = (amendment: Amendment): string => {
  if (amendment.score1 !== undefined)
    return amendment.score1 === null ? "Score removed" : `Score set to ${amendment.score1}`
  const [name, text] = flags.find(([name]) => amendment[name] !== undefined)!
  return amendment[name] === true
    ? `Marked as ${text.toLowerCase()}`
    : `No longer marked as ${text.toLowerCase()}`
}

/** What the lead has of the fields that an amendment changes. */
const valuesOf = (lead: LeadDetail, amendment: Amendment): Amendment =>
  Object.fromEntries(Object.keys(amendment).map((name) => [name, lead[name as keyof Amendment]]))

const useAmend = (brandId: string, lead: LeadDetail) => {
  const queryClient = useQueryClient()
  const key = leadKey(brandId, String(lead.id))
  return useMutation({
    mutationFn: async (body: Amendment) =>
      (
        await answerOf(
          api.PATCH("/operator/brands/{brandId}/leads/{id}", {
            params: { path: { brandId, id: String(lead.id) } },
            body
          })
        )
      ).data,
    onMutate: (amendment) => {
      const before = queryClient.getQueryData<LeadDetail>(key)
      queryClient.setQueryData<LeadDetail>(key, (detail) => detail && { ...detail, ...amendment })
      return before === undefined ? {} : valuesOf(before, amendment)
    },
    onError: (failure, _, before = {}) => {
      // The lead is read again below, but a server that can't be reached answers neither.
      queryClient.setQueryData<LeadDetail>(key, (detail) => detail && { ...detail, ...before })
      notifyFailure(failure)
    },
    onSettled: () =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: key }),
        queryClient.invalidateQueries({ queryKey: leadsKey(brandId) })
      ])
  })
}

const Score = ({
  onChange,
  score
}: {
  readonly score: number | null
  readonly onChange: (score: number | null) => void
}) => {
  const [text, setText] = useState(score === null ? "" : String(score))
  useEffect(() => setText(score === null ? "" : String(score)), [score])
  const isChanged = text !== (score === null ? "" : String(score))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isChanged) onChange(text === "" ? null : Number(text))
  }
  return (
    <form onSubmit={submit} className="flex items-center gap-2 text-sm">
      <label htmlFor="score" className="font-medium">
        Score
      </label>
      <input
        id="score"
        type="number"
        step="any"
        placeholder="None"
        className="field max-w-full min-w-24 tabular-nums [field-sizing:content]"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {isChanged ? <Button type="submit">Save</Button> : null}
    </form>
  )
}

/** For the scope `ingest`. A change shows at once, is taken back when the API refuses it, and has an undo for 10 s. */
export const LeadFlags = ({ brandId, lead }: { readonly brandId: string; readonly lead: LeadDetail }) => {
  const amend = useAmend(brandId, lead)
  const change = (amendment: Amendment) => {
    const before = valuesOf(lead, amendment)
    amend.mutate(amendment, {
      onSuccess: () => notify(textOf(amendment), () => amend.mutate(before))
    })
  }
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-3">
      <div className="flex flex-wrap gap-1.5">
        {flags.map(([name, text]) => (
          <button
            key={name}
            type="button"
            aria-pressed={lead[name]}
            onClick={() => change({ [name]: !lead[name] })}
            className={`touch:h-11 h-8 rounded-md border px-2.5 text-sm font-medium transition-colors ${lead[name] ? "bg-accent-soft border-accent text-accent" : "border-line text-muted hover:border-edge"}`}
          >
            {text}
          </button>
        ))}
      </div>
      <Score score={lead.score1} onChange={(score1) => change({ score1 })} />
    </div>
  )
}
