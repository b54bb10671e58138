import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gatewayEnv, median, ports } from './gateway.ts'
import { responsesOf } from './pair-load.ts'
import { type PairShape, pairModels, pairShapes } from './pair-shapes.ts'
import { pinning, start, stop } from './processes.ts'

// `npm run bench -- pair BEFORE AFTER`: two builds of the gateway in turn on one core, with requests of each client's protocol to each form
// of vendor. A build is an executable, or a checkout in which `npm start` ran. `--only=TEXT` picks shapes by name, `--rounds=N`.

const here = import.meta.dir
const access = 'bench'.padEnd(40, 'x')
const chunksPerStream = 200
const chunkEveryMs = 2
/** Many short ones, because the speed of a shared machine changes within seconds. */
const roundsDefault = 61
/** The runtime has compiled what is hot after some ten thousand requests of a kind, and goes on to the next shape from there. */
const warmUpRounds = 20

interface Build {
  readonly pid: number
  readonly port: number
  readonly token: string
  readonly end: () => Promise<void>
}

/** Processor time of all threads of a process, in nanoseconds. */
function cpuNanos(pid: number): number {
  const nanosOf = (thread: string): number => {
    try {
      return Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0])
    } catch {
      return 0
    }
  }
  return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => sum + nanosOf(thread), 0)
}

/** @param to method, port and path, as in `POST 3000/api/token/` */
async function call(to: string, body: object): Promise<string> {
  const [method = '', address] = to.split(' ')
  const headers = { authorization: access, 'content-type': 'application/json' }
  const response = await fetch(`http://127.0.0.1:${address}`, { method, headers, body: JSON.stringify(body) })
  const text = await response.text()
  if (!text.includes('"success":true')) throw new Error(`${to}: ${text}`)
  return text
}

/** Starts a build with an empty database, a channel for each form of vendor and one token. */
async function startBuild(program: string, port: number): Promise<Build> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sluice-pair-'))
  const env = { ...gatewayEnv(dataDir, access), PORT: String(port) }
  const started = await start('measured', [statSync(program).isDirectory() ? join(program, 'apps/server/dist/main.ts') : program], env)
  const base_url = `http://127.0.0.1:${ports.upstream}`
  for (const { type, model } of pairModels)
    await call(`POST ${port}/api/channel/`, { name: model, type, key: 'upstream', base_url, models: model, group: 'default' })
  await call(`PUT ${port}/api/option/`, { key: 'UnpricedModelRatio', value: '1' })
  const created = await call(`POST ${port}/api/token/`, { name: 'bench', remain_quota: 0, unlimited_quota: true, expired_time: -1 })
  const end = async (): Promise<void> => {
    await stop(started)
    rmSync(dataDir, { recursive: true, force: true })
  }
  return { pid: started.pid, port, token: `sk-${/"key":"([^"]+)"/.exec(created)?.[1]}`, end }
}

/** Microseconds of processor time for a request, or for a chunk of a stream. */
async function microsOf({ pid, port, token }: Build, shape: PairShape): Promise<number> {
  const before = cpuNanos(pid)
  await responsesOf({ port, token, shape })
  return (cpuNanos(pid) - before) / 1_000 / (shape.isStream ? shape.requests * chunksPerStream : shape.requests)
}

/** What is measured first in a round changes with the round and the shape. */
async function measure(builds: readonly [Build, Build], shape: PairShape, rounds: number): Promise<void> {
  const micros: [number[], number[]] = [[], []]
  const warmUp = shape.isStream ? warmUpRounds / 5 : warmUpRounds
  for (let round = -warmUp; round < rounds; round += 1)
    for (const side of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      const took = await microsOf(builds[side], shape)
      if (round >= 0) micros[side].push(took)
    }
  const [before, after] = micros
  const ratios = before.map((took, round) => ((after[round] ?? 0) / took - 1) * 100).sort((a, b) => a - b)
  const quarter = Math.floor(rounds / 4)
  const span = `${ratios[quarter]?.toFixed(1)} to ${ratios.at(-1 - quarter)?.toFixed(1)}`
  console.log(
    `${shape.name.padEnd(34)}${median(before).toFixed(2).padStart(9)}${median(after).toFixed(2).padStart(9)} us ${median(ratios).toFixed(1).padStart(7)} %   (${span})`,
  )
}

const option = (name: string): string | undefined =>
  process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3)

export async function benchPair(): Promise<void> {
  const [before, after] = process.argv.slice(process.argv.indexOf('pair') + 1)
  if (before === undefined || after === undefined) throw new Error('usage: npm run bench -- pair BEFORE AFTER')
  const only = option('only') ?? ''
  const rounds = Number(option('rounds') ?? roundsDefault)
  const vendor = await start('rig', [join(here, 'upstream.ts'), String(ports.upstream), String(chunksPerStream), String(chunkEveryMs)])
  const builds = [await startBuild(before, ports.gateway), await startBuild(after, ports.secondGateway)] as const
  try {
    console.log(`Bun ${Bun.version}, ${pinning}; processor time of a request or chunk, all threads; median of ${rounds} rounds in turn`)
    console.log(
      `${''.padEnd(34)}${'before'.padStart(9)}${'after'.padStart(9)}      differences of the rounds: median (and the half around it)`,
    )
    for (const shape of pairShapes()) if (shape.name.includes(only)) await measure(builds, shape, rounds)
  } finally {
    await Promise.all(builds.map(({ end }) => end()))
    await stop(vendor)
  }
}
