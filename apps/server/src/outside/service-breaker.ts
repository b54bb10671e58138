import { AppError } from '../lib/app-error.ts'
import type { Clock } from '../lib/clock.ts'

/** A circuit breaker for an external service: while it does not respond, callers fail at once. */
export interface ServiceBreaker {
  /** @throws AppError service_unreachable, without a call, while the circuit is open */
  run<Result>(call: () => Promise<Result>): Promise<Result>
}

/** Consecutive failures that open the circuit, and how long it stays open. */
const failuresMax = 5
const restMs = 30_000

/** Only a missing response counts as a failure; a refusal is a response. */
export function createServiceBreaker(clock: Clock, service: string): ServiceBreaker {
  let failures = 0
  let restsUntilMs = 0

  return {
    async run(call) {
      if (clock.monotonicMs() < restsUntilMs) throw new AppError('service_unreachable', { params: { service } })
      try {
        const result = await call()
        failures = 0
        return result
      } catch (error) {
        if (error instanceof AppError && error.code === 'service_unreachable') {
          failures += 1
          if (failures >= failuresMax) restsUntilMs = clock.monotonicMs() + restMs
        }
        throw error
      }
    },
  }
}
