/** What a method of a port does to the store: `wait` neither reads nor writes it. */
export type Operation = "read" | "write" | "wait"

/** The operation of each method, complete by the compiler. Decorators and simulators derive their lists from it. */
export type Operations<Port> = { readonly [Method in keyof Port]-?: Operation }
