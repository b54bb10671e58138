import type { Kind } from '@sluice/vendors/core/kind'
import { thinksLong } from '@sluice/vendors/registry/models/reasoning-models'
import type { Call } from '../model/call.ts'
import { type Channel, modelAt } from '../model/channel.ts'
import type { RelayLimits } from '../model/limits.ts'

/** Timeouts for a vendor, in milliseconds. */
export interface Timeouts {
  /** For the first event of a stream, or for a whole response. */
  readonly firstByteMs: number
  /** For the next bytes of a stream. */
  readonly idleMs: number
}

/**
 * First-byte timeout of a streamed response. Whole responses, images, audio and reasoning models get `slowMs`, because they send nothing
 * until they are done.
 */
const quickMs = 60_000
const slowMs = 300_000
const slowKinds: ReadonlySet<Kind> = new Set(['images', 'image-edits', 'image-variations', 'speech', 'transcriptions', 'translations'])
const writingKinds: ReadonlySet<Kind> = new Set(['chat', 'completions', 'edits', 'responses', 'messages', 'generate'])

/** Idle timeout within a stream. */
const idleMs = 60_000
const thinkingIdleMs = 180_000

/** The channel's timeouts, else the operator's, else the vendor's, else those of the kind of call. */
export function timeoutsOf(
  { rules: { kind }, params, body }: Pick<Call, 'rules' | 'params' | 'body'>,
  channel: Channel,
  limits: Pick<RelayLimits, 'firstByteMs' | 'idleMs'>,
): Timeouts {
  const { settings, vendor } = channel
  const { timeouts } = vendor
  const isThinking = thinksLong(modelAt(channel, params.model), body)
  const isSlow = isThinking || slowKinds.has(kind) || (writingKinds.has(kind) && !params.isStream)
  return {
    firstByteMs: settings.firstByteMs ?? limits.firstByteMs ?? timeouts?.firstByteMs ?? (isSlow ? slowMs : quickMs),
    idleMs: settings.idleMs ?? limits.idleMs ?? timeouts?.idleMs ?? (isThinking ? thinkingIdleMs : idleMs),
  }
}

/** For vendor queries, which compute nothing. */
export function queryTimeoutMs({ settings }: Channel, limits: Pick<RelayLimits, 'firstByteMs'>): number {
  return settings.firstByteMs ?? limits.firstByteMs ?? quickMs
}

/** For raw requests: their content is unknown, and so is how long they take. */
export function rawTimeoutsOf({ settings }: Channel, limits: Pick<RelayLimits, 'firstByteMs' | 'idleMs'>): Timeouts {
  return { firstByteMs: settings.firstByteMs ?? limits.firstByteMs ?? slowMs, idleMs: settings.idleMs ?? limits.idleMs ?? thinkingIdleMs }
}

/** The limits of one stream: the channel may set its total time. */
export function limitsFor(channel: Channel | null, limits: RelayLimits): RelayLimits {
  const totalMs = channel?.settings.totalMs ?? null
  return totalMs === null ? limits : { ...limits, totalMs }
}
