import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { benchConsole } from './console.ts'
import { type Growing, printCurves } from './curves.ts'
import { printEndurance } from './endurance.ts'
import {
  gatewayEnv,
  type LoadResult,
  load,
  measureWhole,
  median,
  passedModel,
  ports,
  prepareGateway,
  type Target,
  translatedModel,
} from './gateway.ts'
import { startNginx } from './nginx.ts'
import { benchNodes } from './nodes.ts'
import { benchPair } from './pair.ts'
import { cpuMicros, pinning, rssMegabytes, start, stop, untilAtRest } from './processes.ts'
import { benchProtocols } from './protocols.ts'
import { benchTasks } from './tasks.ts'
import { benchVendors } from './vendors.ts'

// `npm run bench`: measures the gateway with SQLite, ledger and logs next to a bare proxy on the same runtime, in one run.

const here = import.meta.dir
const isQuick = process.argv.includes('--quick')
const rounds = isQuick ? 1 : 3
const requestsPerRound = isQuick ? 5_000 : 20_000
/** Enough for the runtime to compile all hot functions. */
const warmUpRequests = 2 * requestsPerRound
const benchAccess = 'bench'.padEnd(40, 'x')
const fastStreams = 1_000
/** Few enough that every event is read and sent separately. */
const apartStreams = 200
/** Streams at a common pace of two or three events a second. */
const openStreams = isQuick ? 1_000 : 5_000
const chunksPerStream = 200

/** CPU microseconds of a request and requests a second: the median of some rounds with both targets in turn. */
async function measureRequests(targets: readonly Target[]): Promise<Map<string, { cpu: number; perSecond: number }>> {
  const seen = new Map<string, { cpu: number[]; perSecond: number[] }>()
  for (const target of targets) await load(target, { stream: false, connections: 64, requests: warmUpRequests })
  for (let round = 0; round < rounds; round++) {
    for (const target of targets) {
      const { cpu, perSecond } = await measureWhole(target, requestsPerRound)
      const row = seen.get(target.name) ?? { cpu: [], perSecond: [] }
      row.cpu.push(cpu)
      row.perSecond.push(perSecond)
      seen.set(target.name, row)
    }
  }
  return new Map([...seen].map(([name, { cpu, perSecond }]) => [name, { cpu: median(cpu), perSecond: median(perSecond) }]))
}

/** Latency at a fixed rate. The gateway adds the difference to the bare proxy. */
async function measureLatency(target: Target): Promise<LoadResult> {
  return await load(target, { stream: false, connections: 200, perSecond: 1_000, seconds: isQuick ? 3 : 8 })
}

interface StreamFigures {
  readonly cpu: number
  readonly baseMb: number
  readonly openMb: number
  readonly peakMb: number
}

interface StreamPlan {
  readonly count: number
  /** Pace of the upstream's events: see upstream.ts. */
  readonly pace?: 'slow' | 'apart'
  readonly model?: string
}

/** Many paced streams at once: CPU of a chunk, and the median and the peak of memory; the peak is when all streams begin or end. */
async function measureStreams(target: Target, { count, pace, model = passedModel }: StreamPlan): Promise<StreamFigures> {
  const baseMb = rssMegabytes(target.pid)
  const samples: number[] = []
  const sampler = setInterval(() => samples.push(rssMegabytes(target.pid)), 200)
  const before = cpuMicros(target.pid)
  const result = await load(target, { stream: true, pace, model, connections: count, requests: count })
  clearInterval(sampler)
  if (result.failures > 0) throw new Error(`${target.name}: ${result.failures} streams failed`)
  return {
    cpu: (cpuMicros(target.pid) - before) / (count * chunksPerStream),
    openMb: median(samples),
    peakMb: Math.max(...samples),
    baseMb,
  }
}

function print(rows: ReadonlyArray<readonly [string, number, number, string, string]>): void {
  console.log(`\n${'measure'.padEnd(44)}${'bare'.padStart(12)}${'gateway'.padStart(12)}${'ratio'.padStart(9)}   target`)
  for (const [name, bare, gateway, target, unit] of rows) {
    const show = (value: number): string => `${value.toFixed(value < 10 ? 2 : 0)} ${unit}`
    console.log(
      `${name.padEnd(44)}${show(bare).padStart(12)}${show(gateway).padStart(12)}${(gateway / bare).toFixed(2).padStart(9)}   ${target}`,
    )
  }
}

interface Place {
  readonly dataDir: string
  readonly env: Readonly<Record<string, string>>
  readonly token: string
}

/** The measured gateway, which is stopped at first. */
function growing({ dataDir, env, token }: Place): Growing {
  let running: Awaited<ReturnType<typeof start>> | null = null
  return {
    dataDir,
    async start() {
      const startedMs = performance.now()
      running = await start('measured', [join(here, '../apps/server/dist/main.ts')], env)
      return { readyMs: performance.now() - startedMs }
    },
    async stop() {
      if (running !== null) await stop(running)
    },
    async cpuPerRequest() {
      const pid = running?.pid ?? 0
      await untilAtRest(pid)
      const target: Target = { name: 'gateway', port: ports.gateway, pid, token }
      await load(target, { stream: false, connections: 64, requests: warmUpRequests })
      return (await measureWhole(target, requestsPerRound)).cpu
    },
  }
}

type Both<Figures> = readonly [bare: Figures, gateway: Figures]

interface Earlier {
  readonly requests: Awaited<ReturnType<typeof measureRequests>>
  readonly streams: Both<StreamFigures>
}

/** Measures both targets and prints the rows of the table. */
async function measureBoth(targets: Both<Target>, { requests, streams }: Earlier): Promise<void> {
  const [bareLatency, gatewayLatency] = [await measureLatency(targets[0]), await measureLatency(targets[1])]
  const fast: StreamPlan = { count: fastStreams }
  const apart: StreamPlan = { count: apartStreams, pace: 'apart' }
  const [bareApart, gatewayApart] = [await measureStreams(targets[0], apart), await measureStreams(targets[1], apart)]
  const [bareChunks, gatewayChunks] = [await measureStreams(targets[0], fast), await measureStreams(targets[1], fast)]
  const translated = await measureStreams(targets[1], { ...fast, model: translatedModel })
  const [bareStreams, gatewayStreams] = streams
  const cpu = (name: string): number => requests.get(name)?.cpu ?? 0
  const rate = (name: string): number => requests.get(name)?.perSecond ?? 0
  print([
    ['requests a second, 64 connections', rate('bare'), rate('gateway'), 'bounded by the rig', ''],
    ['CPU a request', cpu('bare'), cpu('gateway'), '<= 1.5 x, <= 110 us', 'us'],
    [
      'latency p50 at 1,000 requests/s',
      bareLatency.p50Ms,
      gatewayLatency.p50Ms,
      `added ${(gatewayLatency.p50Ms - bareLatency.p50Ms).toFixed(2)} ms, <= 0.7 ms`,
      'ms',
    ],
    [
      'latency p99 at 1,000 requests/s',
      bareLatency.p99Ms,
      gatewayLatency.p99Ms,
      `added ${(gatewayLatency.p99Ms - bareLatency.p99Ms).toFixed(2)} ms, <= 5 ms`,
      'ms',
    ],
    ['CPU a streamed chunk', bareChunks.cpu, gatewayChunks.cpu, '<= 1.2 x, <= 25 us', 'us'],
    ['CPU a chunk, 200 streams, 20 ms apart', bareApart.cpu, gatewayApart.cpu, '<= 1.5 x, <= 38 us', 'us'],
    ['CPU a translated chunk', bareChunks.cpu, translated.cpu, '<= 60 us', 'us'],
    [
      `RSS with ${openStreams.toLocaleString('en')} open streams`,
      bareStreams.openMb,
      gatewayStreams.openMb,
      openStreams === 5_000 ? '<= 350 MB' : '',
      'MB',
    ],
    ['the most of it, as all begin or end at once', bareStreams.peakMb, gatewayStreams.peakMb, '', 'MB'],
    [
      'memory a stream',
      (bareStreams.openMb - bareStreams.baseMb) * (1024 / openStreams),
      (gatewayStreams.openMb - gatewayStreams.baseMb) * (1024 / openStreams),
      '',
      'KB',
    ],
  ])
}

/** `npm run bench -- endurance`: the measurements over time alone. */
async function endurance(): Promise<void> {
  const upstream = await start('rig', [join(here, 'upstream.ts'), String(ports.upstream), String(chunksPerStream)])
  try {
    await printEndurance({ accessToken: benchAccess, isQuick })
  } finally {
    await stop(upstream)
  }
}

async function main(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sluice-bench-'))
  const accessToken = benchAccess
  const upstream = await start('rig', [join(here, 'upstream.ts'), String(ports.upstream), String(chunksPerStream)])
  const bare = await start('measured', [join(here, 'bare.ts'), String(ports.bare), `http://127.0.0.1:${ports.upstream}`])
  const env = gatewayEnv(dataDir, accessToken)
  const gateway = await start('measured', [join(here, '../apps/server/dist/main.ts')], env)
  const nginx = await startNginx(ports.nginx, ports.upstream)
  try {
    const token = await prepareGateway(accessToken)
    const targets: Both<Target> = [
      { name: 'bare', port: ports.bare, pid: bare.pid, token },
      { name: 'gateway', port: ports.gateway, pid: gateway.pid, token },
    ]
    console.log(
      `Bun ${Bun.version}, ${pinning}; 1 KB in, 0.8 KB out; ledger and logs on; median of ${rounds} rounds of ${requestsPerRound} requests after ${warmUpRequests}`,
    )
    // Streams are measured first, because a process does not return all the memory that it once used.
    const streams: Both<StreamFigures> = [
      await measureStreams(targets[0], { count: openStreams, pace: 'slow' }),
      await measureStreams(targets[1], { count: openStreams, pace: 'slow' }),
    ]
    const nginxTarget: readonly Target[] = nginx === null ? [] : [{ name: 'nginx', port: ports.nginx, pid: nginx.pid, token }]
    const requests = await measureRequests([...targets, ...nginxTarget])
    await measureBoth(targets, { requests, streams })
    const { cpu, perSecond } = requests.get('nginx') ?? { cpu: 0, perSecond: 0 }
    const inNginx = `${cpu.toFixed(0)} us CPU a request, ${perSecond.toFixed(0)} requests a second`
    console.log(`\nnginx in front of the same upstream: ${nginx === null ? 'not installed here' : inNginx}`)
    await stop(gateway)
    await printEndurance({ accessToken, isQuick })
    await printCurves(growing({ dataDir, env, token }))
  } finally {
    const running = [gateway, bare, upstream, ...(nginx === null ? [] : [nginx])].filter(({ child }) => child.exitCode === null)
    await Promise.all(running.map(stop))
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** Measurements that run alone if their name is given. */
const groups: Readonly<Record<string, () => void | Promise<void>>> = {
  console: benchConsole,
  endurance,
  nodes: benchNodes,
  pair: benchPair,
  tasks: benchTasks,
  vendors: benchVendors,
  protocols: benchProtocols,
}
const only = process.argv.find((argument) => Object.hasOwn(groups, argument)) ?? ''
await (groups[only] ?? main)()
