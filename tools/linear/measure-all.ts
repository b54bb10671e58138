import { join } from 'node:path'
import { type Assignment, type Message, rankOf } from './assignment.ts'
import type { Finding } from './measure.ts'
import { keyOf } from './read-functions.ts'

/** Time after which a case is ended that does not end by itself. */
const caseMs = 20_000
/** Cases of one export that may not end before the rest of it is left out. */
const endlessMax = 3

/** A case that fails: its growth or factor is too large, or it did not end. */
export type Offender = Finding | { readonly name: string; readonly endless: true }

export interface Measured {
  readonly cases: number
  readonly offenders: readonly Offender[]
  /** The time was over before all were measured. */
  readonly isCut: boolean
}

export function describeOffender(offender: Offender): string {
  if ('endless' in offender) return `${offender.name}: it did not end`
  const { name, bytes, ms, growth, factor } = offender
  return `${name}: ${ms.toFixed(1)} ms for ${bytes} bytes, ${growth.toFixed(1)} times as long for twice the size, ${factor.toFixed(0)} times JSON.parse`
}

/** Measures in another process, which is ended and started again where a case does not end. @param budgetMs time for all of them */
export async function measureAll(
  assignment: Assignment,
  budgetMs: number,
  tell: (offender: Offender) => void = () => undefined,
): Promise<Measured> {
  const endsAt = performance.now() + budgetMs
  const offenders: Offender[] = []
  const note = (offender: Offender): void => {
    offenders.push(offender)
    tell(offender)
  }
  const endless = new Map<string, number>()
  let cases = 0
  let left: Assignment | null = inOrder(assignment)
  while (left !== null && performance.now() < endsAt) {
    const run = await measureOnce(left, endsAt, note)
    cases += run.cases
    if (run.stoppedAt === null || performance.now() >= endsAt) return { cases, offenders, isCut: run.stoppedAt !== null }
    note({ name: run.stoppedAt.name, endless: true })
    left = after(left, run.stoppedAt, endless)
  }
  return { cases, offenders, isCut: left !== null }
}

type Begun = Extract<Message, { kind: 'begins' }>

/** The exports in an order that the seed chooses, so that runs whose time is over have measured different ones. */
function inOrder(assignment: Assignment): Assignment {
  const { exports, seed } = assignment
  if (assignment.casesMax === null) return assignment
  return { ...assignment, exports: exports.toSorted((one, other) => rankOf(keyOf(one), seed) - rankOf(keyOf(other), seed)) }
}

/** What is left after a case that did not end. */
function after(assignment: Assignment, stopped: Begun, endless: Map<string, number>): Assignment | null {
  const at = assignment.exports[stopped.exported]
  if (at === undefined) return null
  const count = (endless.get(keyOf(at)) ?? 0) + 1
  endless.set(keyOf(at), count)
  const isGivenUp = count >= endlessMax
  const exports = assignment.exports.slice(stopped.exported + (isGivenUp ? 1 : 0))
  return exports.length === 0 ? null : { ...assignment, exports, firstCase: isGivenUp ? 0 : stopped.at + 1 }
}

interface Run {
  readonly cases: number
  /** The case that did not end; `null`: all were measured. */
  readonly stoppedAt: Begun | null
}

async function measureOnce(assignment: Assignment, endsAt: number, note: (offender: Offender) => void): Promise<Run> {
  const child = Bun.spawn([process.execPath, '--no-orphans', join(import.meta.dir, 'measure-worker.ts')], {
    stdin: new Blob([JSON.stringify(assignment)]),
    stdout: 'pipe',
    stderr: 'inherit',
  })
  let cases = 0
  let begun: Begun | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  const arm = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => child.kill('SIGKILL'), Math.max(0, Math.min(caseMs, endsAt - performance.now())))
  }
  for await (const message of messagesOf(child.stdout)) {
    if (message.kind === 'found') note(message.finding)
    else {
      begun = message.kind === 'begins' ? message : null
      cases += begun === null ? 0 : 1
      arm()
    }
  }
  clearTimeout(timer)
  if ((await child.exited) !== 0 && begun === null) throw new Error('the process that measures could not be started')
  return { cases, stoppedAt: begun }
}

async function* messagesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Message> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) yield JSON.parse(line)
  }
}
