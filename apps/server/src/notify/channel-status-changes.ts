import type { MessageKey, Settings } from '@sluice/contract'
import type { Db } from '../db/connect.ts'
import type { Clock } from '../lib/clock.ts'
import { eachAlone } from '../lib/each-alone.ts'
import { createLru } from '../lib/lru.ts'
import type { Pusher } from '../outside/pusher.ts'
import type { Mailer } from '../outside/smtp.ts'
import { inBothLanguages } from './both-languages.ts'
import type { Outbox } from './outbox.ts'
import { listRootAddresses } from './queries.ts'

/** A change of a channel that administrators are notified of. */
interface ChannelNews {
  readonly what: 'channel_disabled' | 'channel_enabled' | 'channel_slow' | 'usage_suspect'
  readonly channelId: number
  readonly name: string
  /** In English, without secrets; may be empty. */
  readonly reason: string
}

/** Notifies the root accounts through the message pusher, or by mail. Returns at once and never throws. */
export type ReportChannelNews = (news: ChannelNews) => void

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
  /** How long the same news about the same channel is not repeated. */
  readonly quietMs: number
}

const tellings: Readonly<Record<ChannelNews['what'], Telling>> = {
  channel_disabled: { title: 'news_channel_disabled', text: 'news_channel_disabled_text', quietMs: 60_000 },
  channel_enabled: { title: 'news_channel_enabled', text: 'news_channel_enabled_text', quietMs: 60_000 },
  // A slow channel is not disabled, so every test round would report it again.
  channel_slow: { title: 'news_channel_slow', text: 'news_channel_slow_text', quietMs: 3_600_000 },
  usage_suspect: { title: 'news_usage_suspect', text: 'news_usage_suspect_text', quietMs: 3_600_000 },
}

const entriesMax = 10_000

export function createChannelNotifier({ db, settings, clock, mailer, pusher, outbox }: NewsDeps): ReportChannelNews {
  const codedText = createLru<string, number>(entriesMax)

  async function send(title: string, text: string): Promise<void> {
    if (!pusher.isSet()) return await mailToRoot(title, text)
    // If the pusher fails, the news is mailed.
    await pusher.send({ title, text }).catch(() => mailToRoot(title, text))
  }

  async function mailToRoot(subject: string, text: string): Promise<void> {
    const failures: unknown[] = []
    const mailTo = eachAlone(
      (to: string) => mailer.send({ to, subject, text }),
      (error) => failures.push(error),
    )
    for (const to of await listRootAddresses(db)) await mailTo(to)
    // The outbox logs it.
    if (failures.length > 0) throw failures[0]
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
