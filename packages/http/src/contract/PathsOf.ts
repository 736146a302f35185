/** Every field of a type, as paths with dots: in lists as in what they hold, in each form of a union. */
export type PathsOf<A> = A extends string | number | boolean
  ? never
  : A extends ReadonlyArray<infer Item>
    ? PathsOf<Item>
    : A extends object
      ? { [Key in keyof A & string]: Key | `${Key}.${PathsOf<NonNullable<A[Key]>>}` }[keyof A & string]
      : never
