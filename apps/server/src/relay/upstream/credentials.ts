import type { Credential } from '@sluice/vendors/core/credential'
import { createLru } from '../../lib/lru.ts'
import { parseAmount } from '../../lib/parse-value.ts'
import { rememberCredential } from '../wire/without-secrets.ts'
import { type AskDeps, askVendor, type QueryableChannel } from './query-vendor.ts'

/** The credentials that vendors give for channels' keys. */
export interface Credentials {
  /**
   * What is sent in the place of the channel's key: the key itself, or the credential that the vendor gives for it. One is requested at a
   * time, and again before it expires; meanwhile the old one is sent. @throws AppError as `askVendor`
   */
  of(channel: QueryableChannel): string | Promise<string>
  /** Forgets a credential that the vendor has refused. @returns whether the next one can differ: it was kept, and not requested just now */
  drop(channel: QueryableChannel, refused: string): boolean
}

interface Kept {
  readonly credential: Credential
  readonly fetchedAtMs: number
  /** When it is requested again, and when it is no longer valid. */
  readonly renewAtMs: number
  readonly untilMs: number
}

/** Maximum cached credentials; beyond it they are requested again. */
const keptMax = 10_000
/** No credential is used for longer than a year without being requested again. */
const lifeSecondsMax = 365 * 24 * 3_600
/** A credential is requested again when a tenth of its time is left, and at least a minute. */
const leftShare = 0.1
const leftMsMin = 60_000
/** A credential that was issued within this time and is refused is not requested again. */
const freshMs = 10_000
/** The pause after a credential could not be renewed; the old one is still valid. */
const renewalPauseMs = 10_000

export function createCredentials(deps: AskDeps): Credentials {
  const { clock } = deps
  const kept = createLru<string, Kept>(keptMax)
  const asking = new Map<string, Promise<string>>()

  async function ask(channel: QueryableChannel, place: string): Promise<string> {
    const { credential: query } = channel.vendor
    if (query === undefined) return channel.key
    const fetched = await askVendor(channel, query, { deps, credential: '' })
    // What cannot be a life is none: the credential serves this request only.
    const lifeMs = Math.min(lifeSecondsMax, parseAmount(fetched.expiresInSeconds, Number.MAX_SAFE_INTEGER) ?? 0) * 1000
    const fetchedAtMs = clock.monotonicMs()
    const untilMs = fetchedAtMs + lifeMs
    kept.set(place, { credential: fetched, fetchedAtMs, renewAtMs: untilMs - Math.max(lifeMs * leftShare, leftMsMin), untilMs })
    return fetched.value
  }

  /** All who want it meanwhile wait for the same response. */
  function askOnce(channel: QueryableChannel, place: string): Promise<string> {
    const running = asking.get(place) ?? ask(channel, place).finally(() => asking.delete(place))
    asking.set(place, running)
    return running
  }

  function renew(channel: QueryableChannel, place: string, known: Kept): void {
    askOnce(channel, place).catch(() => {
      if (kept.get(place) === known) kept.set(place, { ...known, renewAtMs: clock.monotonicMs() + renewalPauseMs })
    })
  }

  return {
    of(channel) {
      if (channel.vendor.credential === undefined) return channel.key
      const place = placeOf(channel)
      const known = kept.get(place)
      const now = clock.monotonicMs()
      if (known === undefined || known.untilMs <= now) return askOnce(channel, place).then((value) => remembered(channel, value))
      if (known.renewAtMs <= now && !asking.has(place)) renew(channel, place, known)
      return remembered(channel, known.credential.value)
    },
    drop(channel, refused) {
      const place = placeOf(channel)
      const known = kept.get(place)
      // Another request had it refused before: the next one is here already, or is being requested.
      if (known?.credential.value !== refused) return known !== undefined || asking.has(place)
      kept.delete(place)
      return clock.monotonicMs() - known.fetchedAtMs > freshMs
    },
  }
}

function remembered(channel: QueryableChannel, value: string): string {
  rememberCredential(channel, value)
  return value
}

/** Channels with the same key at the same address share a credential. */
function placeOf({ vendor, baseUrl, key, config }: QueryableChannel): string {
  return `${vendor.type} ${baseUrl} ${key} ${JSON.stringify(config)}`
}
