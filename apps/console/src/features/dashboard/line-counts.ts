import type { SeriesLineCount } from '@sluice/contract'

// Here and not in the contract: what it exports as values is part of every page.

/** How many names may have a line of their own. */
export const lineCounts = [5, 10, 20, 50] as const satisfies readonly SeriesLineCount[]

export const usualLineCount: SeriesLineCount = 20

/** The number in an address; another one is the usual one. */
export const lineCountOf = (lines: number | undefined): SeriesLineCount => lineCounts.find((count) => count === lines) ?? usualLineCount
