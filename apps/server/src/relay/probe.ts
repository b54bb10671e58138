import { messageText, preferredTestModel } from '@sluice/contract'
import type { Db } from '../db/connect.ts'
import { AppError } from '../lib/app-error.ts'
import { nowSeconds } from '../lib/clock.ts'
import { attempt } from './attempt.ts'
import { type Call, parseChat } from './call.ts'
import type { Channel } from './channels.ts'
import { saveTestResult } from './queries.ts'
import type { Parts } from './relay.ts'
import type { ProbeResult, Relay } from './relay-deps.ts'
import { errorOf } from './retry.ts'

interface ProbeDeps {
  readonly parts: Parts
  readonly db: Db
  readonly newId: () => string
}

/** Tests one channel with a small chat. Nobody is charged; the time and its moment are kept on the channel. */
export function createProbe({ parts, db, newId }: ProbeDeps): Relay['probe'] {
  return async (channelId, wanted) => {
    const channel = (await parts.channels.current()).all.get(channelId)
    if (channel === undefined) throw new AppError('not_found', { params: { what: 'channel' } })
    const model = modelFor(channel, wanted)
    const startedMs = parts.clock.monotonicMs()
    const message = await tryChat(channel, model, { parts, db, newId })
    const elapsedMs = Math.max(1, Math.round(parts.clock.monotonicMs() - startedMs))
    const isOk = message === ''
    await saveTestResult(db, channelId, { elapsedMs: isOk ? elapsedMs : 0, atSeconds: nowSeconds(parts.clock) })
    return { isOk, elapsedMs, model, message } satisfies ProbeResult
  }
}

function modelFor(channel: Channel, wanted: string): string {
  if (wanted !== '' && channel.models.includes(wanted)) return wanted
  return channel.models.includes(preferredTestModel) ? preferredTestModel : (channel.models[0] ?? preferredTestModel)
}

/** @returns what went wrong; empty when nothing did */
async function tryChat(channel: Channel, model: string, { parts, newId }: ProbeDeps): Promise<string> {
  const { chat, body } = parseChat({ model, messages: [{ role: 'user', content: 'hi' }], max_tokens: 16 })
  const call: Call = { requestId: newId(), chat, body, created: nowSeconds(parts.clock), cancel: null, isClientGone: false }
  const result = await attempt(call, channel, parts)
  if (result.isOk) return ''
  const { code, options } = errorOf(result.failed)
  return options.upstream?.message ?? messageText(code, options.params)
}
