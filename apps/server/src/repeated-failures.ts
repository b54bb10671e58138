import type { Clock } from './lib/clock.ts'

/** Fields of a line of the log. */
type Fields = Readonly<Record<string, unknown>>

type Write = (fields: Fields, message: string) => void

/** Sums up failures that repeat, such as those of jobs while the database is away. */
export interface RepeatedFailures {
  /**
   * Counts a failure. The first of a cause passes; the next ones are summed up, one line a minute until there are none.
   * @param write writes a line at the level of this failure
   * @returns whether it is to be written now
   */
  passes(fields: Fields, message: string, write: Write): boolean
}

interface Cause {
  /** Monotonic milliseconds at which the line with the sum is due. */
  dueMs: number
  failures: number
  /** What failed, and how often. */
  readonly by: Map<string, number>
  /** Of the last one. */
  err: unknown
  write: Write
}

const everyMs = 60_000
/** How often it is looked whether a sum is due. */
const lookMs = 5_000

/** Maximum causes that are distinguished; failures of further ones pass. */
const causesMax = 500
/** What can fail for one cause; more are counted together. */
const namesMax = 40
/** Characters of an error message that distinguish causes. */
const textMax = 200

/** What a line is about, if it is one thing of many: each of them fails for itself. */
const subjects = ['channel', 'task', 'id', 'name', 'operation', 'request', 'worker'] as const

export function createRepeatedFailures(clock: Pick<Clock, 'monotonicMs'>): RepeatedFailures {
  const causes = new Map<string, Cause>()
  let timer: ReturnType<typeof setInterval> | null = null

  function writeDue(): void {
    const nowMs = clock.monotonicMs()
    for (const [key, cause] of causes) {
      if (cause.dueMs > nowMs) continue
      if (cause.failures === 0) causes.delete(key)
      else writeSum(cause, nowMs)
    }
    if (causes.size > 0 || timer === null) return
    clearInterval(timer)
    timer = null
  }

  function writeSum(cause: Cause, nowMs: number): void {
    const { err, failures, by, write } = cause
    write({ err, failures, by: Object.fromEntries(by) }, 'failures repeated')
    cause.dueMs = nowMs + everyMs
    cause.failures = 0
    by.clear()
  }

  return {
    passes(fields, message, write) {
      writeDue()
      const { err } = fields
      const causeKey = keyOf(err, fields)
      const known = causes.get(causeKey)
      if (known === undefined) {
        if (causes.size >= causesMax) return true
        causes.set(causeKey, { dueMs: clock.monotonicMs() + everyMs, failures: 0, by: new Map(), err, write })
        timer ??= setInterval(writeDue, lookMs).unref()
        return true
      }
      const name = nameOf(fields, message)
      const key = known.by.has(name) || known.by.size < namesMax ? name : 'others'
      // Those that were kept back before this one count too.
      const count = 1 + (typeof fields['keptBack'] === 'number' ? fields['keptBack'] : 0)
      known.by.set(key, (known.by.get(key) ?? 0) + count)
      Object.assign(known, { failures: known.failures + count, err, write })
      return false
    },
  }
}

/** Numbers in an error message, such as ports and durations, do not distinguish causes. */
function keyOf(err: unknown, fields: Fields): string {
  const text = err instanceof Error ? `${err.name} ${err.message}` : String(err)
  const code = err instanceof Error && 'code' in err ? String(err.code) : ''
  return JSON.stringify([text.slice(0, textMax).replace(/\d+/g, '0'), code, ...subjects.map((subject) => fields[subject] ?? null)])
}

/** The message with the job, or whatever else it is of. */
function nameOf({ job, what }: Fields, message: string): string {
  const part = [job, what].find((text) => typeof text === 'string')
  return part === undefined ? message : `${message}: ${part}`
}
