/** Delay until a menu or tooltip opens under the pointer, and until it closes after the pointer has left, in milliseconds. */
export const hoverMs = { open: 50, close: 70 } as const
