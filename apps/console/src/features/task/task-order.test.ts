import { expect, test } from 'bun:test'
import type { TaskRow } from '@sluice/contract'
import { idOf, newOrder, type OrderValues, orderCall, orderResolver, parametersOf, valuesOf } from './task-order.ts'

const filled: OrderValues = { ...newOrder, token: '3', model: ' sora-2 ', prompt: 'A boat\nin the rain', seconds: '8', size: '1280x720' }
const errorsOf = async (values: OrderValues) =>
  Object.keys((await orderResolver(values, undefined, { fields: {}, shouldUseNativeValidation: false })).errors)

test('an order is what was typed, and empty fields are left out', () => {
  expect(orderCall(filled, null)).toEqual({
    path: '/v1/videos',
    body: { model: 'sora-2', prompt: 'A boat\nin the rain', seconds: '8', size: '1280x720' },
  })
})

test('further parameters go along by their names, below those with a field of their own', () => {
  const { body } = orderCall({ ...filled, seconds: '', parameters: '{"seed": 7, "prompt": "other"}' }, null)
  expect(body).toEqual({ seed: 7, model: 'sora-2', prompt: 'A boat\nin the rain', size: '1280x720' })
})

test('a picture has no length, and a song neither length, size nor picture', () => {
  expect(orderCall({ ...filled, kind: 'pictures' }, null)).toEqual({
    path: '/v1/tasks?kind=pictures',
    body: { model: 'sora-2', prompt: 'A boat\nin the rain', size: '1280x720' },
  })
  const song = { ...filled, kind: 'songs', model: '', input_reference: 'https://pictures.example/a.png' } as const
  expect(orderCall(song, null)).toEqual({ path: '/suno/submit/music', body: { gpt_description_prompt: 'A boat\nin the rain' } })
})

test('a song is described by its prompt, or sung from it once it has a title and a style', () => {
  const song = { ...newOrder, kind: 'songs', prompt: 'Rain falls', title: 'Rain', tags: 'folk' } as const
  expect(orderCall(song, null).body).toEqual({ prompt: 'Rain falls', title: 'Rain', tags: 'folk' })
  expect(orderCall({ ...song, title: '', tags: '' }, null).body).toEqual({ gpt_description_prompt: 'Rain falls' })
})

test('a file makes the order a form and stands for the address of a picture', () => {
  const file = new File(['x'], 'first.png', { type: 'image/png' })
  const { body } = orderCall({ ...filled, input_reference: 'https://pictures.example/a.png', parameters: '{"camera": {"x": 1}}' }, file)
  if (!(body instanceof FormData)) throw new Error('the order is no form')
  expect(body.get('camera')).toBe('{"x":1}')
  expect(body.getAll('input_reference')).toHaveLength(1)
  expect(body.get('input_reference')).toBeInstanceOf(File)
})

test('a form without token, model or prompt is not sent, nor parameters that are no object', async () => {
  expect(await errorsOf(filled)).toEqual([])
  expect(await errorsOf({ ...newOrder, parameters: '[1]' })).toEqual(['token', 'model', 'prompt', 'parameters'])
  expect(await errorsOf({ ...filled, kind: 'songs', model: '' })).toEqual([])
  for (const text of ['1', 'null', '{', '"a"']) expect(parametersOf(text)).toBeNull()
})

test('the id is read from both forms of answers', () => {
  expect([idOf({ id: 'video_1' }), idOf({ code: 'success', data: 'song_1' }), idOf({})]).toEqual(['video_1', 'song_1', ''])
})

test('a task fills the form with what it was ordered with', () => {
  const row: TaskRow = {
    ...{ id: 1, public_id: 'video_1', request_id: 'r', action: 'create', model: 'sora-2', progress: 0, prompt: 'A boat', seconds: 8 },
    ...{ size: '1280x720', created_at: 1, ended_at: 2, expires_at: 0, estimated: 1, charged: 0, error: null, results: [] },
    kind: 'videos',
    state: 'failed',
    cancellable: false,
    pictures: ['https://pictures.example/a.png'],
    parameters: { seed: 7 },
  }
  expect(valuesOf(row)).toEqual({
    ...newOrder,
    ...{ model: 'sora-2', prompt: 'A boat', seconds: '8', size: '1280x720', input_reference: 'https://pictures.example/a.png' },
    parameters: '{\n  "seed": 7\n}',
  })
})
