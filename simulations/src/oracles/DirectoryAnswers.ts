/** What calls about brands, keys, tokens, signals and campaigns must be answered. [OPER-2, OPER-3, OPER-6, AUTH-4] */
import type { Call, Json, KnownFacts } from "../world/KnownFacts.ts"
import type { AccessReference } from "./AccessReference.ts"
import {
  type DirectoryReference,
  renderedBrand,
  renderedCampaign,
  renderedKey,
  renderedSignal,
  renderedToken
} from "./DirectoryReference.ts"
import {
  answerOf,
  type Expectations,
  type ExpectedAnswers,
  found,
  noContent,
  notFound
} from "./ExpectedAnswers.ts"
import type { KeyUses } from "./KeyUses.ts"
import { isSome } from "./OutboxRecords.ts"
import { bodyOf, operationOf } from "./Requests.ts"

const metricsRoute = "/operator/brands/{brandId}/campaigns/{id}/metrics"

/** The thing, if it is the brand's. */
export const ofBrand = <A extends { readonly brandId: string }>(
  things: ReadonlyMap<string, A>,
  brandId: string,
  id: string
): A | undefined => {
  const thing = things.get(id)
  return thing?.brandId === brandId ? thing : undefined
}

/** What the answers follow from. */
interface Known {
  readonly facts: KnownFacts
  readonly directory: DirectoryReference
  readonly access: AccessReference
  /** When keys and tokens were last used. */
  readonly keyUses: KeyUses
  readonly tokenUses: KeyUses
}

/** By what the store did. */
export const directoryAnswers = (
  { access, directory, facts, keyUses, tokenUses }: Known,
  expected: ExpectedAnswers
): Expectations => {
  const renamed = <A extends { name: string; readonly brandId?: string }>(
    call: Call,
    thing: A | undefined,
    name: string,
    view: (thing: A) => Json
  ): void => {
    if (thing !== undefined) thing.name = name
    expected.set(call, thing === undefined ? notFound : answerOf(200, view(thing)))
  }

  return {
    "brands.get": ({ args, call }) => {
      if (operationOf(call) === "DELETE /operator/brands/{brandId}")
        expected.set(call, answerOf(200, { deleted: !directory.brands.has(args[0]), leadsLeft: 0 }))
      else if (!directory.isThere(args[0])) expected.set(call, notFound)
      else if (call.route.endsWith("/observations"))
        expected.set(call, bodyOf(call).observations?.length === 0 ? answerOf(200, []) : found)
      return null
    },
    "brands.list": ({ call }) => {
      expected.set(
        call,
        answerOf(
          200,
          [...directory.brands.values()]
            .filter(({ id }) => access.brandIdsOf(call)?.includes(id) ?? true)
            .map(renderedBrand)
        )
      )
      return null
    },
    "brands.rename": ({ args, call }) => {
      renamed(call, directory.brands.get(args[0]), bodyOf(call).name, renderedBrand)
      return null
    },
    "brands.startDeletion": ({ args, call }) => {
      // An observation whose brand was read before finds no signal at its commit.
      for (const { id } of directory.of(directory.signals, args[0]))
        facts.brandOf(args[0])?.reference.deleteSignal(id)
      if (!directory.startDeletion(args[0], args[1])) expected.set(call, notFound)
      return null
    },
    "brands.finishDeletion": ({ answer, args, call }) => {
      if (answer === true) directory.finishDeletion(args[0])
      expected.set(call, answerOf(200, { deleted: answer, leadsLeft: 0 }))
      return null
    },
    "leads.removeSome": ({ answer, call }) => {
      expected.set(call, answerOf(200, { deleted: false, leadsLeft: answer }))
      return null
    },
    "keys.list": ({ answer, args, call }) => {
      // What a process counts in memory is not the store's.
      if (call.route.endsWith("/attention")) {
        expected.set(call, found)
        return null
      }
      const keys = directory.of(directory.keys, args[0])
      const rendered = keys.map((key, i) => renderedKey(key, answer[i]?.lastUsedAt ?? null))
      expected.set(call, answerOf(200, rendered))
      for (const [i, { id }] of keys.entries()) {
        const wrong = keyUses.rendered(id, answer[i]?.lastUsedAt ?? null)
        if (wrong !== null) return wrong
      }
      return null
    },
    "keys.revoke": ({ args, call }) => {
      const key = ofBrand(directory.keys, args[0], args[1])
      if (key !== undefined) key.revokedAt ??= args[2]
      expected.set(call, key === undefined ? notFound : noContent)
      return null
    },
    "accessTokens.list": ({ answer, call }) => {
      for (const [i, { id }] of [...directory.tokens.values()].entries()) {
        const wrong = tokenUses.rendered(id, answer[i]?.lastUsedAt ?? null)
        if (wrong !== null) return wrong
      }
      if (call.route === "/operator/tokens")
        expected.set(
          call,
          answerOf(
            200,
            [...directory.tokens.values()].map((token, i) =>
              renderedToken(token, answer[i]?.lastUsedAt ?? null)
            )
          )
        )
      return null
    },
    "accessTokens.revoke": ({ args, call }) => {
      const token = directory.tokens.get(args[0])
      if (token !== undefined) token.revokedAt ??= args[1]
      expected.set(call, token === undefined ? notFound : noContent)
      return null
    },
    "signals.list": ({ args, call }) => {
      expected.set(call, answerOf(200, directory.of(directory.signals, args[0]).map(renderedSignal)))
      return null
    },
    "signals.rename": ({ answer, args, call }) => {
      renamed(call, ofBrand(directory.signals, args[0], args[1]), bodyOf(call).name, renderedSignal)
      if (isSome(answer)) facts.brandOf(args[0])?.reference.renameSignal(args[1], bodyOf(call).name)
      return null
    },
    "signals.delete": ({ args, call }) => {
      expected.set(call, directory.remove(directory.signals, args[0], args[1]) ? noContent : notFound)
      facts.brandOf(args[0])?.reference.deleteSignal(args[1])
      return null
    },
    "campaigns.list": ({ args, call }) => {
      if (call.request.method === "GET")
        expected.set(call, answerOf(200, directory.of(directory.campaigns, args[0]).map(renderedCampaign)))
      return null
    },
    "campaigns.rename": ({ args, call }) => {
      renamed(call, ofBrand(directory.campaigns, args[0], args[1]), bodyOf(call).name, renderedCampaign)
      return null
    },
    "campaigns.delete": ({ args, call }) => {
      if (call.route.endsWith("/campaigns/{id}"))
        expected.set(call, directory.remove(directory.campaigns, args[0], args[1]) ? noContent : notFound)
      return null
    },
    "campaigns.putReading": ({ args, call }) => {
      expected.set(call, ofBrand(directory.campaigns, args[0], args[1]) === undefined ? notFound : found)
      return null
    },
    "campaigns.snapshot": ({ args, call }) => {
      // Answers a reading that was put, or an operator's metrics, whose figures `reference` judges as it does those of keys.
      if (ofBrand(directory.campaigns, args[0], args[1]) === undefined) expected.set(call, notFound)
      else if (operationOf(call) === `GET ${metricsRoute}`) expected.set(call, found)
      return null
    }
  }
}
