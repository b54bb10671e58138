import { type CodedMessage, channelStatus, codedMessageText, logType, type Settings } from '@sluice/contract'
import type { Db } from '../../db/connect.ts'
import { codedText, plainLog } from '../../ledger/log-entry.ts'
import { insertLog } from '../../ledger/log-queries.ts'
import { type Clock, nowSeconds } from '../../lib/clock.ts'
import { parseText } from '../../lib/parse-value.ts'
import { moveStatus } from './queries.ts'
import type { Tested } from './test-channel.ts'
import type { Done } from './work.ts'

/** A change of a channel that administrators are notified of. */
export interface ChannelNews {
  readonly what: 'channel_disabled' | 'channel_enabled' | 'channel_slow'
  readonly channelId: number
  readonly name: string
  /** In English, without secrets; empty = none. */
  readonly reason: string
}

/** Disables and enables channels automatically (status 1 to 3 and back). Channels that a person disabled (2) are never changed. */
export interface ChannelStatusKeeper {
  /** Called when a vendor refuses the key of a channel during a request. @returns whether the channel was disabled */
  keyRefused(refusal: { readonly channelId: number; readonly keySealed: string; readonly reason: string }): Promise<boolean>
  /** Acts on the result of a test. `channel` is its state before the test. */
  judge(channel: Testable, tested: Tested): Promise<Done['became']>
}

export interface Testable {
  readonly id: number
  readonly name: string
  readonly status: number
  readonly key_sealed: string
}

interface StatusDeps {
  readonly db: Db
  readonly clock: Clock
  readonly settings: () => Settings
  readonly notify: (news: ChannelNews) => void
  /** Adds the notifications of rules, in the transaction that disables the channel. */
  readonly disabled: (tx: Db, channel: { readonly id: number; readonly name: string; readonly reason: string }) => Promise<void>
  /** Notifies the relay that a channel has changed. */
  readonly changed: (id: number) => void
}

/** What belongs to a change of the status. */
interface Moved {
  /** The row of the log. */
  readonly says: (name: string) => CodedMessage
  /** Is written in the same transaction. */
  readonly also?: (tx: Db, name: string) => Promise<void>
}

/** Most characters of a vendor's text that are stored. */
const reasonMax = 500

const wordsOf = (reason: string | CodedMessage): string => (typeof reason === 'string' ? reason : codedMessageText(reason))

export function createChannelStatus({ db, clock, settings, notify, disabled, changed }: StatusDeps): ChannelStatusKeeper {
  /** Changes the status of a channel and logs it. @returns its name; `null` = the channel was changed meanwhile */
  async function move(
    channel: { readonly id: number; readonly keySealed: string },
    status: { readonly from: number; readonly to: number },
    { says, also }: Moved,
  ): Promise<string | null> {
    return await db.transaction().execute(async (tx) => {
      const name = await moveStatus(tx, channel, status)
      if (name === null) return null
      const what = { type: logType.system, ...codedText(says(name)), channelId: channel.id }
      await insertLog(tx, plainLog({ userId: 0, username: '', createdAt: nowSeconds(clock), ...what }))
      await also?.(tx, name)
      return name
    })
  }

  function announce(news: ChannelNews): void {
    changed(news.channelId)
    notify(news)
  }

  /** `false` = the channel was changed meanwhile, so nothing was done. */
  async function disable(id: number, keySealed: string, reason: string | CodedMessage): Promise<boolean> {
    const name = await move(
      { id, keySealed },
      { from: channelStatus.enabled, to: channelStatus.autoDisabled },
      {
        says: (known) => ({ code: 'log_channel_disabled', params: { id, name: known, reason } }),
        also: (tx, known) => disabled(tx, { id, name: known, reason: wordsOf(reason) }),
      },
    )
    if (name !== null) announce({ what: 'channel_disabled', channelId: id, name, reason: wordsOf(reason) })
    return name !== null
  }

  /** As `disable`. */
  async function enable(id: number, keySealed: string): Promise<boolean> {
    const name = await move(
      { id, keySealed },
      { from: channelStatus.autoDisabled, to: channelStatus.enabled },
      { says: (known) => ({ code: 'log_channel_enabled', params: { id, name: known } }) },
    )
    if (name !== null) announce({ what: 'channel_enabled', channelId: id, name, reason: '' })
    return name !== null
  }

  /** Why an enabled channel should be disabled; `null` = no reason. */
  function faultOf({ isKeyRefused, message, elapsedMs }: Tested): string | CodedMessage | null {
    if (isKeyRefused) return message
    const limit = settings().ChannelDisableThreshold
    const isTooSlow = limit > 0 && elapsedMs > limit * 1000
    return isTooSlow ? { code: 'channel_too_slow', params: { seconds: (elapsedMs / 1000).toFixed(2), limit } } : null
  }

  async function takeOut(
    { id, name, key_sealed: keySealed }: Testable,
    { isOk, mayDisable }: Tested,
    fault: string | CodedMessage,
  ): Promise<Done['became']> {
    if (mayDisable && settings().AutomaticDisableChannelEnabled) return (await disable(id, keySealed, fault)) ? 'disabled' : 'kept'
    if (isOk) notify({ what: 'channel_slow', channelId: id, name, reason: wordsOf(fault) })
    return 'kept'
  }

  async function takeBack({ id, key_sealed: keySealed }: Testable): Promise<Done['became']> {
    return settings().AutomaticEnableChannelEnabled && (await enable(id, keySealed)) ? 'enabled' : 'kept'
  }

  return {
    async keyRefused({ channelId, keySealed, reason }) {
      return settings().AutomaticDisableChannelEnabled && (await disable(channelId, keySealed, parseText(reason, reasonMax)))
    },

    async judge(channel, tested) {
      const fault = faultOf(tested)
      if (channel.status === channelStatus.enabled) return fault === null ? 'kept' : await takeOut(channel, tested, fault)
      const isWell = channel.status === channelStatus.autoDisabled && tested.isOk && fault === null
      return isWell ? await takeBack(channel) : 'kept'
    },
  }
}
