import type { MessageKey, Settings } from '@sluice/contract'
import type { Db } from '../db/connect.ts'
import type { Clock } from '../lib/clock.ts'
import { createLru } from '../lib/lru.ts'
import type { Pusher } from '../outside/pusher.ts'
import type { Mailer } from '../outside/smtp.ts'
import { inBothLanguages } from './both-languages.ts'
import type { Outbox } from './outbox.ts'
import { listRootAddresses } from './queries.ts'

/** Something about a channel that an administrator should hear of. */
interface ChannelNews {
  readonly what: 'channel_disabled' | 'channel_enabled' | 'channel_slow'
  readonly channelId: number
  readonly name: string
  /** In English, without secrets; empty where there is nothing to say. */
  readonly reason: string
}

/** Tells the root account, by the message pusher or by mail. Returns at once and never fails. */
export type TellChannelNews = (news: ChannelNews) => void

interface NewsDeps {
  readonly db: Db
  readonly settings: () => Settings
  readonly clock: Clock
  readonly mailer: Mailer
  readonly pusher: Pusher
  readonly outbox: Outbox
}

interface Telling {
  readonly title: MessageKey
  readonly text: MessageKey
  /** For so long the same of the same channel is no news. */
  readonly quietMs: number
}

const tellings: Readonly<Record<ChannelNews['what'], Telling>> = {
  channel_disabled: { title: 'news_channel_disabled', text: 'news_channel_disabled_text', quietMs: 60_000 },
  channel_enabled: { title: 'news_channel_enabled', text: 'news_channel_enabled_text', quietMs: 60_000 },
  // Nothing becomes of it, so every round of tests would say it again.
  channel_slow: { title: 'news_channel_slow', text: 'news_channel_slow_text', quietMs: 3_600_000 },
}

const toldMax = 10_000

export function createTellChannelNews({ db, settings, clock, mailer, pusher, outbox }: NewsDeps): TellChannelNews {
  const codedText = createLru<string, number>(toldMax)

  async function send(title: string, text: string): Promise<void> {
    if (!pusher.isSet()) return await mailToRoot(title, text)
    // A pusher that fails must not swallow the news.
    await pusher.send({ title, text }).catch(() => mailToRoot(title, text))
  }

  async function mailToRoot(subject: string, text: string): Promise<void> {
    for (const to of await listRootAddresses(db)) await mailer.send({ to, subject, text })
  }

  return ({ what, channelId, name, reason }) => {
    const telling = tellings[what]
    const key = `${what} ${channelId}`
    const now = clock.monotonicMs()
    if (now - (codedText.get(key) ?? Number.NEGATIVE_INFINITY) < telling.quietMs) return
    codedText.set(key, now)
    const { title, text } = inBothLanguages(telling, { system: settings().SystemName, id: channelId, name, reason: reason || '-' })
    outbox.add(what, () => send(title, text))
  }
}
