/** The form that creates a brand, and opens it. */
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { type FormEvent, useState } from "react"
import { answerOf, api, messageOf } from "../api/client.ts"
import { brandsKey } from "../api/queries.ts"
import { Button } from "../ui/Button.tsx"
import { TextField } from "../ui/Field.tsx"

/** `onCreated` is called before the new brand opens. A failure stays below the field. */
export const NewBrandForm = ({ onCreated }: { readonly onCreated?: () => void }) => {
  const [name, setName] = useState("")
  const [navigate, queryClient] = [useNavigate(), useQueryClient()]
  const create = useMutation({
    mutationFn: async () => (await answerOf(api.POST("/operator/brands", { body: { name } }))).data,
    onSuccess: async ({ id }) => {
      await queryClient.invalidateQueries({ queryKey: brandsKey })
      onCreated?.()
      await navigate({ to: "/brands/$brandId", params: { brandId: id } })
    }
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate()
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <TextField
        label="Name of the brand"
        hint="A brand owns its signals, leads, keys and webhooks; nobody else's key sees them."
        required
        maxLength={256}
        autoFocus
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      {create.isError ? (
        <p role="alert" className="text-danger text-sm">
          {messageOf(create.error)}
        </p>
      ) : null}
      <Button type="submit" look="primary" className="self-end" disabled={create.isPending}>
        Create brand
      </Button>
    </form>
  )
}
