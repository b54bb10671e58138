import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { holdsOf, mp4File } from '../task-scene.ts'
import { alibabaImageDouble, alibabaVideoDouble } from './task-doubles/alibaba.ts'
import { doubaoDouble } from './task-doubles/bytedance.ts'
import { falDouble } from './task-doubles/fal.ts'
import { fluxImageDouble, fluxVideoDouble } from './task-doubles/flux.ts'
import { hailuo3Double, hailuoDouble } from './task-doubles/minimax.ts'
import { novitaDouble } from './task-doubles/novita.ts'
import { azureDouble, openaiDouble } from './task-doubles/openai.ts'
import { openrouterDouble } from './task-doubles/openrouter.ts'
import { pixverseDouble } from './task-doubles/pixverse.ts'
import type { DoubleWork, TaskDouble } from './task-doubles/task-double.ts'
import { cloudVeoDouble, geminiVeoDouble, omniDouble } from './task-doubles/veo.ts'
import { zhipuDouble } from './task-doubles/zhipu.ts'
import { type Client, expectNoKey, lastCreateRequest, lastWork, type Stage, taskStage } from './task-stage.ts'

// Every vendor of videos and images, through the running server: what is created, polled, fetched and paid.

let stage: Stage
beforeAll(async () => {
  stage = await taskStage()
})
afterAll(() => stage.close())

const rows: readonly (readonly [name: string, make: () => TaskDouble])[] = [
  ['Pika at fal', falDouble],
  ['PixVerse', pixverseDouble],
  ['Flux, pictures', fluxImageDouble],
  ['Flux, videos', fluxVideoDouble],
  ['Alibaba, pictures', alibabaImageDouble],
  ['Alibaba, videos', alibabaVideoDouble],
  ['ByteDance', doubaoDouble],
  ['MiniMax, Hailuo 2.3', hailuoDouble],
  ['MiniMax, H3', hailuo3Double],
  ['Novita, pictures', novitaDouble],
  ['Zhipu', zhipuDouble],
  ['OpenRouter', openrouterDouble],
  ['OpenAI', openaiDouble],
  ['Azure', azureDouble],
  ['Veo with a key of Gemini', () => geminiVeoDouble(49)],
  ['a channel of Gemini', () => geminiVeoDouble(24)],
  ['Omni', omniDouble],
  ['Veo with a service account', () => cloudVeoDouble(49, stage.scene.app.upstream.url)],
  ['a channel of Vertex AI', () => cloudVeoDouble(42, stage.scene.app.upstream.url)],
]

describe.each(rows)('%s', (_name, make) => {
  let double: TaskDouble
  let client: Client
  beforeAll(async () => {
    double = make()
    client = await stage.play(double)
  })
  beforeEach(() => {
    stage.refusal = null
    double.took = null
    double.elsewhere = { results: null, places: null }
  })
  afterEach(async () => {
    expect(await holdsOf(stage.scene.app)).toBe(0)
  })
  afterAll(() => client.expectSecrecy())

  const at = (id: string): string => (double.path === '/v1/videos' ? `/v1/videos/${id}` : `/v1/tasks/${id}`)

  async function created(): Promise<{ readonly id: string; readonly work: DoubleWork }> {
    await client.spent()
    const { status, body } = await client.ask(double.path, { method: 'POST', body: double.params })
    expect([status, body['error'] ?? null]).toEqual([200, null])
    return { id: String(body['id']), work: lastWork(double) }
  }

  /** The double finishes the work, and the server asks about it. */
  async function ends(work: DoubleWork, as: DoubleWork['stage'] = 'done'): Promise<void> {
    work.stage = as
    await stage.scene.poll()
  }

  test('work is created, polled, fetched, and charged once by its price', async () => {
    const { app, poll } = stage.scene
    const { id, work } = await created()
    expect(id).toMatch(/^(?:video|task)_[0-9a-f]{32}$/)
    const hold = await app.app.store.db.selectFrom('holds').selectAll().executeTakeFirstOrThrow()
    expect([Number(hold.amount), hold.task_id]).toEqual([double.price, id])
    const lastRequest = lastCreateRequest(stage)
    expect([lastRequest?.path, JSON.parse(lastRequest?.body ?? '{}')]).toEqual([double.upstreamRequest.path, double.upstreamRequest.body])
    await ends(work, 'running')
    expect((await client.ask(at(id))).body).toMatchObject({ id, status: 'in_progress', error: null })
    expect((await client.fetch(`/v1/tasks/${id}/content`)).status).toBe(409)
    expect(await client.spent()).toBe(0)
    await ends(work)
    expect((await client.ask(at(id))).body).toMatchObject({ id, status: 'completed', progress: 100, error: null })
    const { body } = await client.ask(`/v1/tasks/${id}`)
    expect(body).toMatchObject({ estimated_quota: double.price, charged_quota: double.price })
    expect(await client.spent()).toBe(double.price)
    const [row] = await app.data(contract.log.list, { username: client.user.username })
    expect(row).toMatchObject({ model_name: double.models, quota: double.price, channel: client.channel, end_reason: 'complete' })
    const paths = [`/v1/tasks/${id}/content?index=0`, ...(double.path === '/v1/videos' ? [`/v1/videos/${id}/content`] : [])]
    for (const path of paths) {
      const whole = await client.fetch(path)
      expect([whole.status, whole.type, whole.bytes.equals(mp4File)]).toEqual([200, double.contentType, true])
      const part = await client.fetch(path, { range: 'bytes=100-199' })
      expect([part.status, part.bytes.equals(mp4File.subarray(100, 200))]).toEqual([206, true])
    }
    await poll()
    expect(await client.spent()).toBe(0)
  })

  test('work that fails is free', async () => {
    const { id, work } = await created()
    await ends(work, 'failed')
    expect((await client.ask(at(id))).body).toMatchObject({ status: 'failed', error: { code: double.failure } })
    expect(await client.spent()).toBe(0)
    const [row] = await stage.scene.app.data(contract.log.list, { username: client.user.username })
    expect(row).toMatchObject({ quota: 0, end_reason: 'failed' })
  })

  test('work that is moderated says so, and is free', async () => {
    const { id, work } = await created()
    await ends(work, 'moderated')
    expect((await client.ask(at(id))).body).toMatchObject({ status: 'failed', error: { code: 'moderation_blocked' } })
    expect(await client.spent()).toBe(0)
  })

  test('a cost that the vendor names replaces the planned one', async () => {
    const { counted } = double
    if (counted === null) return
    double.took = counted.took
    const { id, work } = await created()
    await ends(work)
    expect(await client.spent()).toBe(counted.price)
    expect((await client.ask(`/v1/tasks/${id}`)).body).toMatchObject({ status: 'completed', charged_quota: counted.price })
  })

  test('what cannot be mapped is refused by name, and nothing is reserved or sent', async () => {
    const worksBefore = double.works.length
    for (const [name, change] of Object.entries(double.refused)) {
      const response = await client.ask(double.path, { method: 'POST', body: { ...double.params, ...change } })
      expect([name, response.status, response.body]).toMatchObject([name, 400, { error: { param: name } }])
    }
    expect(double.works.length).toBe(worksBefore)
  })

  test('a task request that the vendor refuses for its key or its content has failed for free', async () => {
    await client.spent()
    for (const [script, code] of [[double.wrongKey, null] as const, [double.wrongContent, 'moderation_blocked'] as const]) {
      stage.refusal = script
      if (script === null) continue
      const { status, body } = await client.ask(double.path, { method: 'POST', body: double.params })
      // For a key that is refused, the client gets an error in the server's words.
      const errorCode = (body['error'] as { readonly code: string }).code
      expect([status >= 400, errorCode === (code ?? errorCode)]).toEqual([true, true])
      const { body: list } = await client.ask('/v1/tasks?limit=1')
      expect(list['data']).toMatchObject([{ status: 'failed', charged_quota: 0, error: { code: errorCode } }])
    }
    expect(await client.spent()).toBe(0)
  })

  test('work is stopped for free where the vendor can stop it', async () => {
    const { id, work } = await created()
    const { status, body } = await client.ask(`/v1/tasks/${id}/cancel`, { method: 'POST' })
    if (double.canStop) {
      expect([status, body['status'], work.stage]).toEqual([200, 'cancelled', 'stopped'])
      expect(await client.spent()).toBe(0)
    } else {
      expect([status, body['error']]).toMatchObject([409, { code: 'task_not_cancellable' }])
      await ends(work)
      expect(await client.spent()).toBe(double.price)
    }
  })

  test('a result at another host is fetched without the key', async () => {
    if (!double.hasAddresses) return
    double.elsewhere.results = stage.otherAtPublicName
    const { id, work } = await created()
    await ends(work)
    const { status, bytes } = await client.fetch(`/v1/tasks/${id}/content`)
    expect([status, bytes.equals(mp4File)]).toEqual([200, true])
    expect(stage.other.received.at(-1)?.path).toBe(`/results/${work.id}`)
    expectNoKey(stage.other, double)
  })

  test('a result at a private address that is not the vendor’s is gone, and is not fetched', async () => {
    if (!double.hasAddresses) return
    const before = stage.other.received.length
    double.elsewhere.results = stage.other.url
    const { id, work } = await created()
    await ends(work)
    expect((await client.fetch(`/v1/tasks/${id}/content`)).status).toBe(410)
    expect(stage.other.received.length).toBe(before)
  })

  test('work that the vendor keeps at another host is polled there without the key', async () => {
    if (!double.namesPlaces) return
    double.elsewhere.places = stage.otherAtPublicName
    const { id, work } = await created()
    const before = stage.other.received.length
    await ends(work)
    expect(stage.other.received.length).toBeGreaterThan(before)
    expectNoKey(stage.other, double)
    expect((await client.ask(at(id))).body).toMatchObject({ status: 'completed' })
  })

  test('work that the vendor names a private address for is not polled there, and is given up for free', async () => {
    if (!double.namesPlaces) return
    double.elsewhere.places = stage.other.url
    const { id, work } = await created()
    const before = stage.other.received.length
    work.stage = 'done'
    for (let count = 0; count < 32; count += 1) await stage.scene.poll(20 * 60_000)
    expect((await client.ask(at(id))).body).toMatchObject({ error: { code: 'task_expired' } })
    expect(stage.other.received.length).toBe(before)
    expect(await client.spent()).toBe(0)
  })

  test('ended work is deleted', async () => {
    const { id, work } = await created()
    expect((await client.ask(at(id), { method: 'DELETE' })).status).toBe(409)
    await ends(work)
    expect((await client.ask(at(id), { method: 'DELETE' })).body).toMatchObject({ id, deleted: true })
    expect((await client.ask(at(id))).status).toBe(404)
  })
})
