import { channelStatus, logType, type MessageKey, messageText, type Settings } from '@sluice/contract'
import type { Db } from '../../db/connect.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { plainLog } from '../../ledger/log-entry.ts'
import { type Clock, nowSeconds } from '../../lib/clock.ts'
import { moveStatus } from './queries.ts'
import type { Tested } from './test-channel.ts'
import type { Done } from './work.ts'

/** Something about a channel that an administrator should hear of. */
export interface ChannelNews {
  readonly what: 'channel_disabled' | 'channel_enabled' | 'channel_slow'
  readonly channelId: number
  readonly name: string
  /** In English, without secrets; empty where there is nothing to say. */
  readonly reason: string
}

/** The program's own decisions about channels: status 1 to 3 and back. What a person disabled (2) it never touches. */
export interface ChannelStatusKeeper {
  /** A vendor refused the key of a channel while it served. @returns whether it was disabled for it */
  keyRefused(refusal: { readonly channelId: number; readonly keySealed: string; readonly reason: string }): Promise<boolean>
  /** Acts on what a run of tests found. `channel` is as it was before its test. */
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
  readonly ledger: Ledger
  readonly clock: Clock
  readonly settings: () => Settings
  readonly notify: (news: ChannelNews) => void
  /** Tells the relay that channels are not what they were. */
  readonly changed: () => void
}

/** A vendor's words are kept only so far. */
const reasonMax = 500

export function createChannelStatus({ db, ledger, clock, settings, notify, changed }: StatusDeps): ChannelStatusKeeper {
  /** Writes down and tells what the program did. */
  async function tell(news: ChannelNews, key: MessageKey): Promise<void> {
    changed()
    const content = messageText(key, { id: news.channelId, name: news.name, reason: news.reason })
    const what = { type: logType.system, content, channelId: news.channelId }
    await ledger.writeLog(plainLog({ userId: 0, username: '', createdAt: nowSeconds(clock), ...what }))
    notify(news)
  }

  /** `false`: the channel is not as it was when this was decided, so somebody else has decided meanwhile. */
  async function disable(id: number, keySealed: string, reason: string): Promise<boolean> {
    const name = await moveStatus(db, { id, keySealed }, { from: channelStatus.enabled, to: channelStatus.autoDisabled })
    if (name !== null) await tell({ what: 'channel_disabled', channelId: id, name, reason }, 'log_channel_disabled')
    return name !== null
  }

  /** The same. */
  async function enable(id: number, keySealed: string): Promise<boolean> {
    const name = await moveStatus(db, { id, keySealed }, { from: channelStatus.autoDisabled, to: channelStatus.enabled })
    if (name !== null) await tell({ what: 'channel_enabled', channelId: id, name, reason: '' }, 'log_channel_enabled')
    return name !== null
  }

  /** Why a channel that serves should not, in words; `null`: nothing speaks against it. */
  function faultOf({ isKeyRefused, message, elapsedMs }: Tested): string | null {
    if (isKeyRefused) return message
    const limit = settings().ChannelDisableThreshold
    const isTooSlow = limit > 0 && elapsedMs > limit * 1000
    return isTooSlow ? messageText('channel_too_slow', { seconds: (elapsedMs / 1000).toFixed(2), limit }) : null
  }

  async function takeOut(
    { id, name, key_sealed: keySealed }: Testable,
    { isOk, mayDisable }: Tested,
    fault: string,
  ): Promise<Done['became']> {
    if (mayDisable && settings().AutomaticDisableChannelEnabled) return (await disable(id, keySealed, fault)) ? 'disabled' : 'kept'
    if (isOk) notify({ what: 'channel_slow', channelId: id, name, reason: fault })
    return 'kept'
  }

  async function takeBack({ id, key_sealed: keySealed }: Testable): Promise<Done['became']> {
    return settings().AutomaticEnableChannelEnabled && (await enable(id, keySealed)) ? 'enabled' : 'kept'
  }

  return {
    async keyRefused({ channelId, keySealed, reason }) {
      return settings().AutomaticDisableChannelEnabled && (await disable(channelId, keySealed, reason.slice(0, reasonMax)))
    },

    async judge(channel, tested) {
      const fault = faultOf(tested)
      if (channel.status === channelStatus.enabled) return fault === null ? 'kept' : await takeOut(channel, tested, fault)
      const isWell = channel.status === channelStatus.autoDisabled && tested.isOk && fault === null
      return isWell ? await takeBack(channel) : 'kept'
    },
  }
}
