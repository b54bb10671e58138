import * as z from 'zod/mini'

/** The result of one test. */
export const channelTestRow = z.object({
  channel: z.int(),
  created_time: z.int(),
  model: z.string(),
  passed: z.boolean(),
  /** Duration of the test in milliseconds, also if it failed. */
  elapsed_time: z.int(),
  /** Why it failed; empty if it passed. */
  message: z.string(),
})

export type ChannelTestRow = z.output<typeof channelTestRow>

/** A channel of the board: no more than it takes to sort all of them by state. */
export const channelBoardRow = z.object({
  id: z.int(),
  name: z.string(),
  status: z.int(),
  /** Whether its last test failed; a channel without tests has not failed. */
  test_failed: z.boolean(),
})
export type ChannelBoardRow = z.output<typeof channelBoardRow>

/** An open or half-open circuit, or a cooldown that a vendor requested, as seen by this server since it started. */
export const channelHealthRow = z.object({
  channel: z.int(),
  /** Kind of call, such as `chat`, and the vendor's model; both empty: the whole channel. */
  kind: z.string(),
  model: z.string(),
  /** For how many tokens the circuit is open, if it is open for those that met failures only; 0: for all. */
  tokens: z.int(),
  /** `open`: no requests are sent; `half_open`: a few are, as a trial; `cooling`: the vendor requested a pause. */
  state: z.enum(['open', 'half_open', 'cooling']),
  /** Seconds until requests are sent again; 0: they are. */
  rest_seconds: z.int(),
})
export type ChannelHealthRow = z.output<typeof channelHealthRow>

/** Progress of a run over many channels. There is one run at a time; the last one can still be read after its end. */
export const channelWork = z.object({
  /** Empty: there was no run since the server started. */
  work: z.enum(['', 'test', 'balance']),
  scope: z.enum(['all', 'disabled']),
  running: z.boolean(),
  total: z.int(),
  done: z.int(),
  failed: z.int(),
  /** Channels that the run disabled and enabled. */
  disabled: z.int(),
  enabled: z.int(),
  started_time: z.int(),
  /** 0 while it runs. */
  ended_time: z.int(),
})
export type ChannelWork = z.output<typeof channelWork>
