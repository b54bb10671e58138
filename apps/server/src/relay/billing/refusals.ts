import { AppError } from '../../lib/app-error.ts'
import type { Clock } from '../../lib/clock.ts'
import { createLru } from '../../lib/lru.ts'
import type { Billing, Charge } from './billing.ts'
import { beforeAttempts } from './open-charge.ts'

/** A request that was refused before the reservation because of the state of its channels. */
export type Refused = Pick<Charge, 'callType' | 'requestId' | 'span' | 'caller' | 'params'>

/** Logs requests that were refused because no channel could be used. */
export interface Refusals {
  /** Logs the request if this is why it was refused. @returns the error */
  noted(error: unknown, refused: Refused): Promise<unknown>
}

/** Refusals that are caused by the channels, not by the request. */
const noted: ReadonlySet<string> = new Set(['channels_down', 'channels_busy', 'upstream_rate_limited'])

/** Minimum time between log rows of one account and model: clients may send a thousand refused requests a second. */
const noteEveryMs = 1_000
/** Accounts and models that are remembered; one that was dropped gets an extra row. */
const rememberedMax = 10_000

export function createRefusals({ billing, clock }: { readonly billing: Billing; readonly clock: Clock }): Refusals {
  const notedUntil = createLru<string, number>(rememberedMax)

  async function note(refused: Refused, error: AppError): Promise<void> {
    const { caller, params, span } = refused
    const name = `${caller.userId} ${params.model} ${error.code}`
    const now = clock.monotonicMs()
    if ((notedUntil.get(name) ?? 0) <= now) {
      notedUntil.set(name, now + noteEveryMs)
      await billing.refuse({ ...refused, ...beforeAttempts(span, clock) }, error)
    }
  }

  return {
    async noted(error, refused) {
      if (error instanceof AppError && noted.has(error.code)) await note(refused, error)
      return error
    },
  }
}
