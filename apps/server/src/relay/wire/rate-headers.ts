import type { Rate } from '../model/caller.ts'
import type { ClientProtocol } from '../model/client-protocol.ts'
import { exposing } from './error-response.ts'

type Limited = 'requests' | 'tokens'
type Figure = 'limit' | 'remaining' | 'reset'

interface RateForm {
  readonly nameOf: (limited: Limited, figure: Figure) => string
  /** How a header says in how many seconds nothing of the limit is used. @param now in seconds */
  readonly reset: (seconds: number, now: number) => string
}

interface RateNow {
  readonly rate: Rate
  /** Seconds since the epoch. */
  readonly now: number
}

/** The headers that report what remains of a token's limits per minute. Their names are made once, because every response may have them. */
export function rateHeaders({ nameOf, reset }: RateForm): NonNullable<ClientProtocol['rateHeaders']> {
  const namesOf = (limited: Limited) => ({
    limit: nameOf(limited, 'limit'),
    remaining: nameOf(limited, 'remaining'),
    reset: nameOf(limited, 'reset'),
  })
  const requestNames = namesOf('requests')
  const tokenNames = namesOf('tokens')
  const exposed = exposing([...Object.values(requestNames), ...Object.values(tokenNames)])

  function put(headers: Record<string, string>, names: Readonly<Record<Figure, string>>, { rate, now }: RateNow): void {
    headers[names.limit] = String(rate.limit)
    headers[names.remaining] = String(rate.remaining)
    headers[names.reset] = reset(rate.resetSeconds, now)
  }

  return ({ requests, llmTokens }, now) => {
    const headers: Record<string, string> = { 'access-control-expose-headers': exposed }
    if (requests !== null) put(headers, requestNames, { rate: requests, now })
    if (llmTokens !== null) put(headers, tokenNames, { rate: llmTokens, now })
    return headers
  }
}
