import { expect } from 'bun:test'
import OpenAI, { APIError } from 'openai'
import type { StartedPolls } from '../src/relay/tasks/poller.ts'
import { type TestApp, type TestUser, testApp } from './app.ts'
import { type SetClock, setClock } from './channel-scene.ts'
import { json, type Received, type Script } from './fake-upstream.ts'

/** A video as the double of a vendor has it. */
export interface DoubleVideo {
  readonly id: string
  status: string
  progress: number
  error: { readonly code: string; readonly message: string } | null
  seconds: string
}

/** A vendor of OpenAI's videos: it creates what is requested, and tests advance its work. */
export interface VideoVendor {
  readonly videos: Map<string, DoubleVideo>
  /** Requests that order something. */
  createRequests(): readonly Received[]
  /** Responds before the usual responses; `null`: the usual one. */
  response: (request: Received) => Script | null
}

export const mp4File = Buffer.from(Array.from({ length: 5_000 }, (_, index) => index % 251))

function videoVendor(app: TestApp): VideoVendor {
  const videos = new Map<string, DoubleVideo>()
  const vendor: VideoVendor = {
    videos,
    createRequests: () => app.upstream.received.filter(({ method, path }) => method === 'POST' && path.startsWith('/v1/videos')),
    response: () => null,
  }
  app.upstream.fallback((request) => vendor.response(request) ?? usual(request, videos))
  return vendor
}

function usual(request: Received, videos: Map<string, DoubleVideo>): Script {
  const { method, path, body, headers } = request
  const [, , , id = '', below] = new URL(path, 'http://vendor').pathname.split('/')
  if (method === 'POST') {
    // A form has no parameters that matter here.
    const params = (body.startsWith('{') ? JSON.parse(body) : {}) as {
      readonly seconds?: string
      readonly size?: string
      readonly model?: string
    }
    const video = { id: `vid-${videos.size + 1}`, status: 'queued', progress: 0, error: null, seconds: params.seconds ?? '4' }
    videos.set(video.id, video)
    return json({ object: 'video', created_at: 1, model: params.model ?? 'sora-2', size: params.size ?? '720x1280', ...video })
  }
  const video = videos.get(id)
  if (video === undefined) return json({ error: { message: 'no such video', type: 'invalid_request_error' } }, 404)
  if (method === 'DELETE') {
    videos.delete(id)
    return json({ id, object: 'video.deleted', deleted: true })
  }
  if (below === 'content') return contentOf(String(headers['range'] ?? ''))
  return json({ object: 'video', created_at: 1, model: 'sora-2', size: '720x1280', ...video })
}

function contentOf(range: string): Script {
  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(range) ?? []
  const type = { 'content-type': 'video/mp4', 'accept-ranges': 'bytes' }
  if (first === undefined)
    return [
      { do: 'head', status: 200, headers: type },
      { do: 'send', bytes: mp4File },
    ]
  const [start, end] = [Number(first), last === '' || last === undefined ? mp4File.length : Number(last) + 1]
  const headers = { ...type, 'content-range': `bytes ${start}-${end - 1}/${mp4File.length}` }
  return [
    { do: 'head', status: 206, headers },
    { do: 'send', bytes: mp4File.subarray(start, end) },
  ]
}

export interface TaskSceneOptions {
  readonly models?: string
  readonly env?: Readonly<Record<string, string>>
  /** Replaces the name server. */
  readonly lookUp?: (host: string) => Promise<readonly string[]>
  /** Replaces the list of local networks. */
  readonly isLocal?: (address: string) => boolean
}

/** A server whose clock stands, whose questions tests begin, with a vendor of videos, an account and OpenAI's own client. */
export async function taskScene(options: TaskSceneOptions = {}) {
  const clock = setClock()
  const jobs = new Map<string, () => Promise<unknown>>()
  const app = await testApp({
    clock,
    ...(options.env === undefined ? {} : { env: options.env }),
    ...(options.lookUp === undefined ? {} : { lookUp: options.lookUp }),
    ...(options.isLocal === undefined ? {} : { isLocal: options.isLocal }),
    schedule: (all) => {
      for (const { name, run } of all) jobs.set(name, run)
      return () => {}
    },
  })
  const vendor = videoVendor(app)
  const user = await app.make.user({ quota: 10_000_000 })
  const { key } = await app.make.token(user, { isUnlimited: true })
  const client = clientFor(app, key)
  const channel = await app.make.channel({ type: 48, models: options.models ?? 'sora-2,sora-2-pro' })
  const run = async (name: string): Promise<unknown> => await jobs.get(name)?.()
  return {
    app,
    clock,
    vendor,
    user,
    key,
    client,
    channel,
    run,
    jobs: [...jobs.keys()],
    poll: (ms?: number) => pollAfter({ app, clock, run }, ms),
  }
}

export type TaskScene = Awaited<ReturnType<typeof taskScene>>

export function clientFor(app: TestApp, key: string): OpenAI {
  return new OpenAI({ apiKey: key, baseURL: `${app.url}/v1`, maxRetries: 0 })
}

interface Polling {
  readonly app: TestApp
  readonly clock: SetClock
  readonly run: (name: string) => Promise<unknown>
}

/** Moves the clock on and asks about every task that is due; resolves when all responses are stored. */
async function pollAfter({ app, clock, run }: Polling, ms = 40_000): Promise<void> {
  clock.advance(ms)
  // Holds: this job returns what it has started.
  const { responded } = (await run('poll-tasks')) as StartedPolls
  await responded
  await app.app.ledger.drain()
}

export async function balanceOf(app: TestApp, { id }: TestUser): Promise<number> {
  await app.app.ledger.drain()
  const row = await app.app.store.db.selectFrom('users').select('quota').where('id', '=', id).executeTakeFirstOrThrow()
  return Number(row.quota)
}

export async function holdsOf(app: TestApp): Promise<number> {
  await app.app.ledger.drain()
  return (await app.app.store.db.selectFrom('holds').selectAll().execute()).length
}

/** Closes a scene in which every task has ended: nothing is reserved any more, and the ledger is consistent. */
export async function closeConsistent({ app }: TaskScene): Promise<void> {
  expect(await holdsOf(app)).toBe(0)
  expect(await app.inconsistencies()).toEqual([])
  await app.close()
}

/** The error that OpenAI's client received. @throws Error if the call did not fail so */
export async function apiErrorOf(work: Promise<unknown>) {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (!(error instanceof APIError)) throw new Error('the call did not fail as a call of the API')
  return { status: error.status, code: error.code as unknown, param: error.param as unknown }
}
