import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chatResponse, chatStream, json, startFakeUpstream } from '../../apps/server/test/fake-upstream.ts'
import { startServer } from '../../apps/server/test/server-process.ts'
import { seedConsole } from '../../bench/console-seed.ts'

// Runs under Bun: the server as operators start it, on a database with a large log (`bun large-host.ts ROWS`). Prints one line of JSON, and ends
// with its standard input. `LARGE_FOLDER` keeps the database, or uses the one that is there.

const rows = Number(process.argv[2] ?? 1_000_000)
const accounts = 100_000
const spanSeconds = 90 * 86_400
/** The models and channels that the rows name. */
const models = Array.from({ length: 60 }, (_, index) => `model-${index}`)
const channels = 40
const key = 'k'

const rootPassword = 'a root password'
const userPassword = 'the right password'
const accessToken = 'large'.padEnd(40, 'x')

const kept = process.env['LARGE_FOLDER']
const folder = kept ?? mkdtempSync(join(tmpdir(), 'sluice-large-'))
mkdirSync(folder, { recursive: true })
const seeded = join(folder, 'seeded')
const variables = {
  DATA_DIR: folder,
  INITIAL_ROOT_PASSWORD: rootPassword,
  INITIAL_ROOT_ACCESS_TOKEN: accessToken,
  RATE_LIMITS: 'off',
}

async function call(url: string, method: string, path: string, body: object): Promise<void> {
  const headers = { authorization: accessToken, 'content-type': 'application/json' }
  const response = await fetch(url + path, { method, headers, body: JSON.stringify(body) })
  // Holds: every response of the management API is an envelope.
  const { success, message } = (await response.json()) as { readonly success: boolean; readonly message: string }
  if (!success) throw new Error(`${method} ${path}: ${message}`)
}

const upstream = await startFakeUpstream()
upstream.fallback(({ body }) => (/"stream"\s*:\s*true/.test(body) ? chatStream(['Hello', ' from', ' upstream']) : json(chatResponse())))
if (!existsSync(seeded)) await seed()

const server = await startServer(variables)
// The vendor of a kept database was another one; a key goes to another address only if it is entered again.
for (let id = 1; id <= channels; id += 1) await call(server.url, 'PUT', '/api/channel/', { id, base_url: upstream.url, key })
// The account that has sent most requests; seeded accounts have no password.
await call(server.url, 'PUT', '/api/user/', { id: 2, password: userPassword, quota: 50_000_000 })
console.log(JSON.stringify({ url: server.url, rootPassword, username: 'user1', userPassword }))

for await (const _ of Bun.stdin.stream()) {
  // Nothing is read: the end of the input is the end of the tests.
}
server.signal('SIGTERM')
await server.exited
await upstream.close()
if (kept === undefined) rmSync(folder, { recursive: true, force: true })
process.exit(0)

/** Channels and prices of the models, then the rows. */
async function seed(): Promise<void> {
  const first = await startServer(variables)
  for (let number = 1; number <= channels; number += 1) {
    const served = models.filter((_, index) => index % channels === number % channels || number <= 2)
    const channel = { name: `channel ${number}`, type: 1, key, base_url: upstream.url, models: served.join(','), group: 'default' }
    await call(first.url, 'POST', '/api/channel/', channel)
  }
  const options = { StatusPageEnabled: 'true', ModelRatio: JSON.stringify(Object.fromEntries(models.map((name) => [name, 1]))) }
  for (const [key, value] of Object.entries(options)) await call(first.url, 'PUT', '/api/option/', { key, value })
  first.signal('SIGTERM')
  await first.exited
  const now = Math.floor(Date.now() / 1000)
  await seedConsole(join(folder, 'sluice.db'), { rows, accounts, from: now - spanSeconds, to: now })
  writeFileSync(seeded, '')
}
