/** How long the pointer rests before a menu or tooltip opens, and how long it may be away before it closes. */
export const hoverMs = { open: 50, close: 70 } as const
