import type { Logger } from 'pino'
import type { Running } from '../../lib/running.ts'
import type { Channel } from '../model/channel.ts'
import type { Channels } from './channels.ts'
import { keyRefusalIn } from './retry.ts'

export interface KeyRefusal {
  readonly channelId: number
  /** The refused key as stored: it may have been replaced meanwhile. */
  readonly keySealed: string
  /** The vendor's message. */
  readonly reason: string
}

interface RefusalDeps {
  /** @returns whether the channel was disabled */
  readonly keyRefused: (refusal: KeyRefusal) => Promise<boolean>
  readonly running: Running
  /** Called for every channel that was disabled. */
  readonly disabled: (channelId: number) => void
  readonly log: Logger
}

/** Reports refused keys among the failures. Only a shutdown waits for the report; one report per channel runs at a time. */
export function createKeyRefusals({ keyRefused, running, disabled, log }: RefusalDeps): Channels['failed'] {
  const telling = new Set<number>()

  async function report({ id, keySealed }: Channel, reason: string): Promise<void> {
    const done = running.begin()
    try {
      if (await keyRefused({ channelId: id, keySealed, reason })) disabled(id)
    } catch (err) {
      log.error({ err, channel: id }, 'channel with rejected key not disabled')
    } finally {
      telling.delete(id)
      done()
    }
  }

  return (channel, failed) => {
    const reason = keyRefusalIn(failed)
    if (reason === null || !channel.settings.mayBeDisabled || telling.has(channel.id)) return
    telling.add(channel.id)
    void report(channel, reason)
  }
}
