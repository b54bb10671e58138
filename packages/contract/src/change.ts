import * as z from 'zod/mini'

/** Values of settings on the wire, by name. */
const values = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))

/** Changes that are kept of one option or channel: the newest ones. */
export const changesKept = 50

/** A change of an option or of a channel, with what is needed to undo it. */
export const changeRow = z.object({
  id: z.int(),
  /** Seconds since the epoch. */
  created_at: z.int(),
  /** The user name at that time. */
  changed_by: z.string(),
  /** What differs, before and after the change. */
  before: values,
  after: values,
  /** Names of secrets that were changed too: they are not kept. */
  hidden: z.array(z.string()),
})
export type ChangeRow = z.output<typeof changeRow>
