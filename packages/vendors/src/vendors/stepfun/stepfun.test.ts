import { describe, expect, test } from 'bun:test'
import { exampleChannel } from '../../../test/channel.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Kind } from '../../core/kind.ts'
import type { UploadedFile } from '../../core/request.ts'
import { buildRequest } from '../../registry/request/build-request.ts'
import { stepfun } from './vendor.ts'

const file = (name: string): UploadedFile => ({ name, fileName: `${name}.png`, contentType: 'image/png', bytes: new Uint8Array(4) })

function requestOf(kind: Kind, body: JsonObject, files?: readonly UploadedFile[]) {
  const { vendor, facts } = exampleChannel(stepfun)
  const params = { kind, model: String(body['model']), stream: false, channel: facts }
  return buildRequest(vendor, body, files === undefined ? params : { ...params, files })
}

describe('speech', () => {
  test.each(['stepaudio-2.5-tts', 'stepaudio-3-tts'])('of %s gets instructions how to speak', (model) => {
    const { body, refused } = requestOf('speech', { model, input: 'Hi', voice: 'cixingnansheng', instructions: 'softly' })
    expect([body, refused]).toEqual([{ model, input: 'Hi', voice: 'cixingnansheng', instruction: 'softly' }, undefined])
  })

  test('of older models is not, which is refused by name', () => {
    const speechBody = { model: 'step-tts-2', input: 'Hi', voice: 'cixingnansheng' }
    expect(requestOf('speech', { ...speechBody, instructions: 'softly' }).refused).toBe('instructions')
    const plain = requestOf('speech', { ...speechBody, instructions: '' })
    expect([plain.body, plain.refused]).toEqual([speechBody, undefined])
  })
})

describe('an image', () => {
  test.each([
    ['step-image-edit-2', '1360x768', '768x1360'],
    ['step-image-edit-2', 'auto', undefined],
    ['step-2x-large', '1280x800', '1280x800'],
  ])('of %s, %s, is requested as %p', (model, size, expected) => {
    expect(requestOf('images', { model, prompt: 'a', size }).body['size']).toBe(expected as never)
  })
})

describe('an edit', () => {
  const editBody = { model: 'step-image-edit-2', prompt: 'a' }

  test('is sent as the client’s form', () => {
    const { path, sendsForm, refused } = requestOf('image-edits', editBody, [file('image')])
    expect([path, sendsForm, refused]).toEqual(['/v1/images/edits', true, undefined])
  })

  test.each([
    ['mask', {}, [file('image'), file('mask')]],
    ['image', {}, [file('image[]'), file('image[]')]],
    ['n', { n: '2' }, [file('image')]],
    ['background', { background: 'transparent' }, [file('image')]],
    ['stream', { stream: 'true' }, [file('image')]],
  ] as const)('with more than one image as a whole is refused: %s', (name, more, files) => {
    expect(requestOf('image-edits', { ...editBody, ...more }, files).refused).toBe(name)
  })
})
