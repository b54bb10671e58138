import { describe, expect, test } from 'bun:test'
import { exampleChannel } from '../../../test/channel.ts'
import type { JsonObject } from '../../core/json.ts'
import { buildRequest } from '../../registry/request/build-request.ts'
import { minimaxImages } from './images.ts'
import { minimax } from './vendor.ts'

const { vendor, facts } = exampleChannel(minimax)
const requestOf = (body: JsonObject) => buildRequest(vendor, body, { kind: 'images', model: 'image-01', stream: false, channel: facts })
const context = { id: '', created: 7, model: 'image-01' }

describe('an image', () => {
  test('is requested in the form of the vendor', () => {
    const { path, body } = requestOf({ prompt: 'A dot', size: '1024x768', n: 2, quality: 'hd', response_format: 'b64_json' })
    expect(path).toBe('/v1/image_generation')
    expect(body).toEqual({ model: 'image-01', prompt: 'A dot', n: 2, width: 1024, height: 768, response_format: 'base64' })
    expect(requestOf({ prompt: 'A dot', size: 'auto' }).body).toEqual({ model: 'image-01', prompt: 'A dot', response_format: 'url' })
    expect(requestOf({ prompt: 'A dot', background: 'transparent' }).refused).toBe('background')
  })

  test('comes as an address or as bytes, and each is counted', () => {
    const state = { base_resp: { status_code: 0, status_msg: 'success' } }
    expect(
      minimaxImages.response({ data: { image_urls: ['https://a.example/1', 'https://a.example/2'] }, ...state }, context),
    ).toMatchObject({
      response: { created: 7, data: [{ url: 'https://a.example/1' }, { url: 'https://a.example/2' }] },
      usage: { images: 2 },
    })
    expect(minimaxImages.response({ data: { image_base64: ['AAAA'] }, ...state }, context)).toMatchObject({
      response: { data: [{ b64_json: 'AAAA' }] },
      usage: { images: 1 },
    })
    expect(minimaxImages.response({ data: {}, ...state }, context)).toBeNull()
    expect(minimaxImages.response({ base_resp: { status_code: 1026, status_msg: 'sensitive' } }, context)).toMatchObject({ code: '1026' })
  })
})
