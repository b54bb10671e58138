import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'

/** The measured process has a core of its own, all others share the rest. */
export type Place = 'measured' | 'rig'

const canPin = process.platform === 'linux' && existsSync('/usr/bin/taskset') && navigator.hardwareConcurrency > 1

export const pinning = canPin ? 'measured process on core 0, load and upstream on core 1' : 'not pinned'

interface Started {
  readonly child: ChildProcess
  readonly pid: number
}

/** The command, pinned to the cores of its place. */
export function pinned(place: Place, command: readonly string[]): readonly string[] {
  return canPin ? ['taskset', '-c', coreOf(place), ...command] : command
}

const coreOf = (place: Place): string => (place === 'measured' ? '0' : '1')

function command(place: Place, args: readonly string[]): readonly string[] {
  return pinned(place, args[0]?.endsWith('.ts') === true ? [process.execPath, ...args] : args)
}

/** Starts a Bun script, or an executable, and waits until it prints that it is ready. */
export async function start(place: Place, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Started> {
  const [program = '', ...rest] = command(place, args)
  const child = spawn(program, rest, {
    env: { ...process.env, BUN_CONFIG_MAX_HTTP_REQUESTS: '65336', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await new Promise<void>((resolve, reject) => {
    child.stdout?.once('data', () => resolve())
    child.once('exit', (code) => reject(new Error(`${args[0]} ended with ${code}`)))
  })
  if (child.pid === undefined) throw new Error(`${args[0]} did not start`)
  return { child, pid: child.pid }
}

/** Resolves at once if the process has ended already. */
export async function stop({ child }: Started): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await ended
}

/** Runs a script to its end and reads the JSON it prints. */
export async function run<Result>(args: readonly string[]): Promise<Result> {
  const [program = '', ...rest] = command('rig', args)
  const child = Bun.spawn([program, ...rest], { stdout: 'pipe', stderr: 'inherit' })
  const text = await new Response(child.stdout).text()
  // Holds: the scripts of this folder print one line of JSON, of the type that their callers expect.
  return JSON.parse(text) as Result
}

/** The fields of the kernel's line about a process, from its state on. `null`: it has ended. */
function statOf(pid: number): readonly number[] | null {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /, '')
    return line.split(' ').map(Number)
  } catch {
    return null
  }
}

/** In clock ticks of 10 ms: fields of the process itself, and of its children that have ended. */
const ownTicks = [11, 12] as const
const endedTicks = [13, 14] as const

const microsOf = (pid: number, fields: readonly number[]): number => {
  const stat = statOf(pid) ?? []
  return fields.reduce((sum, field) => sum + (stat[field] ?? 0), 0) * 10_000
}

/** CPU time of a process and all its threads, in microseconds. */
export const cpuMicros = (pid: number): number => microsOf(pid, ownTicks)

/** A process and all below it. */
function familyOf(pid: number): readonly number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const parents = pids.map((name) => ({ pid: Number(name), parent: statOf(Number(name))?.[1] }))
  const below = (of: number): readonly number[] => [of, ...parents.filter(({ parent }) => parent === of).flatMap((one) => below(one.pid))]
  return below(pid)
}

/** CPU time in microseconds of a process and all below it, also of those that have ended. */
export const cpuMicrosOfFamily = (pid: number): number =>
  familyOf(pid).reduce((sum, member) => sum + microsOf(member, [...ownTicks, ...endedTicks]), 0)

/** Moves a running process, and what it starts, to the cores of a place. */
export function pinFamily(place: Place, pid: number): void {
  if (!canPin) return
  for (const member of familyOf(pid)) Bun.spawnSync(['taskset', '-a', '-c', '-p', coreOf(place), String(member)])
}

const cpuGroups = '/sys/fs/cgroup/cpu'

/** Whether processes can be limited to a share of a core, for which Linux wants root and the first version of control groups. */
export const canLimit = existsSync(`${cpuGroups}/cpu.cfs_quota_us`) && process.getuid?.() === 0

/** Short, so that a limited process waits often and not long. */
const limitPeriodMicros = 10_000

/**
 * Limits each process of a family to a share of a core.
 * @returns removes the limits, after the processes have ended
 */
export function limitFamily(pid: number, share: number): () => void {
  const groups = familyOf(pid).map((member) => {
    const group = `${cpuGroups}/sluice-bench-${member}`
    mkdirSync(group)
    writeFileSync(`${group}/cpu.cfs_period_us`, String(limitPeriodMicros))
    writeFileSync(`${group}/cpu.cfs_quota_us`, String(Math.round(limitPeriodMicros * share)))
    writeFileSync(`${group}/cgroup.procs`, String(member))
    return group
  })
  return () => groups.forEach((group) => rmdirSync(group))
}

export function rssMegabytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
}

/** A process that uses a smaller share of a core than this is at rest. */
const restShare = 0.02
const restMs = 2_000
const restTriesMax = 60

/** Waits until the work after a start (check of the ledger, sums of the log) is done, so that it is not measured as cost of requests. */
export async function untilAtRest(pid: number): Promise<void> {
  for (let tries = 0; tries < restTriesMax; tries += 1) {
    const before = cpuMicros(pid)
    await Bun.sleep(restMs)
    if (cpuMicros(pid) - before < restShare * restMs * 1_000) return
  }
}
