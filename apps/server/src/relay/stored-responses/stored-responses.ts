import { dialectOf } from '@sluice/vendors/dialects'
import type { Logger } from 'pino'
import type { Db } from '../../db/connect.ts'
import { AppError } from '../../lib/app-error.ts'
import { type Clock, nowSeconds } from '../../lib/clock.ts'
import type { Seal } from '../../lib/seal.ts'
import type { Billing, Charge } from '../billing/billing.ts'
import type { ReadRequest } from '../ingress/read-request.ts'
import type { AnswerEnd } from '../model/answer.ts'
import type { Caller } from '../model/caller.ts'
import type { Channel, ChannelMap, Route } from '../model/channel.ts'
import type { RequestParams } from '../model/request-params.ts'
import { tierOf } from '../routing/candidates.ts'
import type { Channels } from '../routing/channels.ts'
import { notOffered } from '../routing/not-offered.ts'
import { deleteResponse, deleteResponsesBefore, findResponse, saveResponses } from './response-queries.ts'
import { createStoredItems, idMax, rowsAtOnce } from './stored-items.ts'

/** Responses that can be referred to: owner and channel of each. The content is at the vendor, or sealed here if it stores none. */
export interface StoredResponses {
  /** Stores the channel of a response and its items, and items that no vendor stores. Never rejects: the answer was already made. */
  keep(charge: Charge, made: Pick<AnswerEnd, 'storedId' | 'items'>): Promise<void>
  /** The channel that made a response of this account. @throws AppError answer_not_found, answer_unreachable */
  channelOf(caller: Caller, id: string): Promise<Channel>
  /** Replaces references by the stored items, and records the makers of the remaining ones. @throws AppError answer_not_found */
  resolve(read: ReadRequest, caller: Caller): Promise<ReadRequest>
  /** Limits the channels to those that know what the request refers to. @throws AppError answer_not_found, answer_unreachable */
  narrow(route: Route, caller: Caller, params: RequestParams): Promise<Route>
  forget(caller: Caller, id: string): Promise<void>
}

interface StoredResponsesDeps {
  readonly db: Db
  readonly seal: Seal
  readonly clock: Clock
  readonly log: Logger
  readonly channels: Channels
}

/** OpenAI keeps responses for 30 days ("Conversation state", a stored copy read 2026-11-21), so older references are useless. */
const keptSeconds = 30 * 24 * 3600
/** Rows deleted per statement, so that other writes do not wait long. */
const sweepRows = 1_000

export function createStoredResponses({ db, seal, clock, log, channels }: StoredResponsesDeps): StoredResponses {
  /** A response belongs to the vendor account that made it: with another key of the channel it is not found. */
  const keyLookup = ({ key }: Channel): string => seal.lookup(key, 'kept-answer')

  async function channelIn(map: ChannelMap, { userId, groups }: Caller, id: string): Promise<Channel> {
    const since = nowSeconds(clock) - keptSeconds
    const row = id.length > idMax ? undefined : await findResponse(db, { userId, id, since })
    if (row === undefined) throw new AppError('answer_not_found', { params: { id: id.slice(0, 80) } })
    const channel = map.all.get(row.channel_id)
    const isReachable =
      channel?.isEnabled === true && channel.groups.some((group) => groups.includes(group)) && keyLookup(channel) === row.key_lookup
    if (!isReachable) throw new AppError('answer_unreachable', { params: { id } })
    return channel
  }

  const items = createStoredItems({ db, seal, keyLookup })

  return {
    async keep(charge, made) {
      const rows = items.rowsOf(charge, made, nowSeconds(clock))
      try {
        for (let start = 0; start < rows.length; start += rowsAtOnce) await saveResponses(db, rows.slice(start, start + rowsAtOnce))
      } catch (err) {
        log.error({ err, requestId: charge.requestId }, 'the location of a stored response could not be saved')
      }
    },
    async resolve(read, caller) {
      const since = nowSeconds(clock) - keptSeconds
      const resolved = await items.resolve(read.body, { userId: caller.userId, since })
      if (resolved === null) return read
      const { body, madeBy } = resolved
      return { ...read, body, params: { ...(await read.rules.read(body, {})), ...(madeBy.length === 0 ? {} : { madeBy }) } }
    },
    async channelOf(caller, id) {
      return await channelIn(await channels.current(), caller, id)
    },
    async narrow(route, caller, { follows, madeBy = [] }) {
      const usable = route.tiers.flatMap((tier) => tier.channels)
      if (follows !== undefined && !usable.some(storesResponses)) throw notOffered({ name: 'previous_response_id' })
      const made = follows === undefined ? null : await channelIn(await channels.current(), caller, follows)
      const [first] = madeBy
      const channelId = made?.id ?? first?.channelId
      const channel = usable.find(({ id }) => id === channelId)
      const other = madeBy.find(
        (maker) => channel === undefined || maker.channelId !== channel.id || maker.keyLookup !== keyLookup(channel),
      )
      if (other !== undefined)
        throw new AppError('answer_unreachable', { messageKey: 'item_unreachable', params: { id: other.id, name: 'input' } })
      if (channel === undefined) throw new AppError('answer_unreachable', { params: { id: follows ?? '' } })
      return { ...route, tiers: [tierOf([channel])], types: [channel.vendor.type] }
    },
    forget: ({ userId }, id) => deleteResponse(db, { userId, id }),
  }
}

/** Whether only the channel that made something in the request can serve it. */
export function isTied({ follows, madeBy }: RequestParams): boolean {
  return follows !== undefined || madeBy !== undefined
}

/** Wraps billing: stores the response with the charge, before the client sees the end. */
export function storingResponses(billing: Billing, storedResponses: Pick<StoredResponses, 'keep'>): Billing {
  return {
    ...billing,
    settle(charge, end) {
      if (end.storedId === undefined && end.items === undefined) return billing.settle(charge, end)
      return Promise.all([storedResponses.keep(charge, end), billing.settle(charge, end)]).then(() => {})
    },
  }
}

/** A response served by the fallback (a chat) is stored by no vendor. */
function storesResponses({ vendor }: Channel): boolean {
  return dialectOf(vendor, 'responses')?.fallbackKind === undefined
}

/** Deletes rows older than vendors keep responses. */
export async function sweepStoredResponses(db: Db, clock: Clock): Promise<void> {
  const before = nowSeconds(clock) - keptSeconds
  while (await deleteResponsesBefore(db, before, sweepRows));
}
