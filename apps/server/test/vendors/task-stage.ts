import { expect } from 'bun:test'
import type { TestUser } from '../app.ts'
import { setOptions } from '../channel-scene.ts'
import { type FakeUpstream, type Received, type Script, startFakeUpstream } from '../fake-upstream.ts'
import { balanceOf, holdsOf, type TaskScene, taskScene } from '../task-scene.ts'
import { content, type DoubleWork, type TaskDouble } from './task-doubles/task-double.ts'

/** The parts of a double that the stage needs. */
export interface AnyDouble
  extends Pick<TaskDouble, 'type' | 'key' | 'models' | 'response' | 'secrets' | 'isAuthorized' | 'works' | 'contentType'> {
  /** A public name that leads to the double; missing: its address on loopback. */
  readonly publicName?: 'api.sunoapi.org'
}

/** A server with one double at a time, and a second server that is not the double's. */
export interface Stage {
  readonly scene: TaskScene
  readonly other: FakeUpstream
  /** The second server at a public name. */
  readonly otherAtPublicName: string
  /** The response to the next task requests in place of the double's; `null`: none. */
  refusal: Script | null
  /** Responds before the double; `null`: the double responds. */
  response: (request: Received) => Script | null
  /** A new account with one channel at the double, which responds from now on. */
  play(double: AnyDouble): Promise<Client>
  close(): Promise<void>
}

interface ScriptedResponse {
  readonly status: number
  readonly body: Record<string, unknown>
}

interface Fetched {
  readonly status: number
  readonly type: string
  readonly bytes: Buffer
}

/** An account that remembers everything that was said to it. */
export interface Client {
  readonly user: TestUser
  readonly channel: number
  ask(path: string, init?: { readonly method?: string; readonly body?: object }): Promise<ScriptedResponse>
  fetch(path: string, headers?: Readonly<Record<string, string>>): Promise<Fetched>
  /** What has been charged since the last question. */
  spent(): Promise<number>
  /** Fails if a client could read what it must not, or the double got a request without its key. */
  expectSecrecy(): void
}

const publicName = 'films.example.com'
const publicNames: ReadonlySet<string> = new Set([publicName, 'api.sunoapi.org'])

export async function taskStage(): Promise<Stage> {
  const scene = await taskScene({
    lookUp: async (host) => (publicNames.has(host) ? ['127.0.0.1'] : []),
    isLocal: () => false,
  })
  const { app } = scene
  const other = await startFakeUpstream()
  await setOptions(app, { AutomaticDisableChannelEnabled: false })

  function response(request: Received, double: AnyDouble): Script {
    const { method, path } = request
    const own = stage.response(request)
    if (own !== null) return own
    if (path.startsWith('/results/')) return content(request, double.contentType)
    return stage.refusal !== null && method === 'POST' && path !== '/token' ? stage.refusal : double.response(request, app.upstream.url)
  }

  const stage: Stage = {
    scene,
    other,
    otherAtPublicName: other.url.replace('127.0.0.1', publicName),
    refusal: null,
    response: () => null,
    async play(double) {
      scene.vendor.response = (request) => response(request, double)
      other.fallback((request) => response(request, double))
      return await clientOf(double, { scene, other })
    },
    async close() {
      await other.close()
      expect(await holdsOf(app)).toBe(0)
      expect(await app.inconsistencies()).toEqual([])
      await app.close()
    },
  }
  return stage
}

async function clientOf(double: AnyDouble, { scene, other }: Pick<Stage, 'scene' | 'other'>): Promise<Client> {
  const { app } = scene
  const { type, models, key: vendorKey, publicName: name = '127.0.0.1' } = double
  const baseUrl = app.upstream.url.replace('127.0.0.1', name)
  const group = `g${crypto.randomUUID().slice(0, 8)}`
  const user = await app.make.user({ groups: group, quota: 100_000_000 })
  const { key } = await app.make.token(user, { isUnlimited: true })
  const channel = await app.make.channel({ groups: group, type, models, key: vendorKey, baseUrl })
  const firstRequest = app.upstream.received.length
  const authorization = `Bearer ${key}`
  const responseTexts: string[] = []
  const ids = new Set<string>()
  let balance = await balanceOf(app, user)

  async function fetchAndRecord(path: string, init: RequestInit): Promise<Fetched> {
    const response = await app.request(path, init)
    const bytes = Buffer.from(await response.arrayBuffer())
    for (const { id } of double.works) ids.add(id)
    responseTexts.push(JSON.stringify([...response.headers]), bytes.toString())
    return { status: response.status, type: response.headers.get('content-type') ?? '', bytes }
  }

  return {
    user,
    channel,
    async ask(path, { method = 'GET', body } = {}) {
      const headers = { authorization, 'content-type': 'application/json' }
      const { status, bytes } = await fetchAndRecord(path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
      // Holds: every response below these paths is an object.
      return { status, body: JSON.parse(bytes.toString()) as ScriptedResponse['body'] }
    },
    fetch: (path, headers = {}) => fetchAndRecord(path, { headers: { authorization, ...headers } }),
    async spent() {
      const before = balance
      balance = await balanceOf(app, user)
      return before - balance
    },
    expectSecrecy() {
      const addresses = [app.upstream.url, other.url].flatMap((url) => [url, new URL(url).host])
      const hidden = [vendorKey, ...double.secrets, ...ids, ...addresses, publicName]
      expect([responseTexts.length > 3, ids.size > 1]).toEqual([true, true])
      for (const text of responseTexts) for (const word of hidden) expect(text).not.toContain(word)
      const requests = app.upstream.received.slice(firstRequest)
      const unsigned = requests.filter((request) => !double.isAuthorized(request))
      expect(unsigned.map(({ method, path }) => `${method} ${path}`)).toEqual([])
    },
  }
}

/** Fails if the second server got a key. */
export function expectNoKey({ received }: FakeUpstream, { key, secrets }: AnyDouble): void {
  expect(received.length).toBeGreaterThan(0)
  for (const { headers, path } of received) {
    const requestText = JSON.stringify([path, headers])
    for (const secret of [key, ...secrets]) expect(requestText).not.toContain(secret)
    for (const name of ['authorization', 'api-key', 'x-key', 'x-goog-api-key']) expect(headers[name]).toBeUndefined()
  }
}

/** The last order that the double got. */
export function lastCreateRequest({ scene }: Pick<Stage, 'scene'>): Received | undefined {
  return scene.app.upstream.received.findLast(({ method, path }) => method === 'POST' && path !== '/token' && path !== '/suno/fetch')
}

export function lastWork({ works }: Pick<AnyDouble, 'works'>): DoubleWork {
  const work = works.at(-1)
  if (work === undefined) throw new Error('nothing was ordered')
  return work
}
