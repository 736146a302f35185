/** A line for each link of the built site in the folder that leads to no page or anchor. */
export const deadLinks: (folder: string) => ReadonlyArray<string>
