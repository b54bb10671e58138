import pino, { type DestinationStream, type Logger } from 'pino'
import { scrub, scrubText } from './lib/scrub.ts'

/** One JSON object a line. Nothing passes that looks like a secret, whoever logs it. */
export function createLog(level: string, destination?: DestinationStream): Logger {
  const options: pino.LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: {
      level: (label) => ({ level: label }),
      // Holds: an object goes in and `scrub` keeps the kind of what it gets.
      log: (given) => scrub(given) as Record<string, unknown>,
    },
    hooks: {
      logMethod(args, method) {
        // Holds: pino calls this with its own arguments; only texts among them are changed.
        method.apply(this, args.map((part) => (typeof part === 'string' ? scrubText(part) : part)) as Parameters<typeof method>)
      },
    },
  }
  return destination === undefined ? pino(options) : pino(options, destination)
}
