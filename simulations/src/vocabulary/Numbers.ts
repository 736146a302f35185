/** Forms of numbers, booleans, choices and lists in bodies, and of those that stand in a query as text. */
import { type Form, invalid, otherTypes, Raw, refused, taken } from "./Form.ts"

/** Both included; null where the contract states none. */
export interface NumberBounds {
  readonly min: number | null
  readonly max: number | null
}

const largest = Number.MAX_SAFE_INTEGER

/** An integer in a body. */
export const integerForms = ({ max, min }: NumberBounds): ReadonlyArray<Form> => [
  ...(min === null
    ? []
    : [taken("the least", min), taken("one above the least", min + 1), refused("one too small", min - 1)]),
  ...(max === null
    ? []
    : [
        taken("the greatest", max),
        taken("one below the greatest", max - 1),
        refused("one too great", max === largest ? new Raw("9007199254740992") : max + 1)
      ]),
  taken("with a fraction of zero", new Raw("12.0"), { means: 12 }),
  taken("with an exponent", new Raw("1.2e1"), { means: 12 }),
  refused("a fraction", 1.5),
  refused("beyond the greatest double", new Raw("1e400")),
  refused("digits as a text", "7"),
  ...otherTypes("a number")
]

/** A number in a body. */
export const numberForms = ({ min }: NumberBounds): ReadonlyArray<Form> => [
  taken("zero", 0),
  taken("negative zero", new Raw("-0"), { means: 0 }),
  taken("a fraction", 0.1),
  taken("the greatest double", Number.MAX_VALUE),
  taken("the least double", Number.MIN_VALUE),
  taken("beyond the safe integers", 2 ** 60),
  min === null ? taken("negative", -2.5) : refused("negative", -0.5),
  refused("beyond the greatest double", new Raw("1e400")),
  refused("digits as a text", "7"),
  ...otherTypes("a number")
]

/** A boolean in a body. */
export const booleanForms: ReadonlyArray<Form> = [
  taken("true", true),
  taken("false", false),
  refused("true as a text", "true"),
  refused("one", 1),
  refused("zero", 0),
  ...otherTypes("true")
]

/** One of some words in a body. */
export const choiceForms = (choices: ReadonlyArray<string>): ReadonlyArray<Form> => [
  ...choices.map((choice) => taken(choice, choice)),
  refused("another word", "other"),
  refused("in upper case", choices[0]!.toUpperCase()),
  refused("with a space", ` ${choices[0]!}`),
  refused("two at once", choices.join(",")),
  refused("empty", ""),
  ...otherTypes()
]

/** The list of event types. It is kept once each, in the order of the contract. */
export const choicesForms = (choices: ReadonlyArray<string>): ReadonlyArray<Form> => [
  ...choices.map((choice) => taken(`only ${choice}`, [choice])),
  taken("all", choices),
  taken("all, in another order", choices.toReversed(), { means: choices }),
  taken("one twice", [choices[0], choices[0]], { means: [choices[0]] }),
  refused("empty", []),
  refused("with an unknown one", [choices[0], "other"], { ...invalid, names: "[1] " }),
  refused("with null", [null], { ...invalid, names: "[0] " }),
  refused("a list in a list", [[choices[0]]], { ...invalid, names: "[0] " }),
  ...otherTypes("an array")
]

/* In a query */

const positiveIntegers: ReadonlyArray<Form> = [
  taken("one", "1", { means: 1 }),
  taken("two", "2", { means: 2 }),
  taken("leading zeros", "003", { means: 3 }),
  taken("the greatest safe integer", String(largest), { means: largest })
]

const noPositiveIntegers: ReadonlyArray<Form> = [
  ["zero", "0"],
  ["zeros", "00"],
  ["negative", "-1"],
  ["with a plus", "+1"],
  ["a fraction", "2.5"],
  ["a fraction of zero", "1.0"],
  ["an exponent", "1e1"],
  ["hexadecimal", "0x10"],
  ["empty", ""],
  ["a space before", " 1"],
  ["a space after", "1 "],
  ["a line break after", "1\n"],
  ["a separator", "1,000"],
  ["full-width digits", "１"],
  ["Arabic digits", "١"],
  ["a superscript", "²"],
  ["beyond the safe integers", "9007199254740992"],
  ["beyond 64 bits", "18446744073709551617"],
  ["a word", "x"],
  ["NaN", "NaN"],
  ["U+0000", "1\u0000"]
].map(([name, value]) => refused(name!, value))

/** An integer of at least 1 in a query. [LIST-6, PAGE-5] */
export const queryIntegerForms: ReadonlyArray<Form> = [...positiveIntegers, ...noPositiveIntegers]

/** How many seconds a request waits for a change: a number of at most two digits, from 0 on; it would wait for longer than a run should. [CHG-6] */
export const waitForms: ReadonlyArray<Form> = [
  taken("zero", "0", { means: 0 }),
  taken("zeros", "00", { means: 0 }),
  taken("one", "1", { means: 1 }),
  taken("a leading zero", "02", { means: 2 }),
  refused("one more than it takes", "31"),
  refused("leading zeros", "003"),
  ...noPositiveIntegers.filter(({ name }) => name !== "zero" && name !== "zeros")
]

/** The size of a page, around its caps. [PAGE-4] */
export const pageSizeForms: ReadonlyArray<Form> = [
  ...[3, 24, 25, 26, 99, 100, 101].map((size) => taken(String(size), String(size), { means: size })),
  ...queryIntegerForms
]

/** A boolean in a query, in any letter case. [LIST-6] */
export const queryBooleanForms: ReadonlyArray<Form> = [
  ...["true", "TRUE", "tRuE"].map((text) => taken(text, text, { means: true })),
  ...["false", "FALSE", "False"].map((text) => taken(text, text, { means: false })),
  ...[
    ["empty", ""],
    ["one", "1"],
    ["zero", "0"],
    ["yes", "yes"],
    ["null", "null"],
    ["a space after", "true "],
    ["a space before", " false"],
    ["a line break after", "true\n"],
    ["full-width", "ｔｒｕｅ"],
    ["with a long s", "fal\u017fe"],
    ["two at once", "true,false"]
  ].map(([name, value]) => refused(name!, value))
]

/** One of some words in a query. */
export const queryChoiceForms = (choices: ReadonlyArray<string>): ReadonlyArray<Form> => [
  ...choices.map((choice) => taken(choice, choice)),
  refused("another word", "other"),
  refused("in upper case", choices[0]!.toUpperCase()),
  refused("empty", ""),
  refused("a space after", `${choices[0]!} `)
]

const sortFields = ["createdAt", "updatedAt", "score1", "name"] as const

/** The order of a list. A refusal lists the four fields. [SORT-1, SORT-2, SORT-3] */
export const sortForms: ReadonlyArray<Form> = [
  taken("empty", "", { means: ["createdAt", "desc"] }),
  ...sortFields.flatMap((field) =>
    ["asc", "desc"].map((direction) =>
      taken(`${field}:${direction}`, `${field}:${direction}`, { means: [field, direction] })
    )
  ),
  taken("direction in upper case", "name:ASC", { means: ["name", "asc"] }),
  taken("direction in mixed case", "score1:dEsC", { means: ["score1", "desc"] }),
  ...[
    ["a bare field", "createdAt"],
    ["a bare direction", ":asc"],
    ["no direction", "name:"],
    ["an unknown field", "headline:asc"],
    ["a field in another case", "createdat:asc"],
    ["an unknown direction", "name:up"],
    ["a third segment", "name:asc:desc"],
    ["two orders", "name:asc,score1:desc"],
    ["a space before", " name:asc"],
    ["a space after", "name:asc "],
    ["a space within", "name: asc"],
    ["a line break after", "name:asc\n"],
    ["full-width", "ｎａｍｅ:asc"],
    ["direction with a long s", "name:a\u017fc"],
    ["a member of every object", "constructor:asc"]
  ].map(([name, value]) => refused(name!, value, { ...invalid, names: sortFields.join(", ") }))
]
