import { dialectOf } from '@sluice/vendors/dialects'
import type { Logger } from 'pino'
import type { Db } from '../db/connect.ts'
import { AppError } from '../lib/app-error.ts'
import { type Clock, nowSeconds } from '../lib/clock.ts'
import type { Seal } from '../lib/seal.ts'
import type { Bill, Billing } from './bill.ts'
import type { Caller } from './callers.ts'
import { tierOf } from './candidates.ts'
import type { Channel, ChannelMap, Channels, Tier } from './channels.ts'
import { deleteAnswer, deleteAnswersBefore, findAnswer, saveAnswer } from './queries.ts'

/** Answers that vendors keep: who may ask for them again, and where. Their words are with the vendor alone. */
export interface KeptAnswers {
  /** Notes where an answer is kept. Never rejects: an answer that was made is not lost over it. */
  keep(bill: Bill, id: string): Promise<void>
  /** The channel that made an answer of this account. @throws AppError answer_not_found, answer_unreachable */
  channelOf(caller: Caller, id: string): Promise<Channel>
  /** Of the channels that a request may use, those that can go on from what it follows. @throws AppError answer_not_found, answer_unreachable */
  narrow(routed: Routed, caller: Caller, id: string): Promise<Routed>
  forget(caller: Caller, id: string): Promise<void>
}

interface Routed {
  readonly tiers: readonly Tier[]
  readonly group: string
}

interface KeptAnswersDeps {
  readonly db: Db
  readonly seal: Seal
  readonly clock: Clock
  readonly log: Logger
  readonly channels: Channels
}

/** OpenAI keeps responses for 30 days ("Conversation state", a stored copy read 2026-11-21); what leads to one for longer leads nowhere. */
const keptSeconds = 30 * 24 * 3600
/** Rows deleted at a time, so that nothing waits for long behind it. */
const sweepRows = 1_000
/** Longer than any id; what is longer is none. */
const idMax = 256

export function createKeptAnswers({ db, seal, clock, log, channels }: KeptAnswersDeps): KeptAnswers {
  /** An answer belongs to the vendor's account that made it: behind another key of the channel it is not found. */
  const keyLookup = ({ key }: Channel): string => seal.lookup(key, 'kept-answer')

  async function channelIn(map: ChannelMap, { userId, groups }: Caller, id: string): Promise<Channel> {
    const since = nowSeconds(clock) - keptSeconds
    const row = id.length > idMax ? undefined : await findAnswer(db, { userId, id, since })
    if (row === undefined) throw new AppError('answer_not_found', { params: { id: id.slice(0, 80) } })
    const channel = map.all.get(row.channel_id)
    const isReachable =
      channel?.isEnabled === true && channel.groups.some((group) => groups.includes(group)) && keyLookup(channel) === row.key_lookup
    if (!isReachable) throw new AppError('answer_unreachable', { params: { id } })
    return channel
  }

  return {
    async keep({ caller, channel, requestId }, id) {
      if (channel === null || id.length > idMax) return
      const { userId, tokenId } = caller
      const row = { user_id: userId, id, token_id: tokenId, channel_id: channel.id, key_lookup: keyLookup(channel) }
      try {
        await saveAnswer(db, { ...row, created_at: nowSeconds(clock) })
      } catch (err) {
        log.error({ err, requestId }, 'where an answer is kept could not be noted')
      }
    },
    async channelOf(caller, id) {
      return await channelIn(await channels.current(), caller, id)
    },
    async narrow(routed, caller, id) {
      if (!routed.tiers.some(({ channels: some }) => some.some(keepsAnswers)))
        throw new AppError('parameter_not_offered', { params: { name: 'previous_response_id' } })
      const { id: channelId } = await channelIn(await channels.current(), caller, id)
      const channel = routed.tiers.flatMap((tier) => tier.channels).find((usable) => usable.id === channelId)
      if (channel === undefined) throw new AppError('answer_unreachable', { params: { id } })
      return { ...routed, tiers: [tierOf([channel])] }
    },
    forget: ({ userId }, id) => deleteAnswer(db, { userId, id }),
  }
}

/** Billing that notes beside the charge what the vendor keeps, before the client hears the end. */
export function notingAnswers(billing: Billing, answers: Pick<KeptAnswers, 'keep'>): Billing {
  return {
    ...billing,
    settle(bill, end) {
      if (end.keptAs === undefined) return billing.settle(bill, end)
      return Promise.all([answers.keep(bill, end.keptAs), billing.settle(bill, end)]).then(() => {})
    },
  }
}

/** Where a chat stands in for the response, nobody keeps it. */
function keepsAnswers({ vendor }: Channel): boolean {
  return dialectOf(vendor, 'responses')?.standIn === undefined
}

/** Deletes what is older than vendors keep answers. */
export async function sweepKeptAnswers(db: Db, clock: Clock): Promise<void> {
  const before = nowSeconds(clock) - keptSeconds
  while (await deleteAnswersBefore(db, before, sweepRows));
}
