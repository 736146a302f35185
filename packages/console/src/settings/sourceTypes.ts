/** What a signal can watch, in words. */
import type { Signal } from "../api/client.ts"

/** A type of source that the API takes for new signals. */
export type SourceType = NonNullable<Signal["source"]["type"]>

interface SourceText {
  readonly text: string
  readonly value: string
  readonly placeholder: string
  readonly isUrl: boolean
}

/** How the form asks for each type: the name of its value, an example, and whether it is a URL. */
export const sourceTexts: Readonly<Record<SourceType, SourceText>> = {
  "li-company-url": {
    text: "A company's page",
    value: "URL of the page",
    placeholder: "https://network.example/company/rival",
    isUrl: true
  },
  "li-company-mention": { text: "Mentions of a company", value: "Words", placeholder: "Rival", isUrl: false },
  "li-profile-url": {
    text: "A person's profile",
    value: "URL of the profile",
    placeholder: "https://network.example/in/someone",
    isUrl: true
  },
  "post-url": {
    text: "One post",
    value: "URL of the post",
    placeholder: "https://network.example/posts/1",
    isUrl: true
  },
  "posts-with-keywords": {
    text: "Posts with words",
    value: "Words",
    placeholder: "event marketing",
    isUrl: false
  }
}
