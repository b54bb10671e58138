import { describe, expect, test } from 'bun:test'
import { page, requestIn, runningTask, taskContext, taskParamsOf, taskResponse } from '../../../test/tasks.ts'
import type { JsonObject } from '../../core/json.ts'
import type { TaskParams } from '../../core/task.ts'
import { sunoapiSongs } from './sunoapi.ts'

const base = 'https://api.sunoapi.org'
const context = taskContext(base)
const taskParamsFor = (params: Partial<TaskParams>) =>
  taskParamsOf({ model: params.action === 'lyrics' ? 'suno_lyrics' : 'suno_music', kind: 'songs', action: 'music', ...params })
const step = (params: Partial<TaskParams>, ...responses: ReadonlyArray<ReturnType<typeof taskResponse>>) =>
  sunoapiSongs.submit(context, taskParamsFor(params), responses)
const success = (data: JsonObject | null) => taskResponse({ code: 200, msg: 'success', data })
const bodyOf = (params: Partial<TaskParams>) => requestIn(step(params)).body

describe('an order', () => {
  test('with a description only is sent without a style', () => {
    expect(requestIn(step({}))).toEqual({
      method: 'POST',
      url: `${base}/api/v1/generate`,
      headers: { 'content-type': 'application/json' },
      body: { customMode: false, instrumental: false, prompt: 'A cat', model: 'V5', callBackUrl: base },
    })
    expect(sunoapiSongs.plan(taskParamsFor({}))).toEqual({ counts: { calls: 1 } })
  })

  test('in the parameters of Suno-API is translated', () => {
    const extra = { tags: 'punk', title: 'Lights', mv: 'chirp-auk', make_instrumental: false, negative_tags: 'jazz', notify_hook: '' }
    expect(bodyOf({ prompt: '[Verse]', extra })).toEqual({
      customMode: true,
      instrumental: false,
      style: 'punk',
      title: 'Lights',
      prompt: '[Verse]',
      model: 'V4_5',
      negativeTags: 'jazz',
      callBackUrl: base,
    })
    expect(bodyOf({ prompt: '', extra: { gpt_description_prompt: 'a song', make_instrumental: true, tags: '' } })).toMatchObject({
      customMode: false,
      instrumental: true,
      prompt: 'a song',
    })
  })

  test('in its own parameters is sent with all of them', () => {
    const own = {
      negativeTags: 'jazz',
      vocalGender: 'f',
      styleWeight: 0.5,
      weirdnessConstraint: 0,
      audioWeight: 1,
      personaId: 'p',
      personaModel: 'm',
    }
    const extra = { ...own, customMode: true, instrumental: true, style: 'punk', title: 'Lights', mv: 'V4_5ALL' }
    const { mv, ...rest } = extra
    expect(bodyOf({ prompt: '', extra })).toEqual({ ...rest, model: mv, callBackUrl: base })
  })

  test('that continues a clip goes to the extension', () => {
    expect(requestIn(step({ prompt: '', extra: { continue_clip_id: 'c1' } }))).toMatchObject({
      url: `${base}/api/v1/generate/extend`,
      body: { defaultParamFlag: false, audioId: 'c1', model: 'V5', callBackUrl: base },
    })
    expect(bodyOf({ extra: { continue_clip_id: 'c1', continue_at: 60, tags: 'punk', title: 'More' } })).toEqual({
      defaultParamFlag: true,
      audioId: 'c1',
      continueAt: 60,
      prompt: 'A cat',
      style: 'punk',
      title: 'More',
      model: 'V5',
      callBackUrl: base,
    })
  })

  test('may name the task of the clip that it continues', () => {
    const source = runningTask({ model: 'suno_music', kind: 'songs' })
    expect(bodyOf({ prompt: '', source, extra: { continue_clip_id: 'c1', task_id: 'ours' } })).toMatchObject({ audioId: 'c1' })
  })

  test('of lyrics is sent with its prompt', () => {
    expect(requestIn(step({ action: 'lyrics', prompt: 'dance' }))).toMatchObject({
      url: `${base}/api/v1/lyrics`,
      body: { prompt: 'dance', callBackUrl: base },
    })
  })

  test.each<[string, Partial<TaskParams>]>([
    ['prompt', { prompt: '' }],
    ['prompt', { action: 'lyrics', prompt: '' }],
    ['prompt', { prompt: '', extra: { tags: 'punk', title: 'Lights' } }],
    ['title', { extra: { tags: 'punk' } }],
    ['tags', { extra: { title: 'Lights' } }],
    ['tags', { action: 'lyrics', extra: { tags: 'punk' } }],
    ['gpt_description_prompt', { extra: { gpt_description_prompt: 'a song' } }],
    ['gpt_description_prompt', { extra: { gpt_description_prompt: 'a song', tags: 'punk', title: 'x' } }],
    ['mv', { extra: { mv: 'chirp-v9' } }],
    ['styleWeight', { extra: { styleWeight: 2 } }],
    ['vocalGender', { extra: { vocalGender: 'x' } }],
    ['continue_at', { extra: { continue_clip_id: 'c1' } }],
    ['continue_at', { extra: { continue_clip_id: 'c1', continue_at: 0 } }],
    ['continue_clip_id', { extra: { continue_at: 60 } }],
    ['callBackUrl', { extra: { callBackUrl: 'https://client.example' } }],
    ['notify_hook', { extra: { notify_hook: 'https://client.example' } }],
    ['task_id', { extra: { task_id: 'x' } }],
    ['seconds', { seconds: 30 }],
  ])('is refused by the name %s: %j', (refused, params) => {
    expect(sunoapiSongs.plan(taskParamsFor(params))).toEqual({ refused })
    expect(step(params)).toMatchObject({ failed: { kind: 'bad_request', param: refused } })
  })
})

describe('a submission', () => {
  test('gives the id', () => {
    expect(step({}, success({ taskId: 't1' }))).toEqual({ done: { vendorId: 't1', memo: {} } })
  })

  test.each([
    [400, 'bad_request', 'no'],
    [401, 'bad_key', 'no'],
    [402, 'no_quota', 'no'],
    [413, 'bad_request', 'no'],
    [429, 'rate_limited', 'too fast'],
    [429, 'no_quota', 'The current credits are insufficient'],
    [430, 'rate_limited', 'no'],
    [455, 'unavailable', 'no'],
    [500, 'unavailable', 'no'],
  ] as const)('with the code %d is a failure of the kind %s: %s', (code, kind, msg) => {
    expect(step({}, taskResponse({ code, msg, data: null }))).toMatchObject({ failed: { kind, message: msg, code: String(code) } })
  })

  test('with an odd response fails', () => {
    for (const odd of [page, taskResponse(null), success(null), success({ taskId: 7 }), taskResponse({ code: 'x' })])
      expect(step({}, odd)).toMatchObject({ failed: { kind: 'unavailable' } })
  })
})

describe('a task', () => {
  const task = runningTask({ model: 'suno_music', kind: 'songs', action: 'music', vendorId: 't1' })
  const lyrics = runningTask({ model: 'suno_lyrics', kind: 'songs', action: 'lyrics', vendorId: 't/2' })
  const polled = (record: JsonObject, of = task) => sunoapiSongs.poll(context, of, [success(record)])
  const clip = {
    id: 'c1',
    audioUrl: 'https://cdn.example/c1.mp3',
    imageUrl: 'https://cdn.example/c1.jpeg',
    title: 'Lights',
    tags: 'punk',
    duration: 198.4,
  }
  const response = { taskId: 't1', sunoData: [clip] }
  const results = [
    { variant: 'audio' as const, url: clip.audioUrl },
    { variant: 'image' as const, url: clip.imageUrl },
  ]

  test('is polled at the record of its work', () => {
    expect(requestIn(sunoapiSongs.poll(context, task, [])).url).toBe(`${base}/api/v1/generate/record-info?taskId=t1`)
    expect(requestIn(sunoapiSongs.poll(context, lyrics, [])).url).toBe(`${base}/api/v1/lyrics/record-info?taskId=t%2F2`)
  })

  test('is completed, with data in the form that clients of songs know', () => {
    const data = {
      task_id: 't1',
      action: 'MUSIC',
      status: 'SUCCESS',
      fail_reason: '',
      progress: '100%',
      data: [
        { id: 'c1', title: 'Lights', audio_url: clip.audioUrl, image_url: clip.imageUrl, metadata: { tags: 'punk', duration: 198.4 } },
      ],
    }
    expect(polled({ status: 'SUCCESS', response })).toEqual({ done: { state: 'completed', progress: 100, results, data } })
  })

  test('of lyrics is completed with its texts', () => {
    const record = { status: 'SUCCESS', response: { data: [{ text: '[Verse]', title: 'Rain', status: 'complete' }, { text: '[Chorus]' }] } }
    expect(polled(record, lyrics)).toMatchObject({
      done: {
        state: 'completed',
        results: [
          { variant: 'text', text: '[Verse]' },
          { variant: 'text', text: '[Chorus]' },
        ],
        data: { action: 'LYRICS', data: { text: '[Verse]', title: 'Rain', status: 'complete' } },
      },
    })
  })

  test.each([
    ['queued', 'PENDING'],
    ['in_progress', 'TEXT_SUCCESS'],
    ['in_progress', 'FIRST_SUCCESS'],
    ['in_progress', 'SOMETHING_NEW'],
    ['in_progress', 'CALLBACK_EXCEPTION'],
  ] as const)('is %s while the vendor says %s', (state, status) => {
    expect(polled({ status, response: null })).toMatchObject({ done: { state } })
  })

  test('is completed although nobody responded to the callback', () => {
    expect(polled({ status: 'CALLBACK_EXCEPTION', response })).toMatchObject({ done: { state: 'completed', results } })
  })

  test.each([
    ['task_failed', { status: 'CREATE_TASK_FAILED', errorMessage: 'no' }],
    ['task_failed', { status: 'GENERATE_AUDIO_FAILED', errorMessage: null }],
    ['task_failed', { status: 'GENERATE_LYRICS_FAILED', errorMessage: 'no' }],
    ['moderation_blocked', { status: 'SENSITIVE_WORD_ERROR', errorMessage: 'no' }],
    ['no_result', { status: 'SUCCESS', response: {} }],
  ])('fails with the code %s: %j', (code, record) => {
    expect(polled(record)).toMatchObject({ done: { state: 'failed', error: { code } } })
  })

  test('is unknown to the vendor', () => {
    expect(sunoapiSongs.poll(context, task, [success(null)])).toEqual({ done: null })
    expect(sunoapiSongs.poll(context, task, [taskResponse({ code: 404, msg: 'no' })])).toEqual({ done: null })
    expect(sunoapiSongs.poll(context, task, [taskResponse({ code: 500, msg: 'no' })])).toMatchObject({ failed: { kind: 'unavailable' } })
  })
})
