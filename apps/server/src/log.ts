import pino, { type DestinationStream, type Logger } from 'pino'
import { scrub, scrubLine } from './lib/scrub.ts'
import { createOutput } from './output.ts'

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
    // Last of all the finished line: what pino itself puts into it (the text of an error, formatted arguments, a child's fields).
    hooks: { streamWrite: scrubLine },
  }
  return pino(options, destination ?? createOutput())
}
