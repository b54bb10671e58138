import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import type { Received } from '../fake-upstream.ts'
import { holdsOf, mp4File } from '../task-scene.ts'
import { sunoapiDouble, sunoDouble } from './task-doubles/suno.ts'
import type { DoubleWork } from './task-doubles/task-double.ts'
import { type Client, expectNoKey, lastCreateRequest, lastWork, type Stage, taskStage } from './task-stage.ts'

// Both forms of vendors of songs, through the running server.

let stage: Stage
beforeAll(async () => {
  stage = await taskStage()
})
afterEach(async () => {
  stage.refusal = null
  expect(await holdsOf(stage.scene.app)).toBe(0)
})
afterAll(() => stage.close())

const imageAddress = `data:image/png;base64,${Buffer.from('a picture').toString('base64')}`

const lastRequest = (): Received | undefined => lastCreateRequest(stage)
const lastBody = (): unknown => JSON.parse(lastRequest()?.body ?? '{}')

async function finish(work: DoubleWork): Promise<void> {
  work.stage = 'done'
  await stage.scene.poll()
}

/** A task as text. Clients of songs know the vendor's addresses of clips, so these stay. */
function withoutAddresses(task: unknown): string {
  return JSON.stringify(task, (name, value: unknown) => (name.endsWith('_url') ? null : value))
}

describe('Suno', () => {
  let double: ReturnType<typeof sunoDouble>
  let client: Client
  beforeAll(async () => {
    double = sunoDouble()
    client = await stage.play(double)
  })

  async function song(what: 'MUSIC' | 'LYRICS', body: object) {
    await client.spent()
    const response = await client.ask(`/suno/submit/${what}`, { method: 'POST', body })
    expect(response).toMatchObject({ status: 200, body: { code: 'success' } })
    return { id: String(response.body['data']), work: lastWork(double) }
  }

  const fetched = async (id: string): Promise<unknown> => (await client.ask(`/suno/fetch/${id}`)).body['data']

  test('makes a song of two clips, which are fetched through the server and paid by the call', async () => {
    const { id, work } = await song('MUSIC', { gpt_description_prompt: 'Rain', make_instrumental: false, mv: 'chirp-v4' })
    expect([lastRequest()?.path, lastBody()]).toEqual([
      '/suno/submit/MUSIC',
      { gpt_description_prompt: 'Rain', make_instrumental: false, mv: 'chirp-v4' },
    ])
    work.stage = 'running'
    await stage.scene.poll()
    expect(await fetched(id)).toMatchObject({ status: 'IN_PROGRESS', progress: '40%' })
    double.elsewhere.results = stage.otherAtPublicName
    await finish(work)
    expect(await fetched(id)).toMatchObject({ task_id: id, status: 'SUCCESS', data: [{ id: 'clip-1' }, { id: 'clip-2' }] })
    // A song costs $0.10.
    expect(await client.spent()).toBe(50_000)
    for (const index of [0, 1]) {
      const { status, type, bytes } = await client.fetch(`/v1/tasks/${id}/content?index=${index}`)
      expect([status, type, bytes.equals(mp4File)]).toEqual([200, 'audio/mpeg', true])
      expect(stage.other.received.at(-1)?.path).toBe(`/results/${work.id}-${index + 1}.mp3`)
    }
    expectNoKey(stage.other, double)
    expect((await client.fetch(`/v1/tasks/${id}/content?index=2`)).status).toBe(404)
  })

  test('writes words, which are their content', async () => {
    const { id, work } = await song('LYRICS', { prompt: 'Words about rain' })
    await finish(work)
    expect(await fetched(id)).toMatchObject({ action: 'LYRICS', status: 'SUCCESS', data: { text: 'It rains.' } })
    expect(await client.spent()).toBe(5_000)
    const { type, bytes } = await client.fetch(`/v1/tasks/${id}/content`)
    expect([type, bytes.toString()]).toEqual(['text/plain; charset=utf-8', 'It rains.'])
  })

  test('is free when it fails or is moderated, and reveals neither its key nor its names', async () => {
    for (const [end, code] of [['failed', 'task_failed'] as const, ['moderated', 'moderation_blocked'] as const]) {
      const { id, work } = await song('MUSIC', { prompt: 'Rain' })
      work.stage = end
      await stage.scene.poll()
      const taskText = JSON.stringify(await fetched(id))
      expect(taskText).toContain('"FAILURE"')
      for (const word of [double.key, work.id]) expect(taskText).not.toContain(word)
      expect((await client.ask(`/v1/tasks/${id}`)).body).toMatchObject({ status: 'failed', error: { code } })
      expect(await client.spent()).toBe(0)
    }
  })

  test('refuses by name what cannot be mapped, and for its key or its content what it does not take', async () => {
    await client.spent()
    const works = double.works.length
    const refused = { notify_hook: 'https://hooks.example.com', seconds: 30, size: '720x1280', input_reference: imageAddress }
    for (const [name, value] of Object.entries(refused)) {
      const { status, body } = await client.ask('/suno/submit/MUSIC', { method: 'POST', body: { prompt: 'Rain', [name]: value } })
      expect([name, status, String(body['message'])]).toEqual([name, 400, expect.stringContaining(name)])
    }
    for (const script of [double.wrongKey, double.wrongContent]) {
      stage.refusal = script
      const { status, body } = await client.ask('/suno/submit/MUSIC', { method: 'POST', body: { prompt: 'Rain' } })
      expect([status >= 400, JSON.stringify(body).includes(double.key)]).toEqual([true, false])
    }
    const { body } = await client.ask('/v1/tasks?limit=1')
    expect(body['data']).toMatchObject([{ status: 'failed', charged_quota: 0, error: { code: 'moderation_blocked' } }])
    expect([await client.spent(), double.works.length]).toEqual([0, works])
  })
})

test('sunoapi.org speaks another form, of which clients see nothing', async () => {
  const double = sunoapiDouble()
  double.elsewhere.results = stage.otherAtPublicName
  const client = await stage.play(double)
  const ends = [
    ['done', 'SUCCESS', 50_000],
    ['failed', 'FAILURE', 0],
    ['moderated', 'FAILURE', 0],
  ] as const
  for (const [end, status, price] of ends) {
    const { body } = await client.ask('/suno/submit/MUSIC', { method: 'POST', body: { prompt: 'La la', tags: 'calm', title: 'Rain' } })
    const id = String(body['data'])
    expect(lastRequest()?.path).toBe('/api/v1/generate')
    expect(lastBody()).toMatchObject({ customMode: true, instrumental: false, prompt: 'La la', style: 'calm', title: 'Rain' })
    lastWork(double).stage = end
    await stage.scene.poll()
    const { data: task } = (await client.ask(`/suno/fetch/${id}`)).body
    expect(task).toMatchObject({ task_id: id, action: 'MUSIC', status })
    for (const word of [double.key, lastWork(double).id]) expect(withoutAddresses(task)).not.toContain(word)
    expect(await client.spent()).toBe(price)
    const code = { done: null, failed: 'task_failed', moderated: 'moderation_blocked' }[end]
    expect((await client.ask(`/v1/tasks/${id}`)).body).toMatchObject({ error: code === null ? null : { code } })
    if (end === 'done') expect((await client.fetch(`/v1/tasks/${id}/content`)).bytes.equals(mp4File)).toBe(true)
  }
  expectNoKey(stage.other, double)
})
