import { expect, test } from 'bun:test'
import type { TaskFields, TaskRow } from '@sluice/contract'
import { splitParameters } from './parameter-text.ts'
import {
  createBody,
  createCall,
  idOf,
  newTaskValues,
  parametersOf,
  type TaskFormValues,
  taskResolver,
  valuesOf,
} from './task-form-values.ts'

const filled: TaskFormValues = {
  ...newTaskValues,
  token: '3',
  model: ' sora-2 ',
  prompt: 'A boat\nin the rain',
  seconds: '8',
  size: '1280x720',
}
/** Nothing is known of the model, and no file goes along. */
const unknown = { files: [], fields: null, change: null }

const veo: TaskFields = {
  ...{ seconds: [4, 6, 8], seconds_range: null, sizes: ['1280x720'], usual_seconds: 8, usual_size: '1280x720' },
  ...{ pictures: { least: 0, most: 2 }, film_actions: [], needs_film: false, makes_words: false },
  parameters: [
    { name: 'seed', type: 'number', values: [], least: 0, most: 9, usual: null },
    { name: 'generate_audio', type: 'flag', values: [], least: null, most: null, usual: true },
    { name: 'fps', type: 'choice', values: [30, 60], least: null, most: null, usual: 30 },
    { name: 'reference_images', type: 'pictures', values: [], least: 1, most: 3, usual: null },
    { name: 'characters', type: 'characters', values: [], least: null, most: null, usual: null },
  ],
}
const errorsOf = async (values: TaskFormValues) =>
  Object.keys((await taskResolver(values, undefined, { fields: {}, shouldUseNativeValidation: false })).errors)

test('task parameters are what was typed, and empty fields are left out', () => {
  expect(createCall(filled, unknown)).toEqual({
    path: '/v1/videos',
    body: { model: 'sora-2', prompt: 'A boat\nin the rain', seconds: '8', size: '1280x720' },
  })
})

test('further parameters go along by their names, below those with a field of their own', () => {
  const { body } = createCall({ ...filled, seconds: '', parameters: '{"seed": 7, "prompt": "other"}' }, unknown)
  expect(body).toEqual({ seed: 7, model: 'sora-2', prompt: 'A boat\nin the rain', size: '1280x720' })
})

test('an image has no length, and a song neither length, size nor image', () => {
  expect(createCall({ ...filled, kind: 'pictures' }, unknown)).toEqual({
    path: '/v1/tasks?kind=pictures',
    body: { model: 'sora-2', prompt: 'A boat\nin the rain', size: '1280x720' },
  })
  const song = { ...filled, kind: 'songs', model: '', input_reference: 'https://pictures.example/a.png' } as const
  expect(createCall(song, unknown)).toEqual({ path: '/suno/submit/music', body: { gpt_description_prompt: 'A boat\nin the rain' } })
})

test('a song is described by its prompt, or sung from it once it has a title and a style', () => {
  const song = { ...newTaskValues, kind: 'songs', prompt: 'Rain falls', title: 'Rain', tags: 'folk' } as const
  expect(createCall(song, unknown).body).toEqual({ prompt: 'Rain falls', title: 'Rain', tags: 'folk' })
  expect(createCall({ ...song, title: '', tags: '' }, unknown).body).toEqual({ gpt_description_prompt: 'Rain falls' })
})

test('a file makes the task request a form and stands for the address of an image', () => {
  const file = new File(['x'], 'first.png', { type: 'image/png' })
  const { body } = createCall(
    { ...filled, input_reference: 'https://pictures.example/a.png', parameters: '{"camera": {"x": 1}}' },
    { files: [file], fields: null, change: null },
  )
  if (!(body instanceof FormData)) throw new Error('the order is no form')
  expect(body.get('camera')).toBe('{"x":1}')
  expect(body.getAll('input_reference')).toHaveLength(1)
  expect(body.get('input_reference')).toBeInstanceOf(File)
})

test('a form without token, model or prompt is not sent, nor parameters that are no object', async () => {
  expect(await errorsOf(filled)).toEqual([])
  expect(await errorsOf({ ...newTaskValues, parameters: '[1]' })).toEqual(['token', 'model', 'prompt', 'parameters'])
  expect(await errorsOf({ ...filled, kind: 'songs', model: '' })).toEqual([])
  for (const text of ['1', 'null', '{', '"a"']) expect(parametersOf(text)).toBeNull()
})

test('the id is read from both forms of responses', () => {
  expect([idOf({ id: 'video_1' }), idOf({ code: 'success', data: 'song_1' }), idOf({})]).toEqual(['video_1', 'song_1', ''])
})

test('a task fills the form with the parameters of its request', () => {
  const row: TaskRow = {
    ...{ id: 1, public_id: 'video_1', request_id: 'r', action: 'create', model: 'sora-2', progress: 0, prompt: 'A boat', seconds: 8 },
    ...{ size: '1280x720', created_at: 1, ended_at: 2, expires_at: 0, estimated: 1, charged: 0, error: null, results: [] },
    kind: 'videos',
    state: 'failed',
    cancellable: false,
    unreadable: [],
    film_changes: [],
    pictures: ['https://pictures.example/a.png'],
    parameters: { seed: 7 },
  }
  expect(valuesOf(row)).toEqual({
    ...newTaskValues,
    ...{ model: 'sora-2', prompt: 'A boat', seconds: '8', size: '1280x720', input_reference: 'https://pictures.example/a.png' },
    parameters: '{\n  "seed": 7\n}',
  })
})

test('the fields of a model are sent as what they are, and those of another model are not', () => {
  const own = { seed: '7', generate_audio: 'false', fps: '60', reference_images: ' https://a.example/1.png \n\n', camera: 'low' }
  expect(createBody({ ...filled, own }, { files: [], fields: veo, change: null })).toEqual({
    ...{ model: 'sora-2', prompt: 'A boat\nin the rain', seconds: '8', size: '1280x720' },
    ...{ seed: 7, generate_audio: false, fps: 60, reference_images: ['https://a.example/1.png'] },
  })
  expect(createBody({ ...filled, own: { seed: 'many', fps: '25' } }, { files: [], fields: veo, change: null })).toMatchObject({
    seed: 'many',
    fps: '25',
  })
  const shapeless = { ...veo, seconds: [], sizes: [], pictures: { least: 0, most: 0 }, parameters: [] }
  expect(
    createBody({ ...filled, own, input_reference: 'https://a.example/1.png' }, { files: [], fields: shapeless, change: null }),
  ).toEqual({
    ...{ model: 'sora-2', prompt: 'A boat\nin the rain' },
  })
})

test('several images are a list, or files under one name', () => {
  const two = { ...filled, input_reference: 'https://a.example/1.png\nhttps://a.example/2.png' }
  expect(createBody(two, { files: [], fields: veo, change: null })['input_reference']).toEqual([
    'https://a.example/1.png',
    'https://a.example/2.png',
  ])
  const files = ['1.png', '2.png'].map((name) => new File(['x'], name, { type: 'image/png' }))
  const { body } = createCall(two, { files, fields: veo, change: null })
  if (!(body instanceof FormData)) throw new Error('the order is no form')
  expect(body.getAll('input_reference').map((part) => (part instanceof File ? part.name : part))).toEqual(['1.png', '2.png'])
})

test('a video is sent to be changed', () => {
  const mp4File = new File(['x'], 'cat.mp4', { type: 'video/mp4' })
  const { path, body } = createCall(filled, { files: [mp4File], fields: { ...veo, needs_film: true }, change: null })
  if (!(body instanceof FormData)) throw new Error('the order is no form')
  expect([path, body.get('video')]).toEqual(['/v1/videos/edits', mp4File])
})

test('parameters of an earlier order move into the fields that the model has', () => {
  const all = {
    seed: 7,
    generate_audio: false,
    reference_images: ['https://a.example/1.png'],
    characters: [{ id: 'char_1' }],
    camera: 'low',
  }
  expect(splitParameters(all, veo)).toEqual({
    own: { seed: '7', generate_audio: 'false', reference_images: 'https://a.example/1.png' },
    rest: { characters: [{ id: 'char_1' }], camera: 'low' },
  })
})

test('a video is changed by its own call', () => {
  const params = { ...newTaskValues, model: 'sora-2', prompt: 'At night', seconds: '8' }
  const wordless = { ...veo, seconds: [], sizes: [], parameters: [] }
  const remix = createCall(params, { files: [], fields: wordless, change: { action: 'remix', id: 'video_1' } })
  expect(remix).toEqual({ path: '/v1/videos/video_1/remix', body: { model: 'sora-2', prompt: 'At night' } })
  const extension = createCall(params, { files: [], fields: { ...veo, sizes: [] }, change: { action: 'extend', id: 'video_1' } })
  expect(extension).toEqual({
    path: '/v1/videos/extensions',
    body: { model: 'sora-2', prompt: 'At night', seconds: '8', video: { id: 'video_1' } },
  })
})

test('words of a song have a call of their own, and neither title nor style', () => {
  const words = { ...newTaskValues, kind: 'songs', model: 'suno_lyrics', prompt: 'Rain', title: 'Rain', tags: 'folk' } as const
  const fields = { ...veo, makes_words: true, seconds: [], sizes: [], parameters: [] }
  expect(createCall(words, { files: [], fields, change: null })).toEqual({
    path: '/suno/submit/lyrics',
    body: { model: 'suno_lyrics', prompt: 'Rain' },
  })
})
