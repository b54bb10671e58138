/** How many lines a chart may have; all others are added up into one more. */
export const seriesLineCounts = [5, 10, 20, 50] as const
export type SeriesLineCount = (typeof seriesLineCounts)[number]
export const seriesLines: SeriesLineCount = 20
