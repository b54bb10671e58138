import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '../apps/server/test/postgres-server.ts'
import { gatewayEnv, load, measureWhole, median, ports, prepareGateway, type Target } from './gateway.ts'
import { rssMegabytes, start, stop, untilAtRest } from './processes.ts'

// Measures a gateway over time: memory at rest, after a burst and with open streams, latency right after the burst, and the cost of a
// request of a token with limits on each engine.

const burstRequests = 100_000
const perSecond = 500
const openStreams = 200
/** Far above the load, so that every limit is counted and none is reached. */
const limits = { requests_per_minute: 100_000_000, tokens_per_minute: 1_000_000_000, requests_at_once: 100_000, quota_per_day: 1e15 }

interface Plan {
  readonly accessToken: string
  readonly isQuick: boolean
}

interface Gateway {
  readonly target: Target
  stop(): Promise<void>
}

async function startGateway({ accessToken }: Plan, more: Readonly<Record<string, string>> = {}): Promise<Gateway> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sluice-bench-'))
  const process = await start('measured', [join(import.meta.dir, '../apps/server/dist/main.ts')], {
    ...gatewayEnv(dataDir, accessToken),
    ...more,
  })
  const token = await prepareGateway(accessToken, limits)
  return {
    target: { name: 'gateway', port: ports.gateway, pid: process.pid, token },
    async stop() {
      await stop(process)
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

const burst = (target: Target, requests: number) => load(target, { stream: false, connections: 64, requests })

/** CPU microseconds of a request: the median of some rounds after a warm-up. */
async function cpuPerRequest(target: Target, { isQuick }: Plan): Promise<number> {
  const [rounds, requests] = isQuick ? [1, 5_000] : [5, 20_000]
  await burst(target, 2 * requests)
  const seen: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    seen.push((await measureWhole(target, requests)).cpu)
  }
  return median(seen)
}

function print(name: string, figure: string, target: string): void {
  console.log(`${name.padEnd(56)}${figure.padStart(12)}   ${target}`)
}

const megabytes = (value: number): string => `${value.toFixed(0)} MB`

/** Needs the running upstream of the benchmark. */
export async function printEndurance(plan: Plan): Promise<void> {
  console.log(`\n${'the gateway over time, its token with limits'.padEnd(56)}${'figure'.padStart(12)}   target`)
  const gateway = await startGateway(plan)
  const { target } = gateway
  try {
    await untilAtRest(target.pid)
    print('memory at rest', megabytes(rssMegabytes(target.pid)), '<= 80 MB')
    await burst(target, plan.isQuick ? 10_000 : burstRequests)
    const steady = await load(target, { stream: false, connections: 200, perSecond, seconds: plan.isQuick ? 10 : 60 })
    if (steady.failures > 0) throw new Error(`${steady.failures} requests failed`)
    const { p50Ms, p99Ms, p999Ms, maxMs } = steady
    print(`p50, p99 at ${perSecond}/s right after a burst`, `${p50Ms.toFixed(1)}, ${p99Ms.toFixed(1)} ms`, '')
    print('p99.9 of it', `${p999Ms.toFixed(1)} ms`, '<= 20 ms')
    print('the slowest of it', `${maxMs.toFixed(1)} ms`, '')
    print('memory after it', megabytes(rssMegabytes(target.pid)), '<= 140 MB')
    const streams = load(target, { stream: true, pace: 'apart', connections: openStreams, requests: openStreams })
    await Bun.sleep(2_000)
    print(`memory with ${openStreams} open streams`, megabytes(rssMegabytes(target.pid)), '<= 150 MB')
    await streams
    const onSqlite = await cpuPerRequest(target, plan)
    print('CPU a request on SQLite', `${onSqlite.toFixed(0)} us`, '<= 95 us')
    await gateway.stop()
    await printPostgres(plan, onSqlite)
  } finally {
    await gateway.stop().catch(() => {})
  }
}

async function printPostgres(plan: Plan, onSqlite: number): Promise<void> {
  const server = await startPostgres()
  try {
    const gateway = await startGateway(plan, { DATABASE_URL: await server.createDatabase() })
    try {
      const cpu = await cpuPerRequest(gateway.target, plan)
      print('CPU a request on PostgreSQL', `${cpu.toFixed(0)} us`, `${(cpu / onSqlite).toFixed(2)} x SQLite, <= 1.25 x`)
    } finally {
      await gateway.stop()
    }
  } finally {
    await server.stop()
  }
}
