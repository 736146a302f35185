/** How menus look. */
export const menuPopupClass =
  "card flex max-h-[70vh] max-w-[90vw] min-w-48 flex-col overflow-y-auto p-1 text-sm shadow-xl outline-none"

export const menuItemClass =
  "flex min-h-8 cursor-default items-center gap-2 rounded px-2 outline-none select-none data-highlighted:bg-sunken"
