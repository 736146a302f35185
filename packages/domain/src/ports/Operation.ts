/** What a method of a port does: it reads the store, writes it, or only waits. */
export type Operation = "read" | "write" | "wait"

/**
 * The operation of each method of a port; the compiler demands all of them. Decorators and simulators derive their lists of
 * methods from it.
 */
export type Operations<Port> = { readonly [Method in keyof Port]-?: Operation }
