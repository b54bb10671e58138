import pino, { type DestinationStream, type Logger } from 'pino'
import { scrub, scrubLine } from './lib/scrub.ts'

/** Characters that may wait for whoever reads the log; beyond it lines are dropped: a log that nobody takes must hold nobody up. */
const waitingMax = 4 * 1024 * 1024

function createStandardOutput(): DestinationStream {
  let waiting = 0
  return {
    write(line) {
      if (waiting > waitingMax) return
      waiting += line.length
      process.stdout.write(line, () => {
        waiting -= line.length
      })
    },
  }
}

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
  return pino(options, destination ?? createStandardOutput())
}
