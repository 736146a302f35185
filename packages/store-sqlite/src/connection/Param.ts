/** What a parameter of a statement can be. */
export type Param = string | number | null
