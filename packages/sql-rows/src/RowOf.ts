/** The types of rows, made from those of the values that they stand for. */

/** The name of the column that holds a field: `li_profile_url` for `liProfileUrl`. */
export type ColumnOf<Field extends string> = Field extends `${infer Letter}${infer Rest}`
  ? `${Letter extends Lowercase<Letter> ? Letter : `_${Lowercase<Letter>}`}${ColumnOf<Rest>}`
  : ""

/** A column that holds true or false: SQLite has 1 and 0 for them. */
export type BooleanColumn = boolean | number

/** Whether the column holds true. */
export const isTrue = (column: BooleanColumn): boolean => column === true || column === 1

/** The same in a column: null stays null. */
type Stored<Value, As> = As | Extract<Value, null>

/**
 * The row of a value: a column for each field, of the same type, apart from those in `Ids`, which are numbers, and those in `Json`, which
 * are its text.
 */
export type RowOf<Value, Ids extends keyof Value = never, Json extends keyof Value = never> = {
  readonly [Field in keyof Value & string as ColumnOf<Field>]: Field extends Ids
    ? Stored<Value[Field], number>
    : Field extends Json
      ? Stored<Value[Field], string>
      : [Value[Field]] extends [boolean]
        ? BooleanColumn
        : Value[Field]
}
