import { doesHiddenWork } from '@sluice/vendors/registry/models/hidden-reasoning'
import { mayReason } from '@sluice/vendors/registry/models/output-limits'
import { type Channel, modelAt } from '../model/channel.ts'
import type { RequestParams } from '../model/request-params.ts'

/** Reasoning of a second, as slow models write them: less than any vendor bills for the time. */
const reasoningPerSecond = 50

/** Whether a vendor may bill more for a response than the words that it streams: reasoning, or what its tools read. */
export function mayWorkUnseen({ params, channel }: { readonly params: RequestParams; readonly channel: Channel | null }): boolean {
  const model = modelAt(channel, params.model)
  return params.mayHideOutput === true || params.use?.isWorking === true || worksUnseen(model)
}

/** Whether a model may write tokens that it does not show. */
export const worksUnseen = (model: string): boolean => mayReason(model) || doesHiddenWork(model)

/** Whether a vendor makes pieces, which it finishes and bills even if nobody waits. What it hears ends when no more is sent. */
export const isMade = ({ images = 0, characters = 0 }: RequestParams): boolean => images > 0 || characters > 0

/** Tokens of reasoning that were not shown, by the time without words. @param ms it lasted */
export const reasoningIn = (ms: number): number => Math.floor((ms / 1000) * reasoningPerSecond)
