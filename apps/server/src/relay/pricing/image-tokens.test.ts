import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { imageSizeOf } from './image-size.ts'
import { countImageTokens } from './image-tokens.ts'

const dataUrl = (bytes: Buffer): string => `data:image/any;base64,${bytes.toString('base64')}`

function png(width: number, height: number): Buffer {
  const head = Buffer.alloc(33)
  head.write('\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR', 0, 'latin1')
  head.writeUInt32BE(width, 16)
  head.writeUInt32BE(height, 20)
  return head
}

function jpeg(width: number, height: number): Buffer {
  const preview = Buffer.concat([Buffer.from([0xff, 0xe1, 0x01, 0x02]), Buffer.alloc(256)])
  const frame = Buffer.from([0xff, 0xc2, 0, 11, 8, height >> 8, height & 255, width >> 8, width & 255, 1, 0])
  return Buffer.concat([Buffer.from([0xff, 0xd8]), preview, frame])
}

function webp(kind: string, fill: (head: Buffer) => void): Buffer {
  const head = Buffer.alloc(40)
  head.write(`RIFF0000WEBP${kind}`, 0, 'latin1')
  head.writeUInt32LE(20, 16)
  if (kind === 'VP8L') head.writeUInt8(0x2f, 20)
  fill(head)
  return head
}

function gif(width: number, height: number): Buffer {
  const head = Buffer.from('GIF89a0000', 'latin1')
  head.writeUInt16LE(width, 6)
  head.writeUInt16LE(height, 8)
  return head
}

describe('the size of an image', () => {
  const lossy = webp('VP8 ', (head) => {
    head.writeUInt16LE(640, 26)
    head.writeUInt16LE(480, 28)
  })
  const lossless = webp('VP8L', (head) => head.writeUInt32LE((479 << 14) | 639, 21))
  const layered = webp('VP8X', (head) => {
    head.writeUIntLE(639, 24, 3)
    head.writeUIntLE(479, 27, 3)
  })
  const rows = { PNG: png(640, 480), JPEG: jpeg(640, 480), GIF: gif(640, 480), lossy, lossless, layered }
  for (const [name, bytes] of Object.entries(rows)) {
    test(`is read from its head: ${name}`, () => expect(imageSizeOf(dataUrl(bytes))).toEqual({ width: 640, height: 480 }))
  }

  test('is unknown for a URL, for empty data, and for data that is not an image', () => {
    for (const url of ['https://pictures.test/a.png', '', 'data:', 'data:image/png;base64,', dataUrl(png(0, 5)), dataUrl(Buffer.alloc(64))])
      expect(imageSizeOf(url)).toBeNull()
  })
})

describe('the head of a hostile image', () => {
  const start = Buffer.from([0xff, 0xd8, 0xff])
  const segment = (marker: number, length: number) => Buffer.from([0xff, marker, length >> 8, length & 255])
  const megabyte = 1024 * 1024
  const isoBox = Buffer.from('\0\0\0\x08free', 'latin1')
  const heads: Readonly<Record<string, Buffer>> = {
    'JPEG segments without a length': Buffer.concat([start, Buffer.alloc(megabyte, segment(0xe1, 0))]),
    'JPEG segments of two bytes': Buffer.concat([start, Buffer.alloc(megabyte, segment(0xe1, 2))]),
    'JPEG segments that overlap': Buffer.concat([start, Buffer.alloc(megabyte, segment(0xe1, 1))]),
    'JPEG fill bytes': Buffer.alloc(megabyte, 0xff).fill(start, 0, 3),
    'JPEG markers without segments': Buffer.concat([start, Buffer.alloc(megabyte, Buffer.from([0xff, 0x01]))]),
    'a JPEG segment longer than the file': Buffer.concat([start, segment(0xe1, 0xffff)]),
    'a JPEG that is HEIC behind its first bytes': Buffer.concat([
      start,
      Buffer.from('\xe0ftypheic\0\0\0\0', 'latin1'),
      Buffer.alloc(megabyte, isoBox),
    ]),
    'a PNG without a header chunk': Buffer.from('\x89PNG\r\n\x1a\n'.padEnd(megabyte, '\0'), 'latin1'),
    'a PNG that is cut off': png(640, 480).subarray(0, 20),
    'a GIF that is cut off': gif(640, 480).subarray(0, 7),
    'a WebP of no kind': webp('VP8?', () => {}),
    'a RIFF file that is no picture': Buffer.from('RIFF0000WAVEfmt '.padEnd(megabyte, '\0'), 'latin1'),
  }
  test.each(Object.keys(heads))('%s has no size, and is not read far', (name) => {
    const url = dataUrl(heads[name] ?? Buffer.alloc(0))
    const cpu = process.cpuUsage()
    for (let count = 0; count < 100; count += 1) expect(imageSizeOf(url)).toBeNull()
    const { user, system } = process.cpuUsage(cpu)
    expect((user + system) / 1000 / 100).toBeLessThan(20)
  })

  // The library has parsers for these, and others had endless loops there; no vendor takes them.
  const others: Readonly<Record<string, string>> = {
    HEIC: '\0\0\0\x18ftypheic\0\0\0\0mif1heic',
    AVIF: '\0\0\0\x18ftypavif\0\0\0\0mif1avif',
    SVG: '<svg xmlns="http://www.w3.org/2000/svg" width="640" height="480"/>',
    TIFF: 'II*\0\x08\0\0\0',
    ICNS: 'icns\0\0\0\0ic07\0\0\0\0',
    JXL: '\xff\x0a\0\0',
    PSD: '8BPS\0\x01',
    ICO: '\0\0\x01\0\x01\0',
  }
  test.each(Object.keys(others))('%s is not parsed', (name) => {
    expect(imageSizeOf(dataUrl(Buffer.from((others[name] ?? '').padEnd(1000, '\0'), 'latin1')))).toBeNull()
  })

  test('any bytes have a size of whole pixels or none', () => {
    const starts = fc.constantFrom(
      start,
      Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
      Buffer.from('GIF89a'),
      Buffer.from('RIFF0000WEBPVP8 '),
    )
    fc.assert(
      fc.property(starts, fc.uint8Array({ maxLength: 400 }), (head, rest) => {
        const size = imageSizeOf(dataUrl(Buffer.concat([head, rest])))
        expect(size === null || (Number.isInteger(size.width) && size.width > 0 && Number.isInteger(size.height))).toBe(true)
      }),
    )
  })
})

describe('an image costs', () => {
  // Examples of the vendors' pages (OpenAI's tiles and patches, Anthropic's table, Google's crops); the others follow the rules.
  const rows: ReadonlyArray<readonly [string, number, number, string, number]> = [
    ['gpt-4o', 1024, 1024, 'high', 765],
    ['gpt-4o', 2048, 4096, 'high', 1105],
    ['gpt-4o', 4096, 8192, 'low', 85],
    ['gpt-4o-mini', 1024, 1024, 'low', 2833],
    ['gpt-4o-mini', 1024, 1024, 'auto', 2833 + 4 * 5667],
    ['gpt-4.1-mini', 1024, 1024, 'auto', 1659],
    ['gpt-5', 512, 512, 'high', 210],
    ['gpt-5-mini', 1024, 1024, 'auto', 1229],
    ['gpt-5-nano', 1800, 2400, 'low', 2178],
    ['gpt-5.2', 2048, 2048, 'high', 4916],
    ['gpt-5.4', 1024, 1024, 'high', 1229],
    ['gpt-5.4', 2048, 2048, 'high', 3000],
    ['gpt-5.4-mini', 4096, 4096, 'auto', 3000],
    ['gpt-5.5', 4096, 4096, 'low', 308],
    ['gpt-5.5', 3200, 3200, 'auto', 12_000],
    ['gpt-5.6-sol', 4096, 4096, 'auto', 19_661],
    ['gpt-5.6-sol', 4096, 4096, 'high', 3000],
    ['o3', 512, 512, 'high', 225],
    ['claude-sonnet-4-5', 200, 200, 'auto', 64],
    ['claude-sonnet-4-5', 1000, 1000, 'auto', 1296],
    ['claude-opus-4-20250514', 1092, 1092, 'auto', 1521],
    ['claude-opus-4-6', 3840, 2160, 'auto', 1568],
    ['claude-opus-4-7', 1920, 1080, 'auto', 2691],
    ['claude-sonnet-5', 2000, 1500, 'auto', 3888],
    ['claude-opus-5', 3840, 2160, 'auto', 4784],
    ['gemini-2.5-pro', 384, 384, 'auto', 258],
    ['gemini-2.5-pro', 960, 540, 'auto', 6 * 258],
    ['gemini-3-pro-preview', 960, 540, 'auto', 1120],
  ]
  for (const [model, width, height, detail, tokens] of rows) {
    test(`${tokens} tokens with ${model} at ${width} x ${height}, ${detail}`, () => {
      expect(countImageTokens({ url: dataUrl(png(width, height)), detail }, model)).toBe(tokens)
    })
  }

  test('as much as a large one if it is remote, because no URL of a client is fetched', () => {
    expect(countImageTokens({ url: 'http://169.254.169.254/' }, 'gpt-4o')).toBe(85 + 170 * 8)
    expect(countImageTokens('https://pictures.test/a.png', 'gpt-4o')).toBe(85 + 170 * 8)
    expect(countImageTokens({ url: 'https://pictures.test/a.png', detail: 'low' }, 'gpt-4o')).toBe(85)
  })

  test('a whole number of tokens, whatever size its header claims', () => {
    const size = fc.nat(0xffff_ffff)
    fc.assert(
      fc.property(fc.constantFrom('gpt-4o', 'gpt-4.1-nano', 'gpt-5.6', 'claude-x', 'gemini-2', ''), size, size, (model, width, height) => {
        const tokens = countImageTokens({ url: dataUrl(png(width, height)) }, model)
        expect(Number.isSafeInteger(tokens) && tokens >= 0).toBe(true)
      }),
    )
  })
})
