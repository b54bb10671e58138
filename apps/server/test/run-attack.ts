import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { attacksOn, formBoundary } from '../../../packages/http1/attack/attacks.ts'
import type { Target } from '../../../packages/http1/attack/client.ts'
import { runAttacks } from '../../../packages/http1/attack/measure.ts'
import { bodyAttacks } from './attacks/body-attacks.ts'
import { brokenStream, certificatePath, responseWell, startScriptedVendor } from './attacks/scripted-vendor.ts'
import { drippingModel, tlsAttacks, tlsModel } from './attacks/tls-attacks.ts'
import { vendorAttacks } from './attacks/vendor-attacks.ts'
import { prepare, processPassword, startServer } from './server-process.ts'

// `npm run attack [-- WORDS]`: attacks of one client, and their cost for the server and its other clients.

const vendor = await startScriptedVendor()

async function start(): Promise<Target & { stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-attack-'))
  const server = await startServer({
    DATA_DIR: folder,
    INITIAL_ROOT_PASSWORD: processPassword,
    RATE_LIMITS: 'off',
    NODE_EXTRA_CA_CERTS: certificatePath,
  })
  await prepare(server, { url: vendor.tlsUrl }, { models: tlsModel })
  await prepare(server, { url: vendor.drippingUrl }, { models: drippingModel })
  const { authorization = '' } = await prepare(server, vendor)
  const fields = [`authorization: ${authorization}`]
  const json = 'content-type: application/json'
  const form = `content-type: multipart/form-data; boundary=${formBoundary}`
  const target: Target = {
    port: server.port,
    pid: server.pid,
    shortPath: '/healthz',
    longPath: '/api/openapi.json',
    bodies: {
      'a login': { path: '/api/user/login', fields: [json] },
      'a chat': { path: '/v1/chat/completions', fields: [...fields, json] },
      'a form with a file': { path: '/v1/audio/transcriptions', fields: [...fields, form] },
    },
    socket: { path: '/v1/realtime?model=gpt-4o-mini', fields },
  }
  await warm(server.url, target)
  return {
    ...target,
    async stop() {
      server.signal('SIGKILL')
      await server.exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Uses everything once, so that the memory of the idle server includes what is allocated at the first use. */
async function warm(url: string, { longPath, bodies }: Target): Promise<void> {
  for (let count = 0; count < 20; count += 1) await (await fetch(url + longPath)).bytes()
  const body = JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'word '.repeat(50_000) }] })
  for (const { path, fields } of Object.values(bodies)) {
    for (let count = 0; count < 3; count += 1) await send(url + path, fields, body)
  }
  for (const model of [tlsModel, drippingModel]) {
    const { path, fields } = bodies['a chat'] ?? { path: '/', fields: [] }
    const status = await send(url + path, fields, body.replace('gpt-4o-mini', model))
    if (status !== 200) throw new Error(`the vendor over TLS is not reached: ${status}`)
  }
  // A stream that breaks off is counted here, for which the tokenizer is loaded.
  vendor.play(brokenStream)
  const { path, fields } = bodies['a chat'] ?? { path: '/', fields: [] }
  await send(url + path, fields, body.replace('{', '{"stream":true,'))
  vendor.play(responseWell)
}

async function send(url: string, fields: readonly string[], body: string): Promise<number> {
  const headers = Object.fromEntries(fields.map((field) => field.split(': ', 2)))
  const response = await fetch(url, { method: 'POST', headers, body })
  await response.bytes().catch(() => undefined)
  return response.status
}

const own = [...bodyAttacks(), ...vendorAttacks(vendor), ...tlsAttacks(vendor)]
const isGood = await runAttacks((target) => [...attacksOn(target), ...own], start, process.argv[2])
vendor.close()
process.exit(isGood ? 0 : 1)
