/** A parameter of a statement. */
export type Param = string | number | null
