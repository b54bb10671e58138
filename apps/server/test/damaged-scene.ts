import { contract, type Endpoint } from '@sluice/contract'
import { sql } from 'kysely'
import type { Db } from '../src/db/connect.ts'
import { isPostgres } from '../src/db/is-postgres.ts'
import type { Session } from './app.ts'
import { endpoints, sendRaw } from './endpoints.ts'
import { chatResponse, json } from './fake-upstream.ts'
import { type TaskScene, taskScene } from './task-scene.ts'

/** A server with at least two rows of everything that people work with. The newer ones are damaged. */
export interface DamagedScene extends TaskScene {
  readonly admin: Session
  /** Who owns the newer rows. */
  readonly owner: Session
  readonly ownerKey: string
  /** A key of another account, whose requests a channel of its own serves. */
  readonly otherKey: string
  /** What calls about the newer row of a noun get. */
  readonly inputs: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

const otherModel = 'gpt-4o'
const model = 'gpt-4o-mini'

export async function damagedScene(): Promise<DamagedScene> {
  const scene = await taskScene()
  const { app, vendor, client } = scene
  vendor.response = ({ path }) => (path.includes('/chat/completions') ? json(chatResponse()) : null)
  const admin = await app.make.accessToken(app.root)
  await app.make.channel({ models: otherModel })
  const channel = await app.make.channel({ models: model, key: 'newer-key', config: { region: 'eu' } })
  const [other, user] = [await app.make.user(), await app.make.user()]
  const [otherToken, token] = [await app.make.token(other), await app.make.token(user)]
  const owner = await app.make.accessToken(user)
  await app.make.personalToken(user, ['token:read'])
  await app.data(contract.redemption.create, { name: 'code', quota: 5, count: 2 }, admin)
  const rule = { name: 'low', kind: 'balance', scope: 'own', threshold: 1_000_000_000_000, is_on: true } as const
  for (const name of ['first', 'second'])
    await app.data(contract.notification.create, { ...rule, name, target: 'webhook', url: app.upstream.url }, admin)
  await app.data(contract.option.update, { key: 'SystemName', value: 'Damaged' }, admin)
  await app.data(contract.option.update, { key: 'GroupRatio', value: '{"default":1,"vip":2}' }, admin)
  await app.data(contract.channel.update, { id: channel, name: 'newer' }, admin)
  await addStoppedNode(app.app.store.db)
  const damagedScene: DamagedScene = {
    ...scene,
    ...{ admin, owner, ownerKey: token.key, otherKey: otherToken.key },
    inputs: {
      channel: { id: channel },
      token: { id: token.id },
      user: { id: user.id },
      redemption: { id: (await app.data(contract.redemption.list, {}, admin))[0]?.id ?? 0 },
      notification: { id: (await app.data(contract.notification.list, {}, admin))[0]?.id ?? 0 },
      option: { key: 'SystemName' },
      route: { model },
    },
  }
  for (const key of [token.key, otherToken.key]) await relay(damagedScene, key, key === token.key ? model : otherModel)
  const video = await client.videos.create({ model: 'sora-2', prompt: 'rain' })
  for (const one of vendor.videos.values()) Object.assign(one, { status: 'completed', progress: 100 })
  await scene.poll()
  await scene.run('evaluate-rules')
  await scene.run('roll-up-usage')
  const inputs = { ...damagedScene.inputs, task: { id: video.id }, log: { id: 1 } }
  return { ...damagedScene, inputs }
}

/** The row of a node that stopped: this node's own says that it may serve, and it stops when that changes. */
async function addStoppedNode(db: Db): Promise<void> {
  if (isPostgres(db)) await sql`INSERT INTO nodes (id, version, state) VALUES ('stopped', '0.0.1', 'dead')`.execute(db)
}

function relay({ app }: Pick<DamagedScene, 'app'>, key: string, name: string): Promise<Response> {
  const body = JSON.stringify({ model: name, messages: [{ role: 'user', content: 'hi' }] })
  return app.request('/v1/chat/completions', { method: 'POST', headers: { authorization: `Bearer ${key}` }, body })
}

/** A response that must not be the fault of the server. */
interface ApiResponse {
  readonly call: string
  readonly status: number
  readonly text: string
  /** Ids of its rows; empty if it has none. */
  readonly ids: readonly unknown[]
}

/** Every call that only reads, by the administrator and by the owner. */
export async function readEverything(
  scene: DamagedScene,
  isWanted: (call: string) => boolean = () => true,
): Promise<readonly ApiResponse[]> {
  const reads: readonly (readonly [string, Endpoint])[] = [
    ...endpoints.filter(([, endpoint]) => endpoint.method === 'GET' && !endpoint.sideEffect),
    ['channel.exportFile', contract.channel.exportFile],
  ]
  const responses: ApiResponse[] = []
  for (const [name, endpoint] of reads)
    for (const [who, as] of Object.entries({ admin: scene.admin, owner: scene.owner }))
      if (isWanted(callName(name, who))) responses.push(await ask(scene, { name, endpoint, as, who }))
  return responses
}

const callName = (name: string, who: string): string => `${name} by ${who}`

/** The calls that read a table: those that fail while it has another name. */
export async function readersOf(scene: DamagedScene, table: string): Promise<ReadonlySet<string>> {
  const { db } = scene.app.app.store
  const away = `${table}_away`
  await sql`ALTER TABLE ${sql.table(table)} RENAME TO ${sql.table(away)}`.execute(db)
  const responses = await readEverything(scene)
  // What some calls keep for a minute is a failure now.
  scene.clock.advance(120_000)
  await sql`ALTER TABLE ${sql.table(away)} RENAME TO ${sql.table(table)}`.execute(db)
  return new Set(responses.flatMap(({ call, status }) => (status >= 500 ? [call] : [])))
}

interface Ask {
  readonly name: string
  readonly endpoint: Endpoint
  readonly as: Session
  readonly who: string
}

async function ask({ app, inputs }: DamagedScene, { name, endpoint, as, who }: Ask): Promise<ApiResponse> {
  const needsRow = /:(?:id|key)\b/.test(endpoint.path) || name.endsWith('.history') || name.endsWith('.explain')
  const input = needsRow ? (inputs[name.split('.')[0] ?? ''] ?? {}) : {}
  const response = await sendRaw(app, endpoint, { as, input })
  // A file that is cut short is a failure too.
  const text = await response.text().catch((error: unknown) => String(error))
  const isWhole = !text.startsWith('Error')
  return { call: callName(name, who), status: isWhole ? response.status : 500, text: text.slice(0, 300), ids: idsIn(text) }
}

function idsIn(text: string): readonly unknown[] {
  if (!text.startsWith('{"success":true')) return []
  // Holds: it is the envelope of a success.
  const { data } = JSON.parse(text) as { readonly data: unknown }
  // Holds: only the member is read, which may be missing.
  return Array.isArray(data) ? data.map((row: unknown) => (row as { readonly id?: unknown } | null)?.id) : []
}

/** Calls that change the newer row of the noun of a table, without giving its columns other values. */
export async function changeRow(scene: DamagedScene, table: string): Promise<readonly ApiResponse[]> {
  const { admin, owner, inputs } = scene
  const edits: Readonly<Record<string, readonly [string, Endpoint, Session, Readonly<Record<string, unknown>>]>> = {
    channels: ['channel', contract.channel.update, admin, { name: 'newer' }],
    tokens: ['token', contract.token.update, owner, { name: 'newer' }],
    redemptions: ['redemption', contract.redemption.update, admin, { name: 'newer' }],
    users: ['user', contract.user.update, admin, { display_name: 'Newer' }],
    notification_rules: ['notification', contract.notification.update, admin, { name: 'newer', threshold: 5, is_on: true, url: '' }],
  }
  const edit = edits[table]
  if (edit === undefined) return []
  const [noun, endpoint, as, change] = edit
  const response = await sendRaw(scene.app, endpoint, { as, input: { ...inputs[noun], ...change } })
  return [{ call: `${noun}.update`, status: response.status, text: (await response.text()).slice(0, 300), ids: [] }]
}

/** Requests to the relay. @returns those that failed though they have nothing to do with the damaged row, or failed in the server */
export async function relayEverything(scene: DamagedScene): Promise<readonly string[]> {
  const { app, ownerKey, otherKey, inputs } = scene
  const faults: string[] = []
  const other = await relay(scene, otherKey, otherModel)
  if (other.status !== 200) faults.push(`a request of another account: ${other.status} ${(await other.text()).slice(0, 300)}`)
  const own = await relay(scene, ownerKey, model)
  const text = await own.text()
  if (own.status === 500) faults.push(`a request of the owner: ${own.status} ${text.slice(0, 300)}`)
  for (const path of ['/v1/models', `/v1/videos/${inputs['task']?.['id']}`, `/v1/videos/${inputs['task']?.['id']}/content`])
    for (const key of [ownerKey, scene.key]) {
      const response = await app.request(path, { headers: { authorization: `Bearer ${key}` } })
      const body = await response.text()
      if (response.status === 500) faults.push(`GET ${path}: ${body.slice(0, 300)}`)
    }
  return faults
}

/** Runs every job once. @returns those that failed */
export async function runEverything(scene: DamagedScene): Promise<readonly string[]> {
  const faults: string[] = []
  scene.clock.advance(61_000)
  for (const name of scene.jobs.filter((job) => job !== 'back-up')) {
    const work = name === 'poll-tasks' ? scene.poll(1_000) : scene.run(name)
    await work.catch((error: unknown) => faults.push(`the job ${name}: ${String(error).slice(0, 300)}`))
  }
  return faults
}
