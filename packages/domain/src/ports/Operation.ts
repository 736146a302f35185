/** The kind of a method of a port: it reads the store, writes it, or, for `wait`, does neither. */
export type Operation = "read" | "write" | "wait"

/**
 * The operation of each method of a port; the compiler demands all of them. Decorators and simulators derive their
 * lists from it.
 */
export type Operations<Port> = { readonly [Method in keyof Port]-?: Operation }
