import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  doneIn,
  oddResponses,
  page,
  requestIn,
  runningTask,
  survives,
  taskContext,
  taskParamsOf,
  taskResponse,
} from '../../../test/tasks.ts'
import type { TaskParams } from '../../core/task.ts'
import { addressed } from '../../registry/channel-facts.ts'
import { defaultPrice } from '../../registry/models/prices.ts'
import { taskDialectOf } from '../../registry/task-dialect-of.ts'
import { sunoApiSongs } from './suno-api.ts'
import { sunoapiSongs } from './sunoapi.ts'
import { suno } from './vendor.ts'

const base = 'https://relay.example'
const context = taskContext(base)
const task = runningTask({ model: 'suno_music', kind: 'songs', action: 'music', vendorId: 't1' })
const song: Partial<TaskParams> = { kind: 'songs', action: 'music' }
const taskParamsFor = (params: Partial<TaskParams>) =>
  taskParamsOf({ model: params.action === 'lyrics' ? 'suno_lyrics' : 'suno_music', ...song, ...params })
const step = (params: Partial<TaskParams>, ...responses: ReadonlyArray<ReturnType<typeof taskResponse>>) =>
  sunoApiSongs.submit(context, taskParamsFor(params), responses)
const success = (data: Parameters<typeof taskResponse>[0]) => taskResponse({ code: 'success', message: '', data })

const clip = {
  id: 'c1',
  audio_url: 'https://cdn.example/c1.mp3',
  video_url: 'https://cdn.example/c1.mp4',
  image_url: 'https://cdn.example/c1.jpeg',
  image_large_url: 'https://cdn.example/large.jpeg',
  metadata: { tags: 'punk' },
}
const finished = {
  task_id: 't1',
  action: 'MUSIC',
  status: 'SUCCESS',
  fail_reason: '',
  progress: '100%',
  data: [clip, { audio_url: 'https://cdn.example/c2.mp3' }],
}
const results = [
  { variant: 'audio', url: clip.audio_url },
  { variant: 'image', url: clip.image_large_url },
  { variant: 'video', url: clip.video_url },
  { variant: 'audio', url: 'https://cdn.example/c2.mp3' },
] as const

describe('an order', () => {
  test('is passed on as the client sent it', () => {
    const extra = {
      tags: 'emotional punk',
      mv: 'chirp-v4',
      title: 'City Lights',
      make_instrumental: false,
      its_own: { a: [1] },
      notify_hook: '',
    }
    expect(requestIn(step({ prompt: '[Verse]', extra }))).toEqual({
      method: 'POST',
      url: `${base}/suno/submit/MUSIC`,
      headers: { 'content-type': 'application/json' },
      body: {
        tags: 'emotional punk',
        mv: 'chirp-v4',
        title: 'City Lights',
        make_instrumental: false,
        its_own: { a: [1] },
        prompt: '[Verse]',
      },
    })
    expect(requestIn(step({ prompt: '', extra: { gpt_description_prompt: 'a song' } })).body).toEqual({ gpt_description_prompt: 'a song' })
    expect(requestIn(step({ action: 'lyrics', prompt: 'dance' }))).toMatchObject({
      url: `${base}/suno/submit/LYRICS`,
      body: { prompt: 'dance' },
    })
    expect(sunoApiSongs.plan(taskParamsFor({ extra }))).toEqual({ counts: { calls: 1 } })
  })

  test('that continues a task names it as the relay does', () => {
    const extra = { task_id: 'ours', continue_clip_id: 'c1', continue_at: 60 }
    expect(requestIn(step({ extra, source: task })).body).toEqual({
      continue_clip_id: 'c1',
      continue_at: 60,
      prompt: 'A cat',
      task_id: 't1',
    })
  })

  test('without an action is recognized by its model', () => {
    expect(requestIn(step({ action: 'create' })).url).toEndWith('/MUSIC')
    expect(requestIn(step({ action: 'create', model: 'suno_lyrics' })).url).toEndWith('/LYRICS')
  })

  test.each<[string, Partial<TaskParams>]>([
    ['task_id', { extra: { task_id: 'unknown' } }],
    ['notify_hook', { extra: { notify_hook: 'https://client.example' } }],
    ['prompt', { action: 'lyrics', prompt: '' }],
    ['model', { model: 'suno_lyrics' }],
    ['model', { action: 'lyrics', model: 'suno_music' }],
    ['seconds', { seconds: 5 }],
    ['size', { size: { width: 1, height: 1 } }],
    ['input_reference', { images: [{ url: 'https://x.example' }] }],
  ])('is refused by the name %s: %j', (refused, params) => {
    expect(sunoApiSongs.plan(taskParamsFor(params))).toEqual({ refused })
    expect(step(params)).toMatchObject({ failed: { kind: 'bad_request', param: refused } })
  })

  test('has a price for each work', () => {
    const terms = { yuanPerDollar: 7, nowMs: 0 }
    expect(suno.models.names.map((model) => defaultPrice(model, terms))).toEqual([{ call: 0.01 }, { call: 0.1 }])
  })
})

describe('a channel', () => {
  test.each([
    ['https://relay.example', sunoApiSongs],
    ['https://sunoapi.org.example', sunoApiSongs],
    ['https://api.sunoapi.org', sunoapiSongs],
    ['https://api.kie.ai/', sunoapiSongs],
  ])('with the address %s has its dialect', (baseUrl, dialect) => {
    const channel = addressed(suno, { baseUrl, key: 'k', config: '', other: '' })
    expect(channel === null ? null : taskDialectOf(channel.vendor, 'songs', 'suno_music')).toBe(dialect)
  })

  test('needs an address', () => {
    expect(addressed(suno, { baseUrl: '', key: 'k', config: '', other: '' })).toBeNull()
  })

  test('may end with a version', () => {
    expect(requestIn(sunoApiSongs.poll(taskContext('https://relay.example/v1'), task, [])).url).toBe('https://relay.example/suno/fetch/t1')
  })
})

describe('a submission', () => {
  test('gives the id', () => {
    expect(step({}, success('t1'))).toEqual({ done: { vendorId: 't1', memo: {} } })
    expect(step({}, success({ task_id: 't2' }))).toEqual({ done: { vendorId: 't2', memo: {} } })
  })

  test('is refused with the reason', () => {
    expect(step({}, taskResponse({ code: 'quota_not_enough', message: 'no money', data: null }, 403))).toMatchObject({
      failed: { kind: 'no_quota', message: 'no money' },
    })
    expect(step({}, taskResponse({ code: 'invalid_request', message: 'no', data: null }))).toMatchObject({
      failed: { kind: 'bad_request', message: 'no' },
    })
    expect(step({}, taskResponse({ code: 'sensitive_words_detected', message: 'no' }))).toMatchObject({
      failed: { code: 'moderation_blocked' },
    })
    expect(step({}, taskResponse({ error: { message: 'bad token', type: 'x' } }, 401))).toMatchObject({
      failed: { kind: 'bad_key', message: 'bad token' },
    })
    for (const odd of [page, success(null), success(''), taskResponse([]), taskResponse({ code: 'fail', message: 7 })])
      expect(step({}, odd)).toMatchObject({ failed: { kind: 'unavailable' } })
  })
})

describe('a task', () => {
  const polled = (...responses: ReadonlyArray<ReturnType<typeof taskResponse>>) => sunoApiSongs.poll(context, task, responses)

  test('is completed with the parts of its clips, and with the data of the vendor', () => {
    expect(requestIn(polled())).toEqual({ method: 'GET', url: `${base}/suno/fetch/t1`, headers: {} })
    expect(polled(success(finished))).toEqual({ done: { state: 'completed', progress: 100, results: [...results], data: finished } })
  })

  test('of lyrics is completed with a text', () => {
    const lyrics = { task_id: 't1', status: 'success', data: { id: 'l1', status: 'complete', title: 'Rain', text: '[Verse]' } }
    expect(polled(success(lyrics))).toMatchObject({ done: { state: 'completed', results: [{ variant: 'text', text: '[Verse]' }] } })
  })

  test.each([
    ['queued', 'NOT_START'],
    ['queued', 'submitted'],
    ['queued', 'QUEUED'],
    ['in_progress', 'IN_PROGRESS'],
    ['in_progress', 'UNKNOWN'],
    ['in_progress', 'constructor'],
  ] as const)('is %s while the relay says %s', (state, status) => {
    const data = { task_id: 't1', status, progress: '57%', data: [clip] }
    expect(polled(success(data))).toEqual({ done: { state, progress: 57, data } })
  })

  test('fails with the reason, or without a result', () => {
    const failed = (fail_reason: string) => polled(success({ task_id: 't1', status: 'FAILURE', fail_reason }))
    expect(failed('no account')).toMatchObject({ done: { state: 'failed', error: { code: 'task_failed', message: 'no account' } } })
    expect(failed('flagged for moderation')).toMatchObject({ done: { error: { code: 'moderation_blocked' } } })
    expect(polled(success({ ...finished, data: [{ image_url: clip.image_url }] }))).toMatchObject({
      done: { error: { code: 'no_result' } },
    })
    expect(polled(success({ ...finished, data: null }))).toMatchObject({ done: { state: 'failed', error: { code: 'no_result' } } })
  })

  test('is unknown to the relay', () => {
    for (const response of [taskResponse({}, 404), success(null), success([]), taskResponse({ code: 'task_not_exist', message: '' }, 400)])
      expect(polled(response)).toEqual({ done: null })
    expect(polled(page)).toMatchObject({ failed: { kind: 'unavailable' } })
  })
})

describe('several tasks', () => {
  const other = { ...task, vendorId: 't2' }
  const many = sunoApiSongs.pollMany

  test('are polled in one request, and those that were not requested are left out', () => {
    expect(many?.max).toBe(50)
    expect(requestIn(many?.step(context, [task, other], []) ?? { done: new Map() })).toMatchObject({
      method: 'POST',
      url: `${base}/suno/fetch`,
      body: { ids: ['t1', 't2'] },
    })
    const response = success([finished, { task_id: 't3', status: 'SUCCESS' }, null, 7, { task_id: 't2', status: 'QUEUED' }])
    const reports = doneIn(many?.step(context, [task, other], [response]) ?? { done: new Map() })
    expect([...reports].map(([id, { state }]) => [id, state])).toEqual([
      ['t1', 'completed'],
      ['t2', 'queued'],
    ])
  })

  test('are reported as a failure if the response is unreadable', () => {
    expect(many?.step(context, [task], [page])).toMatchObject({ failed: { kind: 'unavailable' } })
    expect(many?.step(context, [task], [success('x')])).toEqual({ done: new Map() })
  })
})

test('both dialects survive every response', () => {
  const names = [
    'code',
    'message',
    'msg',
    'data',
    'task_id',
    'taskId',
    'status',
    'response',
    'sunoData',
    'audioUrl',
    'audio_url',
    'text',
    'progress',
  ]
  const odd = oddResponses(names, ['success', 200, 'SUCCESS', 'FAILURE', 'CALLBACK_EXCEPTION', 'task-1', 'https://x.example'])
  const works = fc.constantFrom<TaskParams>(taskParamsFor({}), taskParamsFor({ action: 'lyrics' }))
  const dialects = fc.constantFrom(sunoApiSongs, sunoapiSongs)
  fc.assert(
    fc.property(dialects, works, fc.array(odd, { maxLength: 1 }), (dialect, params, responses) => survives(dialect, params, responses)),
  )
})
