import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gatewayEnv, median, passedModel, ports, prepareGateway, translatedModel } from './gateway.ts'
import { naturalStreams } from './natural-streams.ts'
import { cpuMicros, start, stop } from './processes.ts'

// A part of `npm run bench -- protocols`: processor time of the gateway's process for a passed event, in each of three protocols.

const here = import.meta.dir
const access = 'bench'.padEnd(40, 'x')
const rounds = 5
const streamsPerRound = 60
const atOnce = 6

const googleModel = 'gemini-3.8-flash'
const turn = [{ role: 'user', content: 'Hi' }]
const asks = {
  chat: ['/v1/chat/completions', { model: passedModel, stream: true, messages: turn, max_tokens: 1_000 }],
  messages: ['/v1/messages', { model: translatedModel, stream: true, messages: turn, max_tokens: 1_000 }],
  generate: [
    `/v1beta/models/${googleModel}:streamGenerateContent?alt=sse`,
    { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }], generationConfig: { maxOutputTokens: 1_000 } },
  ],
} as const

/** Microseconds of the gateway for one event of streams that are read to their ends. @throws Error if one is not the vendor's */
async function microsOf({ kind, frames }: (typeof naturalStreams)[number], token: string, pid: number): Promise<number> {
  const [path, body] = asks[kind]
  const length = frames.reduce((sum, frame) => sum + frame.length, 0)
  let left = streamsPerRound
  const one = async (): Promise<void> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const response = await fetch(`http://127.0.0.1:${ports.gateway}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    const got = (await response.arrayBuffer()).byteLength
    // Only the name of a model, and the chunk of a usage that was not requested, are not the vendor's bytes.
    if (!response.ok || Math.abs(got - length) > 400) throw new Error(`${path}: ${response.status}, ${got} bytes of ${length}`)
  }
  const before = cpuMicros(pid)
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (left-- > 0) await one()
    }),
  )
  return (cpuMicros(pid) - before) / (streamsPerRound * frames.length)
}

/** In turn, so that what else runs on the machine slows all of them down alike. */
async function roundsOf(token: string, pid: number): Promise<readonly number[]> {
  const taken: number[][] = naturalStreams.map(() => [])
  // The first round warms up.
  for (let round = 0; round <= rounds; round += 1)
    for (const [index, stream] of naturalStreams.entries()) {
      const micros = await microsOf(stream, token, pid)
      if (round > 0) taken[index]?.push(micros)
    }
  return taken.map(median)
}

async function addGoogle(): Promise<void> {
  const headers = { authorization: access, 'content-type': 'application/json' }
  const base_url = `http://127.0.0.1:${ports.upstream}`
  const body = JSON.stringify({ name: 'bench', type: 24, key: 'upstream', base_url, models: googleModel, group: 'default' })
  const response = await fetch(`http://127.0.0.1:${ports.gateway}/api/channel/`, { method: 'POST', headers, body })
  const text = await response.text()
  if (!text.includes('"success":true')) throw new Error(text)
}

/** @returns microseconds of an event by the order of the streams */
export async function passedInProcess(): Promise<readonly number[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sluice-bench-'))
  const vendor = await start('rig', [join(here, 'natural-vendor.ts'), String(ports.upstream)])
  const gateway = await start('measured', [join(here, '../apps/server/dist/main.ts')], gatewayEnv(dataDir, access))
  try {
    const token = await prepareGateway(access)
    await addGoogle()
    return await roundsOf(token, gateway.pid)
  } finally {
    await stop(gateway)
    await stop(vendor)
    rmSync(dataDir, { recursive: true, force: true })
  }
}
