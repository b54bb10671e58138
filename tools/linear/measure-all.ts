import { join } from 'node:path'
import type { Assignment, Message } from './assignment.ts'
import type { Finding } from './measure.ts'
import { keyOf } from './read-functions.ts'

/** Longest time without a word of the process, on a busy machine: it ends itself where a case does not end. */
const silenceMs = 600_000
const checkMs = 500
/** Cases of one export that may not end before the rest of it is left out. */
const endlessMax = 3

/** A case that fails: its growth or factor is too large, or it did not end. */
export type Offender = Finding | { readonly name: string; readonly endless: true }

export interface Measured {
  readonly cases: number
  /** Cases that were left out, because the call does not read the hostile part of the input. */
  readonly unread: number
  readonly offenders: readonly Offender[]
  /** Exports that were not measured, or not to the end, when the time was over. */
  readonly unreached: readonly string[]
}

export function describeOffender(offender: Offender): string {
  if ('endless' in offender) return `${offender.name}: it did not end`
  const { name, bytes, ms, growth, factor } = offender
  return `${name}: ${ms.toFixed(1)} ms for ${bytes} bytes, ${growth.toFixed(1)} times as long for twice the size, ${factor.toFixed(0)} times JSON.parse`
}

/** Measures in another process, which ends where a case does not end, and is started again. @param budgetMs time for all of them */
export async function measureAll(
  assignment: Assignment,
  budgetMs: number,
  report: (offender: Offender) => void = () => undefined,
): Promise<Measured> {
  const endsAt = performance.now() + budgetMs
  const offenders: Offender[] = []
  const onOffender = (offender: Offender): void => {
    offenders.push(offender)
    report(offender)
  }
  const endless = new Map<string, number>()
  let [cases, unread] = [0, 0]
  let rest: Assignment | null = assignment
  while (rest !== null && performance.now() < endsAt) {
    const run: Run = await measureOnce(rest, endsAt, onOffender)
    cases += run.cases
    unread += run.unread
    rest = { ...rest, parts: rest.parts.slice(run.ended), firstCase: run.ended === 0 ? rest.firstCase : 0 }
    if (run.isDone || performance.now() >= endsAt || run.lastCase === null) break
    onOffender({ name: run.lastCase.name, endless: true })
    rest = restAfter(rest, run.lastCase.at, endless)
  }
  return { cases, unread, offenders, unreached: rest?.parts.map(({ exported }) => keyOf(exported)) ?? [] }
}

/** What is to do after a case of the first part that did not end. */
function restAfter(assignment: Assignment, at: number, endless: Map<string, number>): Assignment | null {
  const [part, ...others] = assignment.parts
  if (part === undefined) return null
  const key = keyOf(part.exported)
  const count = (endless.get(key) ?? 0) + 1
  endless.set(key, count)
  if (count < endlessMax) return { ...assignment, firstCase: at + 1 }
  return others.length === 0 ? null : { ...assignment, parts: others, firstCase: 0 }
}

interface Run {
  readonly cases: number
  readonly unread: number
  /** Parts that were measured to their end. */
  readonly ended: number
  /** The process has ended by itself. */
  readonly isDone: boolean
  /** The case that was measured last. */
  readonly lastCase: Extract<Message, { kind: 'begins' }> | null
}

async function measureOnce(assignment: Assignment, endsAt: number, onOffender: (offender: Offender) => void): Promise<Run> {
  const child = Bun.spawn([process.execPath, '--no-orphans', join(import.meta.dir, 'measure-worker.ts')], {
    stdin: new Blob([JSON.stringify(assignment)]),
    stdout: 'pipe',
    stderr: 'inherit',
  })
  let run: Run = { cases: 0, unread: 0, ended: 0, isDone: false, lastCase: null }
  let lastMessageAt = performance.now()
  const timer = setInterval(() => {
    if (performance.now() > Math.min(endsAt, lastMessageAt + silenceMs)) child.kill('SIGKILL')
  }, checkMs)
  for await (const message of messagesOf(child.stdout)) {
    lastMessageAt = performance.now()
    if (message.kind === 'offends') onOffender(message.finding)
    else run = afterMessage(run, message)
  }
  clearInterval(timer)
  if ((await child.exited) !== 0 && run.lastCase === null) throw new Error('the process that measures could not be started')
  return run
}

function afterMessage(run: Run, message: Exclude<Message, { kind: 'offends' }>): Run {
  if (message.kind === 'begins') return { ...run, cases: run.cases + 1, lastCase: message }
  if (message.kind === 'ended') return { ...run, unread: run.unread + message.unread, ended: message.part + 1 }
  return { ...run, isDone: true }
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
