import type { ChannelRow } from '@sluice/contract'
import { useFormRow } from '../../crud/form-row.ts'

/** The stored channel that fills the form; `null` = the form is for a new one. */
export function useFormChannel(): ChannelRow | null {
  // Holds: the form of a channel is filled from a channel.
  return useFormRow() as ChannelRow | null
}
