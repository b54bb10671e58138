import { expect, test } from 'bun:test'
import { requestIn, taskContext, taskParamsOf } from '../../../test/tasks.ts'
import type { TaskParams } from '../../core/task.ts'
import { defaultPrice } from '../../registry/models/prices.ts'
import { taskDialectOf } from '../../registry/task-dialect-of.ts'
import { flux } from './vendor.ts'
import { fluxVideoEdits } from './video-edits.ts'

const model = 'flux-video-edit'
const inputVideo = {
  file: { name: 'video', fileName: 'cat.mp4', contentType: 'video/mp4', bytes: new Uint8Array([1, 2, 3]) },
  seconds: 9.5,
  width: 1280,
  height: 720,
}
const edit = (fields: Partial<TaskParams> = {}): TaskParams => taskParamsOf({ model, action: 'edit', video: inputVideo, ...fields })

test('a video is sent with what is to be changed, and costs its length', () => {
  expect(requestIn(fluxVideoEdits.submit(taskContext('https://api.bfl.ai'), edit({ extra: { safety_tolerance: 2 } }), []))).toMatchObject({
    method: 'POST',
    url: 'https://api.bfl.ai/v1/flux-tools/video-edit-v1',
    body: { prompt: 'A cat', video: 'AQID', safety_tolerance: 2 },
  })
  expect(fluxVideoEdits.plan(edit())).toEqual({ counts: { credits: 30 }, seconds: 10 })
  expect(taskDialectOf(flux, 'videos', model)).toBe(fluxVideoEdits)
  expect(defaultPrice(model, { yuanPerDollar: 7, nowMs: 0 })).toMatchObject({ credit: 0.01 })
})

test.each([
  ['prompt', { prompt: '' }],
  ['video', { video: null }],
  ['video', { video: { ...inputVideo, seconds: 15.5 } }],
  ['video', { video: { ...inputVideo, seconds: 0.5 } }],
  ['video', { video: { ...inputVideo, height: 100 } }],
  ['seconds', { seconds: 5 }],
  ['size', { size: { width: 1280, height: 720 } }],
  ['input_reference', { images: [{ url: 'https://a.example/a.png' }] }],
  ['resolution', { extra: { resolution: 'hd' } }],
  ['safety_tolerance', { extra: { safety_tolerance: 5 } }],
] as const)('what it does not have is refused: %s', (refused, fields) => {
  expect(fluxVideoEdits.plan(edit(fields))).toEqual({ refused })
})
