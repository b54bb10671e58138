import { contract } from '@sluice/contract'
import { type TestApp, type TestUser, testApp } from './app.ts'
import type { Script } from './fake-upstream.ts'
import { until } from './server-process.ts'

/** A clock that a test can advance. Expired deadlines are noticed within a quarter of a second. */
export interface MovableClock {
  nowMs(): number
  monotonicMs(): number
  /** Advances both clocks. */
  pass(ms: number): void
  /** Sets the wall clock by this difference. */
  setBy(ms: number): void
}

function createMovableClock(): MovableClock {
  let passed = 0
  let set = 0
  return {
    nowMs: () => Date.now() + passed + set,
    monotonicMs: () => performance.now() + passed,
    pass(ms) {
      passed += ms
    },
    setBy(ms) {
      set += ms
    },
  }
}

/** What the client saw of one call. */
export interface Seen {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The error code, in the response or in an event of its stream; `null`: there is none. */
  readonly code: string | null
  /** The terminator of the vendor's stream arrived. */
  readonly isDone: boolean
}

/** What ledger and log say of one call. */
interface Booked {
  readonly quota: number
  readonly endReason: string
  readonly attempts: number
  readonly completionTokens: number
  readonly isEstimated: boolean
  readonly channelId: number
}

export interface Scene {
  readonly user: TestUser
  readonly key: string
  /** Ids of the channels, in the order in which they are tried. */
  readonly ids: readonly number[]
  ask(body?: object, init?: RequestInit): Promise<Response>
  /** Sends a request to any path of the relay. */
  post(path: string, body: object, init?: RequestInit): Promise<Response>
  /** Sends a request and reads its response to the end. */
  see(body?: object): Promise<Seen>
  /** Waits until the request is charged. */
  booked(): Promise<Booked>
}

/** The vendor of a channel: the fake upstream with these responses, one for each request; the same by another way; or another address. */
type Place = readonly Script[] | string | Way

interface Way {
  readonly responses: readonly Script[]
  readonly by?: string
  /** Type of the channel; missing = OpenAI's. */
  readonly type?: number
}

/** Models of every channel of a scene. */
const models = 'gpt-4o-mini,claude-sonnet-4-5,gemini-3.8-flash'

export interface FaultScenes {
  readonly app: TestApp
  readonly clock: MovableClock
  /** A new account with a token, and channels that are tried one after another. */
  scene(...channels: readonly Place[]): Promise<Scene>
  /** Checks that no hold is left, that entries explain every balance, and that each request has one row. */
  expectConsistent(): Promise<readonly string[]>
}

const startBalance = 1_000_000

export async function startFaultScenes(env: Readonly<Record<string, string>> = {}): Promise<FaultScenes> {
  const clock = createMovableClock()
  // Streams of clients that leave are stopped at once: reading on is covered by tests of its own.
  const waits = { FIRST_BYTE_TIMEOUT_MS: '120000', IDLE_TIMEOUT_MS: '120000', ABANDONED_MS: '0' }
  const app = await testApp({ clock, env: { ...waits, ...env } })
  const { db } = app.app.store
  /** Responses that are still to be sent, by the key of the channel, so that no scene gets those of another. */
  const responses = new Map<string, Script[]>()
  app.upstream.fallback(({ headers }) => {
    const key = headers['x-api-key'] ?? headers['x-goog-api-key'] ?? headers['authorization']?.slice('Bearer '.length)
    return responses.get(String(key))?.shift() ?? [{ do: 'cut' }]
  })

  async function scene(...channels: readonly Place[]): Promise<Scene> {
    const groups = `g${crypto.randomUUID().slice(0, 8)}`
    const user = await app.make.user({ groups, quota: startBalance })
    const { key } = await app.make.token(user, { isUnlimited: true })
    const ids: number[] = []
    for (const [index, place] of channels.entries()) {
      const { by, type = 1, responses: scripts } = placed(place)
      const key = `upstream-key-${groups}-${index}`
      responses.set(key, [...scripts])
      ids.push(await app.make.channel({ groups, key, type, models, priority: -index, ...(by === undefined ? {} : { baseUrl: by }) }))
    }
    const post: Scene['post'] = (path, body, init = {}) =>
      app.request(path, { method: 'POST', headers: { authorization: `Bearer ${key}` }, body: JSON.stringify(body), ...init })
    const ask: Scene['ask'] = (body = {}, init = {}) =>
      post('/v1/chat/completions', { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hi' }], ...body }, init)
    return {
      user,
      key,
      ids,
      ask,
      post,
      see: async (body) => await seen(await ask(body)),
      async booked() {
        const rows = () => db.selectFrom('logs').selectAll().where('user_id', '=', user.id).where('type', '=', 2).execute()
        await until(async () => (await rows()).length > 0)
        const [row] = await rows()
        const { quota } = await app.data(contract.account.self, {}, user)
        return {
          quota: startBalance - quota,
          endReason: row?.end_reason ?? '',
          attempts: row?.attempts ?? 0,
          completionTokens: row?.completion_tokens ?? 0,
          isEstimated: row?.estimated === 1,
          channelId: row?.channel_id ?? 0,
        }
      },
    }
  }

  return {
    app,
    clock,
    scene,
    async expectConsistent() {
      const open = await db.selectFrom('holds').select('request_id').execute()
      const rows = await db.selectFrom('logs').select('request_id').where('type', '=', 2).where('request_id', '!=', '').execute()
      const twice = rows.length - new Set(rows.map(({ request_id: id }) => id)).size
      return [
        ...open.map(({ request_id: id }) => `${id} is still reserved`),
        ...(twice > 0 ? [`${twice} requests have several rows`] : []),
        ...(await app.inconsistencies()),
      ]
    },
  }
}

function placed(place: Place): Way {
  if (typeof place === 'string') return { by: place, responses: [] }
  return 'responses' in place ? place : { responses: place }
}

/** Reads a response to its end. If the connection breaks, what came before is returned. */
export function seen(response: Response): Promise<Seen> {
  return follow(response).ended
}

/** Reads a response; `text` returns what has arrived so far. */
export function follow(response: Response): { text(): string; readonly ended: Promise<Seen> } {
  let text = ''
  async function read(): Promise<Seen> {
    const decoder = new TextDecoder()
    try {
      for await (const bytes of response.body ?? []) text += decoder.decode(bytes, { stream: true })
    } catch {
      text += '<reset>'
    }
    const code = /"error":\{.*?"code":"(\w+)"/.exec(text)?.[1] ?? null
    return { status: response.status, headers: response.headers, text, code, isDone: text.endsWith('data: [DONE]\n\n') }
  }
  return { text: () => text, ended: read() }
}
