import pino, { type DestinationStream, type Logger } from 'pino'
import { type Clock, systemClock } from './lib/clock.ts'
import { scrub, scrubLine } from './lib/scrub.ts'
import { standardOutput } from './output.ts'
import { createRepeatedFailures } from './repeated-failures.ts'

/** pino's number of the level from which on failures that repeat are summed up. */
const warnLevel = 40

/**
 * One JSON object a line. Nothing passes that looks like a secret, whoever logs it. Failures that repeat are summed up, except those of
 * requests (with a `requestId`).
 */
export function createLog(level: string, destination?: DestinationStream, clock: Pick<Clock, 'monotonicMs'> = systemClock): Logger {
  const repeated = createRepeatedFailures(clock)
  const options: pino.LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: {
      level: (label) => ({ level: label }),
      // Holds: an object goes in and `scrub` keeps the kind of what it gets.
      log: (fields) => scrub(fields) as Record<string, unknown>,
    },
    // Last of all the finished line: what pino itself puts into it (the text of an error, formatted arguments, a child's fields).
    hooks: {
      streamWrite: scrubLine,
      logMethod(parts, method, level) {
        const [fields, message] = parts
        const write = (summed: object, text: string): void => method.call(this, summed, text)
        const isSummed = level >= warnLevel && isFailure(fields) && typeof message === 'string'
        if (!isSummed || repeated.passes(fields, message, write)) method.apply(this, parts)
      },
    },
  }
  return pino(options, destination ?? standardOutput())
}

const isFailure = (fields: unknown): fields is Readonly<Record<string, unknown>> =>
  typeof fields === 'object' && fields !== null && 'err' in fields && !('requestId' in fields)
