import { readFileSync } from 'node:fs'
import type { Attack } from './attacks.ts'
import type { Target } from './client.ts'
import type { ProbeOf, Waited } from './probe-worker.ts'

/** What an attack may cost. */
const limits = { memoryMib: 64, delayMs: 250 } as const

export interface Cost {
  readonly name: string
  /** Most resident memory during the attack and shortly after it, over what the idle server had. */
  readonly memoryMib: number
  /** The longest that another client waited for a short response while the server was at work. */
  readonly delayMs: number
  /** The longest that it waited at all, for the server or for the machine. */
  readonly wallMs: number
  readonly seconds: number
  readonly may: { readonly memoryMib: number; readonly delayMs: number }
  /** Another error; empty = none. */
  readonly wrong: string
}

const sampleMs = 20
/** Measuring continues for this long after the end, because memory may be freed late. */
const afterMs = 500

/** Runs an attack and measures what it costs the server. */
async function measure(attack: Attack, target: Target): Promise<Cost> {
  const probe = startProbe(target)
  await probe.first
  const idle = residentMib(target.pid)
  let most = idle
  const sampling = setInterval(() => {
    most = Math.max(most, residentMib(target.pid))
  }, sampleMs)
  const startedMs = performance.now()
  const wrong = await attack.run(target).then(
    () => '',
    (error) => String(error),
  )
  const seconds = (performance.now() - startedMs) / 1000
  await Bun.sleep(afterMs)
  clearInterval(sampling)
  return { name: attack.name, memoryMib: most - idle, ...probe.longest(), seconds, may: attack.limits ?? limits, wrong }
}

function isWithin({ memoryMib, delayMs, wrong, may }: Cost): boolean {
  return memoryMib <= may.memoryMib && delayMs <= may.delayMs && wrong === ''
}

function lineOf(cost: Cost): string {
  const { name, memoryMib, delayMs, wallMs, seconds, wrong } = cost
  const figures = `+${memoryMib.toFixed(1).padStart(6)} MiB  ${delayMs.toFixed(0).padStart(5)} ms (${wallMs.toFixed(0).padStart(4)} by the wall)  ${seconds.toFixed(1).padStart(5)} s`
  return `${isWithin(cost) ? 'ok  ' : 'FAIL'}  ${figures}  ${name}${wrong === '' ? '' : `: ${wrong}`}`
}

/** Responses within this time are ignored as warm-up. */
const warmMs = 300
/** Longest usual time between two responses, which does not count as waiting. */
const pauseMs = 50

/** Starts another client, which measures how long it waits. */
function startProbe({ port, pid, shortPath }: Target) {
  const worker = new Worker(new URL('./probe-worker.ts', import.meta.url).href)
  const first = Promise.withResolvers<void>()
  const startedMs = performance.now()
  let delayMs = 0
  let wallMs = 0
  let lastMs = startedMs
  worker.onmessage = ({ data }: MessageEvent<Waited>) => {
    lastMs = performance.now()
    if (lastMs < startedMs + warmMs) return
    first.resolve()
    delayMs = Math.max(delayMs, Math.min(data.busyMs, data.wallMs))
    wallMs = Math.max(wallMs, data.wallMs)
  }
  worker.postMessage({ port, pid, path: shortPath } satisfies ProbeOf)
  return {
    first: first.promise,
    /** Includes a wait that has not ended yet. */
    longest() {
      worker.terminate()
      const openMs = performance.now() - lastMs - pauseMs
      const isStuck = openMs > limits.delayMs * 10
      return { delayMs: isStuck ? openMs : delayMs, wallMs: Math.max(wallMs, openMs) }
    },
  }
}

function residentMib(pid: number): number {
  const [, pages = '0'] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')
  return (Number(pages) * 4096) / 1024 / 1024
}

/** How often an attack is tried until it is within its limits, because the machine has other work too. */
const tries = 3

/** Runs every attack against a new server. @returns whether all are within their limits */
export async function runAttacks(
  attacksFor: (target: Target) => readonly Attack[],
  start: () => Promise<Target & { stop(): Promise<void> }>,
  only = '',
): Promise<boolean> {
  const first = await start()
  const names = attacksFor(first).map(({ name }) => name)
  await first.stop()
  let isGood = true
  for (const name of names.filter((known) => known.includes(only))) {
    let cost: Cost | null = null
    for (let count = 0; count < tries && (cost === null || !isWithin(cost)); count += 1) {
      const target = await start()
      const attack = attacksFor(target).find((known) => known.name === name)
      if (attack !== undefined) cost = await measure(attack, target)
      await target.stop()
      if (cost !== null) console.log(lineOf(cost))
    }
    isGood &&= cost !== null && isWithin(cost)
  }
  return isGood
}
