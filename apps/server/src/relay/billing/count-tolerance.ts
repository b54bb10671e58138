/** How often a vendor's count may be ours where nothing is hidden from us, and how much more: tokenizers differ, and templates add to prompts. */
export const timesMax = 5
export const moreMax = 1_000

/** Whether a count is more than another way of counting explains. */
export const isFarAbove = (reported: number, own: number): boolean => reported > timesMax * own + moreMax

/** Most calls of a model for one response that uses the vendor's tools, if the request does not limit them. */
export const loopsMax = 32

/** Contexts below this are not looked up. */
export const smallContext = 2_048
