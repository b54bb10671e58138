/**
 * The counts that charts show. `failures`: requests whose client stayed and did not get a whole response, whoever caused that. `cost`: what
 * vendors charge where that is known; `costed_quota`: the quota of the same requests.
 */
export const chartColumns = [
  'requests',
  'failures',
  'quota',
  'prompt_tokens',
  'completion_tokens',
  'elapsed_ms',
  'cost',
  'costed_quota',
] as const
export type ChartColumn = (typeof chartColumns)[number]

/**
 * The counts of every row of sums, in the order of its columns. `unserved`: requests that failed because of the server or a vendor. Those that
 * failed because of their clients, and those that nobody knows it of, are in neither of the two.
 */
export const countColumns = [...chartColumns, 'served', 'unserved'] as const
export type CountColumn = (typeof countColumns)[number]

/** Upper ends of the bands in which durations are counted, in milliseconds; a last band has no end. */
export const bandEnds = [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000] as const

/** Ends of responses that are not complete. */
export const brokenEnds = [
  'client_gone',
  'upstream_cut',
  'out_of_quota',
  'timed_out',
  'too_long',
  'shut_down',
  'failed',
  'crashed',
] as const

/** Of these, the ends of responses that the client did not get whole although it stayed connected. */
export const failedEnds = ['failed', 'upstream_cut', 'timed_out', 'too_long', 'crashed'] as const

const bands = [...bandEnds, 'more'] as const

/** The counts of `usage_times`: requests by the band of their duration, by that of their first byte, and by how they ended. */
export const elapsedColumns = bands.map((end) => `elapsed_${end}` as const)
export const firstByteColumns = bands.map((end) => `first_byte_${end}` as const)
export const endColumns = brokenEnds.map((end) => `ended_${end}` as const)
export const timeColumns = [...elapsedColumns, ...firstByteColumns, ...endColumns]
export type TimeColumn = (typeof timeColumns)[number]
