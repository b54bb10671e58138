import type { Kind } from '@sluice/vendors/kind'
import { thinksLong } from '@sluice/vendors/thinks-long'
import type { Call } from '../model/call.ts'
import type { Channel } from '../model/channel.ts'
import type { RelayLimits } from '../model/limits.ts'

/** How long a vendor is waited for, in milliseconds. */
export interface Timeouts {
  /** For the first event of a stream, or for all of an answer that comes whole. */
  readonly firstByteMs: number
  /** For the next bytes of a stream. */
  readonly idleMs: number
}

/**
 * How long it takes until an answer begins that is not overdue. Answers that come whole, pictures, sound and models that think first are
 * silent until they are done.
 */
const quickMs = 60_000
const slowMs = 300_000
const slowKinds: ReadonlySet<Kind> = new Set(['images', 'image-edits', 'image-variations', 'speech', 'transcriptions', 'translations'])
const writingKinds: ReadonlySet<Kind> = new Set(['chat', 'completions', 'edits', 'responses'])

/** Silence within a stream. */
const idleMs = 60_000
const thinkingIdleMs = 180_000

/** The channel's own waits, else the operator's, else those of its vendor, else those of the kind of call. */
export function timeoutsOf(
  { rules: { kind }, params, body }: Pick<Call, 'rules' | 'params' | 'body'>,
  { mapping, settings, vendor: { timeouts } }: Channel,
  limits: Pick<RelayLimits, 'firstByteMs' | 'idleMs'>,
): Timeouts {
  const isThinking = thinksLong(mapping.get(params.model) ?? params.model, body)
  const isSlow = isThinking || slowKinds.has(kind) || (writingKinds.has(kind) && !params.isStream)
  return {
    firstByteMs: settings.firstByteMs ?? limits.firstByteMs ?? timeouts?.firstByteMs ?? (isSlow ? slowMs : quickMs),
    idleMs: settings.idleMs ?? limits.idleMs ?? timeouts?.idleMs ?? (isThinking ? thinkingIdleMs : idleMs),
  }
}

/** For what a vendor only has to look up. */
export function queryTimeoutMs({ settings }: Channel, limits: Pick<RelayLimits, 'firstByteMs'>): number {
  return settings.firstByteMs ?? limits.firstByteMs ?? quickMs
}

/** For what is not understood, so that nothing is known of how long it takes. */
export function rawTimeoutsOf({ settings }: Channel, limits: Pick<RelayLimits, 'firstByteMs' | 'idleMs'>): Timeouts {
  return { firstByteMs: settings.firstByteMs ?? limits.firstByteMs ?? slowMs, idleMs: settings.idleMs ?? limits.idleMs ?? thinkingIdleMs }
}

/** The limits of one stream: the channel may have its own for the whole of it. */
export function limitsFor(channel: Channel | null, limits: RelayLimits): RelayLimits {
  const totalMs = channel?.settings.totalMs ?? null
  return totalMs === null ? limits : { ...limits, totalMs }
}
