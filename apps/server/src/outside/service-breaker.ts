import { AppError } from '../lib/app-error.ts'
import type { Clock } from '../lib/clock.ts'

/** Stops asking a service that does not answer, so that its silence costs the next callers nothing. */
export interface ServiceBreaker {
  /** @throws AppError outside_unreachable, without a call, while the service is taken to be down */
  run<Result>(call: () => Promise<Result>): Promise<Result>
}

/** So many failures in a row mean that it is down, and for so long nobody asks again. */
const failuresMax = 5
const restMs = 30_000

/** Only silence counts; a service that refuses is there. */
export function createServiceBreaker(clock: Clock, service: string): ServiceBreaker {
  let failures = 0
  let restsUntilMs = 0

  return {
    async run(call) {
      if (clock.monotonicMs() < restsUntilMs) throw new AppError('outside_unreachable', { params: { service } })
      try {
        const result = await call()
        failures = 0
        return result
      } catch (error) {
        if (error instanceof AppError && error.code === 'outside_unreachable') {
          failures += 1
          if (failures >= failuresMax) restsUntilMs = clock.monotonicMs() + restMs
        }
        throw error
      }
    },
  }
}
