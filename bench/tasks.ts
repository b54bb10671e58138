import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gatewayEnv, load, median, passedModel, ports } from './gateway.ts'
import { cpuMicros, rssMegabytes, start, stop, untilAtRest } from './processes.ts'

// `npm run bench -- tasks [COUNT]`: memory and questions while many tasks run, without and with chats of clients.

const here = import.meta.dir
const count = Number(process.argv.find((argument) => /^\d+$/.test(argument)) ?? 10_000)
const atOnce = 32
/** Long enough for the memory of the orders to be given back; the pauses between questions still grow after it. */
const warmUpMs = Number(process.env['BENCH_WARM'] ?? 330_000)
const watchedMs = 60_000
/** Chats of clients beside the tasks. */
const chatsPerSecond = 50
const access = 'bench'.padEnd(40, 'x')
const origin = `http://127.0.0.1:${ports.gateway}`

async function call(method: string, path: string, body: object): Promise<{ readonly key?: string }> {
  const headers = { authorization: access, 'content-type': 'application/json' }
  const response = await fetch(`${origin}${path}`, { method, headers, body: JSON.stringify(body) })
  // Holds: every response of the management API is an envelope.
  const envelope = (await response.json()) as { success: boolean; message: string; data?: { key?: string } }
  if (!envelope.success) throw new Error(envelope.message)
  return envelope.data ?? {}
}

async function create(key: string): Promise<void> {
  const headers = { authorization: `Bearer sk-${key}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ model: 'sora-2', prompt: 'A cat on a keyboard, filmed from above', seconds: '4', size: '1280x720' })
  const response = await fetch(`${origin}/v1/videos`, { method: 'POST', headers, body })
  if (!response.ok) throw new Error(`an order was answered with ${response.status}: ${await response.text()}`)
}

/** Median of the memory while `work` runs. */
async function memoryDuring(pid: number, work: Promise<unknown>): Promise<number> {
  const samples: number[] = []
  let isOver = false
  const done = work.finally(() => {
    isOver = true
  })
  while (!isOver) {
    samples.push(rssMegabytes(pid))
    await Bun.sleep(500)
  }
  await done
  return median(samples)
}

function print(name: string, figure: string, target: string): void {
  console.log(`${name.padEnd(56)}${figure.padStart(14)}   ${target}`)
}

export async function benchTasks(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sluice-bench-'))
  const vendor = await start('rig', [join(here, 'task-vendor.ts'), String(ports.upstream)])
  const gateway = await start('measured', [join(here, '../apps/server/dist/main.ts')], gatewayEnv(dataDir, access))
  try {
    const base_url = `http://127.0.0.1:${ports.upstream}`
    await call('PUT', '/api/option/', { key: 'PriceRules', value: '{"sora-2":{"free":true}}' })
    await call('POST', '/api/channel/', { name: 'bench', type: 48, key: 'k', base_url, models: 'sora-2', group: 'default' })
    await call('POST', '/api/channel/', { name: 'chats', type: 1, key: 'k', base_url, models: passedModel, group: 'default' })
    const { key = '' } = await call('POST', '/api/token/', { name: 'bench', remain_quota: 0, unlimited_quota: true, expired_time: -1 })
    for (let index = 0; index < 50; index += 1) await create(key)
    await untilAtRest(gateway.pid)
    const idleMb = rssMegabytes(gateway.pid)
    const target = { name: 'gateway', port: ports.gateway, pid: gateway.pid, token: `sk-${key}` } as const
    const chats = async (): Promise<void> => {
      const plan = { stream: false, connections: 16, perSecond: chatsPerSecond, seconds: watchedMs / 1_000 }
      const { failures } = await load(target, plan)
      if (failures > 0) throw new Error(`${failures} chats failed`)
    }
    const chatsMb = await memoryDuring(gateway.pid, chats())
    console.log(`\n${`${count} running tasks`.padEnd(56)}${'figure'.padStart(14)}   target`)
    const before = cpuMicros(gateway.pid)
    const startedMs = performance.now()
    let left = count
    const createRequests = async (): Promise<void> => {
      while (left-- > 0) await create(key)
    }
    await Promise.all(Array.from({ length: atOnce }, createRequests))
    print('orders a second', (count / ((performance.now() - startedMs) / 1_000)).toFixed(0), '')
    print('CPU of an order', `${((cpuMicros(gateway.pid) - before) / count).toFixed(0)} us`, '')
    await Bun.sleep(warmUpMs)
    const cpu = cpuMicros(gateway.pid)
    const tasksMb = await memoryDuring(gateway.pid, Bun.sleep(watchedMs))
    const used = cpuMicros(gateway.pid) - cpu
    const pollsPerSecond = ((await (await fetch(`${base_url}/asked`)).json()) as readonly number[]).slice(
      -Math.floor(watchedMs / 1_000) - 1,
      -1,
    )
    const sum = pollsPerSecond.reduce((total, questions) => total + questions, 0)
    print('memory over idle', `${(tasksMb - idleMb).toFixed(0)} MB`, '<= 60 MB')
    print(
      'questions a second: least, median, most',
      `${Math.min(...pollsPerSecond)}, ${median(pollsPerSecond)}, ${Math.max(...pollsPerSecond)}`,
      '',
    )
    print('CPU of a question', `${(used / sum).toFixed(0)} us`, '')
    print('share of a core', `${(used / watchedMs / 10).toFixed(1)} %`, '')
    const bothMb = await memoryDuring(gateway.pid, chats())
    print(`memory over idle with ${chatsPerSecond} chats a second`, `${(bothMb - idleMb).toFixed(0)} MB`, '<= 60 MB')
    print('of which the chats take without tasks', `${(chatsMb - idleMb).toFixed(0)} MB`, '')
  } finally {
    await stop(gateway)
    await stop(vendor)
    rmSync(dataDir, { recursive: true })
  }
}
