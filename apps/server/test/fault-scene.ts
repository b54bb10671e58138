import { contract } from '@sluice/contract'
import { type MadeUser, type TestApp, testApp } from './app.ts'
import type { Script } from './fake-upstream.ts'
import { until } from './server-process.ts'

/** A clock that a test may move on. Deadlines that have passed are noticed within the next quarter of a second. */
export interface MovableClock {
  nowMs(): number
  monotonicMs(): number
  /** Lets time pass for everybody who measures it. */
  pass(ms: number): void
  /** Somebody sets the clock on the wall. */
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

/** What the client sees of one call. */
export interface Seen {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The code of the error, in the answer itself or as an event of its stream; `null` where there is none. */
  readonly code: string | null
  /** Upstream's own success terminator arrived. */
  readonly isDone: boolean
}

/** What our own books say of one call. */
interface Booked {
  readonly quota: number
  readonly endReason: string
  readonly attempts: number
  readonly completionTokens: number
  readonly isEstimated: boolean
  readonly channelId: number
}

export interface Scene {
  readonly user: MadeUser
  readonly key: string
  /** The channels, by the order they are tried in. */
  readonly ids: readonly number[]
  ask(body?: object, init?: RequestInit): Promise<Response>
  /** Asks and reads to the end. */
  see(body?: object): Promise<Seen>
  /** Waits until the books are closed and returns them. */
  booked(): Promise<Booked>
}

/** Where a channel leads: to the fake upstream with these answers, one a request; to it by another way; or somewhere else. */
type Place = readonly Script[] | string | Way

interface Way {
  readonly answers: readonly Script[]
  readonly by?: string
  /** The type of the channel; OpenAI's where it is left out. */
  readonly type?: number
}

/** What every channel of a scene lists. */
const models = 'gpt-4o-mini,claude-sonnet-4-5'

export interface FaultScenes {
  readonly app: TestApp
  readonly clock: MovableClock
  /** A fresh account with a token, and channels that are tried one after another. */
  scene(...channels: readonly Place[]): Promise<Scene>
  /** Whatever happened: nothing stays reserved, every balance can be explained, and each request has one row. */
  expectSound(): Promise<readonly string[]>
}

const startBalance = 1_000_000

export async function startFaultScenes(env: Readonly<Record<string, string>> = {}): Promise<FaultScenes> {
  const clock = createMovableClock()
  const app = await testApp({ clock, env: { FIRST_BYTE_TIMEOUT_MS: '120000', IDLE_TIMEOUT_MS: '120000', ...env } })
  const { db } = app.app.store
  /** Answers that are still to be given, by the key of the channel: what one scene left over is no other's. */
  const answers = new Map<string, Script[]>()
  app.upstream.fallback(({ headers }) => {
    const key = headers['x-api-key'] ?? headers['authorization']?.slice('Bearer '.length)
    return answers.get(String(key))?.shift() ?? [{ do: 'cut' }]
  })

  async function scene(...channels: readonly Place[]): Promise<Scene> {
    const groups = `g${crypto.randomUUID().slice(0, 8)}`
    const user = await app.make.user({ groups, quota: startBalance })
    const { key } = await app.make.token(user, { isUnlimited: true })
    const ids: number[] = []
    for (const [index, place] of channels.entries()) {
      const { by, type = 1, answers: given } = placed(place)
      const key = `upstream-key-${groups}-${index}`
      answers.set(key, [...given])
      ids.push(await app.make.channel({ groups, key, type, models, priority: -index, ...(by === undefined ? {} : { baseUrl: by }) }))
    }
    const ask: Scene['ask'] = (body = {}, init = {}) =>
      app.request('/v1/chat/completions', {
        method: 'POST',
        headers: { authorization: `Bearer ${key}` },
        body: JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hi' }], ...body }),
        ...init,
      })
    return {
      user,
      key,
      ids,
      ask,
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
    async expectSound() {
      const open = await db.selectFrom('holds').select('request_id').execute()
      const rows = await db.selectFrom('logs').select('request_id').where('type', '=', 2).where('request_id', '!=', '').execute()
      const twice = rows.length - new Set(rows.map(({ request_id: id }) => id)).size
      return [
        ...open.map(({ request_id: id }) => `${id} is still reserved`),
        ...(twice > 0 ? [`${twice} requests have several rows`] : []),
        ...(await app.unsound()),
      ]
    },
  }
}

function placed(place: Place): Way {
  if (typeof place === 'string') return { by: place, answers: [] }
  return 'answers' in place ? place : { answers: place }
}

/** Reads an answer to its end. A connection that breaks is an end like any other: what came before is what the client has seen. */
export function seen(response: Response): Promise<Seen> {
  return follow(response).ended
}

/** Reads an answer and tells what has come so far. */
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
