import { writeSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { type Assignment, chooseCases, type Message, type Part } from './assignment.ts'
import { planFor } from './cases.ts'
import { type Case, judge } from './measure.ts'
import { readsHostilePart } from './observe-reads.ts'

// Measures the cases of some exports, and names each before it begins: if a case does not end, the process ends, and its name was the last one.

const assignment: Assignment = JSON.parse(await Bun.stdin.text())
const cpuMsMax = assignment.cpuMsMax ?? Number.POSITIVE_INFINITY

/** Processor time after which a case is ended that does not end by itself. */
const caseCpuMs = 20_000
/** The number of cases that have begun. */
const counter = new Int32Array(new SharedArrayBuffer(4))
new Worker(new URL('./end-if-stuck.ts', import.meta.url), { workerData: { counter, cpuMsMax: caseCpuMs } }).unref()

/** Input of a place that is not read. */
const unreadBytes = 2 * 1024
/** Offenders of one export before the rest of its cases is left out: it has to be changed anyway. */
const offendersMax = 5

function send(message: Message): void {
  writeSync(1, `${JSON.stringify(message)}\n`)
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** @returns whether there was time for all cases */
async function measurePart(part: Part, index: number): Promise<boolean> {
  const cases = await casesOf(part)
  const isRead = new Map<string, boolean>()
  let [unread, offenders] = [0, 0]
  const firstCase = index === 0 ? assignment.firstCase : 0
  for (const [at, test] of cases.entries()) {
    if (at < firstCase || offenders >= offendersMax) continue
    if (isRead.get(test.place ?? '') === false) unread += 1
    else {
      if (cpuMs() > cpuMsMax) return false
      Atomics.add(counter, 0, 1)
      send({ kind: 'begins', name: test.name, part: index, at })
      if (await isOffender(test, isRead)) offenders += 1
    }
  }
  send({ kind: 'ended', part: index, unread })
  return true
}

async function casesOf({ exported, casesMax }: Part): Promise<readonly Case[]> {
  const plan = await planFor(exported, assignment.documents)
  return plan.kind === 'called' ? chooseCases(plan.cases(), casesMax, assignment.seed) : []
}

/** Of a place that is not read the first case is measured with a small input, and the others are left out. */
async function isOffender(test: Case, isRead: Map<string, boolean>): Promise<boolean> {
  const { place = '' } = test
  if (place !== '' && !isRead.has(place)) isRead.set(place, await readsHostilePart(test))
  const finding = await judge(test, isRead.get(place) === false ? unreadBytes : assignment.bytesMax)
  if (finding !== null) send({ kind: 'offends', finding })
  return finding !== null
}

for (const [index, part] of assignment.parts.entries()) if (!(await measurePart(part, index))) break
send({ kind: 'done' })
process.exit(0)
