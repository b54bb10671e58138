import { describe, expect, test } from 'bun:test'
import { base64 } from '../../core/crypto-functions.ts'
import type { JsonObject } from '../../core/json.ts'
import { Rewrites } from '../../core/rewrites.ts'
import { withFittingMedia } from './chat-media.ts'
import { withFittingParts } from './content-media.ts'
import { withFittingBlocks } from './message-media.ts'
import { withFittingImages } from './response-media.ts'

const encoder = new TextEncoder()
const coded = (text: string): string => base64(encoder.encode(text))
const bytes = (...values: readonly number[]): string => base64(Uint8Array.from(values))
const words = 'city,rain\nLisboa,40\n'
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const pdf = coded('%PDF-1.4 trailer %%EOF')

const user = (...content: readonly JsonObject[]): JsonObject => ({ messages: [{ role: 'user', content }] })
const file = (filename: string, data: string): JsonObject => ({ type: 'file', file: { filename, file_data: data } })

/** What becomes of a part of a chat, and what is noted. */
function fitted(part: JsonObject) {
  const rewrites = new Rewrites()
  const chat = user(part)
  const result = withFittingMedia(chat, { rewrites })
  return {
    isSame: result === chat,
    part: (result['messages'] as readonly JsonObject[])[0]?.['content'],
    notes: rewrites.entries.map(({ what }) => what),
  }
}

describe('a file', () => {
  test.each([
    ['a table that Windows calls one of Excel', 'rain.csv', `data:application/vnd.ms-excel;base64,${coded(words)}`, words],
    ['a program that browsers call a video', 'rain.ts', `data:video/mp2t;base64,${coded(words)}`, words],
    ['text in UTF-16', 'rain.txt', `data:text/plain;base64,${bytes(0xff, 0xfe, 0x61, 0, 0xe4, 0)}`, 'aä'],
    ['text with a mark of its bytes', 'rain.txt', `data:text/plain;base64,${bytes(0xef, 0xbb, 0xbf, 0x61)}`, 'a'],
    [
      'text with a wrong byte',
      'rain.txt',
      `data:text/plain;base64,${bytes(0xc3, 0x9c, 0x62, 0x65, 0x72, 0x67, 0x72, 0xc3, 0xb6, 0xc3, 0x9f, 0x65, 0x20, 0x66, 0xc3, 0xbc, 0x72, 0x20, 0x61, 0x6c, 0x6c, 0x65, 0x3a, 0x20, 0xff, 0x20, 0x6f, 0x6b)}`,
      'Übergröße für alle: \ufffd ok',
    ],
    ['base64 alone, by its name', 'rain.log', coded(words), words],
    ['bytes of no type and no name that are text', '', `data:;base64,${coded(words)}`, words],
    ['XML', 'rain', `data:application/atom+xml;base64,${coded(words)}`, words],
    ['nothing', 'rain.txt', `data:text/plain;base64,`, '(empty)'],
  ])('that is %s becomes text', (_what, name, data, text) => {
    const { part, notes } = fitted(file(name, data))
    expect(part).toEqual([{ type: 'text', text: name === '' ? text : `${name}\n\n${text}` }])
    expect(notes).toEqual([expect.any(String)])
  })

  test.each([
    ['text in another encoding', 'rain.csv', `data:text/csv;base64,${bytes(0x61, 0xe4, 0x2c, 0x31)}`, 'aä,1', 'rain.csv (windows-1252)'],
    [
      'a table of Excel in China',
      'rain.csv',
      `data:text/csv;base64,${bytes(0xd0, 0xd5, 0xc3, 0xfb, 0x2c, 0xb3, 0xc7, 0xca, 0xd0, 0xa, 0xd5, 0xc5, 0xc8, 0xfd, 0x2c, 0xb1, 0xb1, 0xbe, 0xa9, 0xa)}`,
      '姓名,城市\n张三,北京\n',
      'rain.csv (gb18030)',
    ],
    [
      'a table of Excel in France',
      'rain.csv',
      `data:text/csv;base64,${bytes(0x6e, 0x61, 0x6d, 0x65, 0x3b, 0x76, 0x69, 0x6c, 0x6c, 0x65, 0xa, 0x4a, 0x6f, 0x73, 0xe9, 0x3b, 0x4f, 0x72, 0x6c, 0xe9, 0x61, 0x6e, 0x73, 0x20, 0x80, 0xa)}`,
      'name;ville\nJosé;Orléans €\n',
      'rain.csv (windows-1252)',
    ],
    [
      'a table of Excel in Russia',
      'rain.csv',
      `data:text/csv;base64,${bytes(0xe3, 0xee, 0xf0, 0xee, 0xe4, 0x3b, 0xe4, 0xee, 0xe6, 0xe4, 0xfc, 0xa, 0xcc, 0xee, 0xf1, 0xea, 0xe2, 0xe0, 0x3b, 0x34, 0x30, 0xa)}`,
      'город;дождь\nМосква;40\n',
      'rain.csv (windows-1251)',
    ],
  ])('that is %s becomes text, and its encoding is noted', (_what, name, data, text, noted) => {
    expect(fitted(file(name, data))).toMatchObject({ part: [{ type: 'text', text: `${name}\n\n${text}` }], notes: [`${noted} -> text`] })
  })

  test.each([
    ['a PDF', file('plan.pdf', `data:application/pdf;base64,${pdf}`)],
    ['of Word', file('plan.docx', `data:application/vnd.openxmlformats-officedocument.wordprocessingml.document;base64,${coded('PK')}`)],
    ['of no known type', file('plan', `data:application/octet-stream;base64,${bytes(0x50, 0x4b, 3, 4, 0, 0)}`)],
    ['a video that is named like a program', file('rain.ts', `data:video/mp2t;base64,${bytes(0x47, 0x40, 0, 0x10)}`)],
    ['behind an address', file('plan.txt', 'https://a.example/plan.txt')],
    ['named by its id', { type: 'file', file: { file_id: 'file-1' } }],
    ['no base64', file('plan.txt', 'data:text/plain;base64,%%%')],
  ])('that is %s stays', (_what, part) => {
    expect(fitted(part)).toEqual({ isSame: true, part: [part], notes: [] })
  })

  test('keeps its mark of the cache', () => {
    const mark = { type: 'ephemeral' }
    const { part } = fitted({ ...file('a.txt', `data:text/plain;base64,${coded('a')}`), cache_control: mark })
    expect(part).toEqual([{ type: 'text', text: 'a.txt\n\na', cache_control: mark }])
  })

  test('that is an image becomes one, and a PDF that was sent as an image a file', () => {
    const inputImage = { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } }
    expect(fitted(file('a.png', `data:application/octet-stream;base64,${png}`)).part).toEqual([inputImage])
    const input = { type: 'image_url', image_url: { url: `data:image/png;base64,${pdf}` } }
    expect(fitted(input).part).toEqual([file('document.pdf', `data:application/pdf;base64,${pdf}`)])
  })

  test('that is a PDF without its type has it', () => {
    const whole = file('plan.pdf', `data:application/pdf;base64,${pdf}`)
    expect(fitted(file('plan.pdf', pdf)).part).toEqual([whole])
    expect(fitted(file('plan.pdf', `data:application/octet-stream;base64,${pdf}`)).part).toEqual([whole])
  })
})

describe('an image', () => {
  test.each([
    ['image/png', png],
    ['image/jpeg', bytes(0xff, 0xd8, 0xff, 0xe0)],
    ['image/gif', coded('GIF89a....')],
    ['image/gif', coded('GIF87a....')],
    ['image/webp', coded('RIFF\u0001\u0002\u0003\u0004WEBPVP8 ')],
  ])('of %s has its type', (type, data) => {
    const right = { type: 'image_url', image_url: { url: `data:${type};base64,${data}`, detail: 'low' } }
    expect(fitted(right).isSame).toBe(true)
    expect(fitted({ ...right, image_url: { url: `data:image/bmp;base64,${data}`, detail: 'low' } })).toEqual({
      ...{ isSame: false, part: [right] },
      notes: [`image/bmp -> ${type}`],
    })
  })

  test('of a form that is not known, or behind an address, stays as it is', () => {
    for (const url of ['data:image/heic;base64,AAAA', 'https://a.example/1.jpg', 'data:image/png,%00'])
      expect(fitted({ type: 'image_url', image_url: { url } }).isSame).toBe(true)
  })

  test('that is base64 alone gets an address, and other texts stay', () => {
    expect(fitted({ type: 'image_url', image_url: { url: png } }).part).toEqual([
      { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
    ])
    expect(fitted({ type: 'image_url', image_url: { url: 'pictures/1.png' } }).isSame).toBe(true)
  })

  test('that is called by a bare text is known, too', () => {
    expect(fitted({ type: 'image_url', image_url: `data:image/jpeg;base64,${png}` }).part).toEqual([
      { type: 'image_url', image_url: `data:image/png;base64,${png}` },
    ])
  })
})

describe('in their own forms', () => {
  const rewrites = new Rewrites()

  test('messages get documents of text, also in results, and images with their types', () => {
    const source = (type: string, data: string): JsonObject => ({ type: 'base64', media_type: type, data })
    const messages = [
      {
        role: 'user',
        content: [{ type: 'document', title: 'a.csv', citations: { enabled: true }, source: source('text/csv', coded(words)) }],
      },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 't', content: [{ type: 'document', source: source('image/jpg', png) }] }],
      },
      { role: 'user', content: [{ type: 'image', source: source('image/png', pdf) }] },
      { role: 'user', content: [{ type: 'document', source: { type: 'text', media_type: 'text/markdown', data: '# A' } }] },
      { role: 'user', content: [{ type: 'image', source: source('', `data:image/jpeg;base64,${png}`) }] },
      { role: 'user', content: 'Hi' },
    ]
    expect(withFittingBlocks(messages, rewrites)).toEqual([
      {
        role: 'user',
        content: [
          {
            ...{ type: 'document', title: 'a.csv', citations: { enabled: true } },
            source: { type: 'text', media_type: 'text/plain', data: words },
          },
        ],
      },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 't', content: [{ type: 'image', source: source('image/png', png) }] }],
      },
      { role: 'user', content: [{ type: 'document', source: source('application/pdf', pdf) }] },
      { role: 'user', content: [{ type: 'document', source: { type: 'text', media_type: 'text/plain', data: '# A' } }] },
      { role: 'user', content: [{ type: 'image', source: source('image/png', png) }] },
      { role: 'user', content: 'Hi' },
    ])
  })

  test('contents get types that Google knows', () => {
    const inline = (mimeType: string, data: string): JsonObject => ({ inlineData: { mimeType, data } })
    const contents = [
      { role: 'user', parts: [{ inline_data: { mime_type: 'image/jpeg', data: png } }, inline('application/json', coded(words))] },
      { role: 'user', parts: [{ functionResponse: { name: 'a', response: {}, parts: [inline('application/octet-stream', pdf)] } }] },
      { role: 'user', parts: [inline('text/x-go', coded(words)), inline('application/octet-stream', coded(words)), { text: 'Hi' }] },
    ]
    expect(withFittingParts(contents, rewrites)).toEqual([
      { role: 'user', parts: [{ inline_data: { mimeType: 'image/png', data: png } }, inline('text/plain', coded(words))] },
      { role: 'user', parts: [{ functionResponse: { name: 'a', response: {}, parts: [inline('application/pdf', pdf)] } }] },
      { role: 'user', parts: [inline('text/x-go', coded(words)), inline('text/plain', coded(words)), { text: 'Hi' }] },
    ])
  })

  test('responses get images with their types, and keep files', () => {
    const image = (type: string): JsonObject => ({ type: 'input_image', image_url: `data:${type};base64,${png}` })
    const kept = { type: 'input_file', filename: 'a.csv', file_data: `data:text/csv;base64,${coded(words)}` }
    const body = {
      input: [
        { role: 'user', content: [image('image/jpeg'), kept] },
        { type: 'function_call_output', output: [image('image/gif')] },
      ],
    }
    expect(withFittingImages(body, rewrites)).toEqual({
      input: [
        { role: 'user', content: [image('image/png'), kept] },
        { type: 'function_call_output', output: [image('image/png')] },
      ],
    })
  })

  test('nothing is copied where all is right', () => {
    const source = { type: 'base64', media_type: 'image/png', data: png }
    const messages = [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Hi' },
          { type: 'image', source },
        ],
      },
    ]
    expect(withFittingBlocks(messages, rewrites)).toBe(messages)
    const contents = [{ role: 'user', parts: [{ inlineData: { mimeType: 'image/png', data: png } }] }]
    expect(withFittingParts(contents, rewrites)).toBe(contents)
    const body = { input: 'Hi' }
    expect(withFittingImages(body, rewrites)).toBe(body)
  })
})
