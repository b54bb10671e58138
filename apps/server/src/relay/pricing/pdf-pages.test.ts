import { describe, expect, test } from 'bun:test'
import { deflateSync } from 'node:zlib'
import fc from 'fast-check'
import { ascii85, flateStream, type PdfObject, packedObjects, pageObjects, pageText, pageTree, pdfOf } from '../../../test/pdf.ts'
import { pdfLength } from './pdf-pages.ts'

const catalog = '<< /Type /Catalog /Pages 2 0 R >>'
const lengthOf = (...objects: readonly PdfObject[]) => pdfLength(pdfOf([catalog, ...objects]))

describe('the pages of a PDF', () => {
  const cases: readonly [string, readonly PdfObject[], number, number | null][] = [
    ['in its body', [pageTree(3), ...pageObjects(3)], 3, 3],
    ['in an object stream', [packedObjects(`${pageTree(3)} ${pageObjects(3).join(' ')}`)], 3, 3],
    ['whose tree has more of them than there are objects with a type', [pageTree(40), ...pageObjects(3)], 3, 40],
    ['without types', [pageTree(40)], 40, 40],
    ['of a tree in an object stream beside a page in the body', [packedObjects(pageTree(40)), ...pageObjects(1)], 1, 40],
    ['with escaped names', [`<< /#4bi#64s [100 0 R 101 0 R] >>`, '<< /T#79pe /P#61ge >>'], 1, 2],
    ['with zeros for spaces', ['<< /Kids\0[100\x000\0R\x00101 0 R] >>', '<</Type\0/Page>>'], 1, 2],
    ['with comments between', ['<< /Kids % [1 0 R]\n [100 0 R % ]\n 101 0 R] >>', ...pageObjects(1)], 1, 2],
    ['of several trees', ['<< /Kids [3 0 R 4 0 R] >>', '<< /Kids [10 0 R 11 0 R] >>', '<< /Kids [12 0 R] >>'], 5, 5],
    ['of an object that is a child twice', ['<< /Kids [3 0 R 3 0 R] >>', '<< /Kids [4 0 R] >>', ...pageObjects(1)], 1, null],
    ['of a list that is elsewhere', ['<< /Kids 5 0 R >>', ...pageObjects(2)], 2, null],
    ['that stand in the list', ['<< /Kids [<< /Type /Page >> << /Type /Page >>] >>'], 2, null],
    ['of a list in a comment of a list', ['<< /X (/Kids [ %) /Kids [3 0 R 4 0 R]\n] >>', ...pageObjects(2)], 2, null],
    ['of a list without an end', ['<< /Kids [3 0 R 4 0 R', ...pageObjects(2)], 2, null],
    ['of none', ['<< >>'], 0, null],
    ['that are encrypted', [pageTree(2), ...pageObjects(2), '<< /#45ncrypt 9 0 R >>'], 2, null],
    [
      'of an object stream with a predictor',
      [pageTree(1), ...pageObjects(1), flateStream('x', '/Type /ObjStm /DecodeParms 4 0 R')],
      1,
      null,
    ],
    [
      'of an object stream that is packed twice',
      [pageTree(1), flateStream('x', '/N 1 /First 5 /Filter [/FlateDecode /FlateDecode]')],
      1,
      null,
    ],
    [
      'of an object stream in another packing',
      [pageTree(1), { dictionary: '/Type /ObjStm /Filter /LZWDecode', stream: Buffer.from('x') }],
      1,
      null,
    ],
    [
      'of an object stream whose packing is elsewhere',
      [pageTree(1), { dictionary: '/Type /ObjStm /Filter 9 0 R', stream: deflateSync('x') }],
      1,
      null,
    ],
    [
      'of an object stream that is damaged',
      [pageTree(1), { dictionary: '/Type /ObjStm /Filter /FlateDecode', stream: Buffer.from('x') }],
      1,
      null,
    ],
    [
      'of an object stream that says that it is a picture',
      [flateStream(pageTree(9), '/Subtype /Image /Width 1 /F#69rst 1 /N 9'), ...pageObjects(1)],
      1,
      9,
    ],
    [
      'beside pictures',
      [pageTree(1), ...pageObjects(1), { dictionary: '/Filter [/ASCII85Decode /DCTDecode]', stream: Buffer.from('x') }],
      1,
      1,
    ],
    [
      'beside a picture that is long',
      [pageTree(1), ...pageObjects(1), flateStream(Buffer.alloc(70_000_000), '/Subtype /Image /Width 9')],
      1,
      1,
    ],
    ['beside a stream that is long', [pageTree(1), ...pageObjects(1), flateStream(Buffer.alloc(70_000_000))], 1, null],
    ['behind a dictionary that is long', [pageTree(1), flateStream('x', ' '.repeat(9_000))], 1, null],
  ]
  test.each(cases)('%s', (_, objects, pages, pagesMax) => {
    expect(lengthOf(...objects)).toMatchObject({ pages, pagesMax })
  })
})

describe('the text of a PDF', () => {
  const packed = (text: string): Buffer => deflateSync(text)
  const base85: PdfObject = { dictionary: '/Filter [ /ASCII85Decode /FlateDecode ]', stream: ascii85(packed(pageText(5_000))) }
  test.each<[string, PdfObject]>([
    ['that is packed', flateStream(pageText(5_000))],
    ['that is packed in base 85', base85],
    ['that is not packed', { dictionary: '', stream: Buffer.from(pageText(5_000)) }],
    ['in hexadecimal digits', flateStream(`BT <${'00'.repeat(2_500)}> Tj ET`)],
    ['in a list', flateStream(`BT [${'(a)-10'.repeat(900)}] TJ ET`)],
    ['before a quotation mark', flateStream(`BT (${'a'.repeat(5_000)}) ' ET`)],
    ['behind a picture that begins a string', flateStream(`BI /W 1 ID ( EI BT (${'a'.repeat(5_000)}) Tj ET`)],
    ['with brackets and a comment', flateStream(`BT (((a) ${'a'.repeat(5_000)}) % )\n Tj ET`)],
  ])('%s', (_, stream) => {
    const { pagesMax, textBytes } = lengthOf(pageTree(2), stream, flateStream(pageText(100)))
    expect(pagesMax).toBe(2)
    expect(textBytes.longest).toBeWithin(5_000, 5_500)
    expect(textBytes.all - textBytes.longest).toBeWithin(100, 120)
  })

  test('is not that of fonts', () => {
    const font = Buffer.alloc(300_000)
    for (let [at, seed] = [0, 1]; at < font.length; at += 1) {
      seed = (seed * 48_271) % 0x7fff_ffff
      font.writeUInt8(seed & 0xff, at)
    }
    expect(lengthOf(pageTree(2), flateStream(font, '/Length1 300000')).textBytes.longest).toBeLessThan(3_000)
  })
})

test('a document without end or sense is read in bounded time', () => {
  const parts = [
    '5 0 obj<<',
    '/Kids[',
    '/Kids',
    '3 0 R ',
    ']',
    '%',
    '\n',
    'stream\n',
    'endstream',
    '/Type/Page',
    '>>',
    '(',
    '/Filter/FlateDecode',
    '\0',
  ]
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...parts, 'x', packedText), { maxLength: 60 }), (written) => {
      const { pages, pagesMax } = pdfLength(Buffer.from(`%PDF-${written.join('')}`, 'latin1'))
      return pagesMax === null || pagesMax >= pages
    }),
    { seed: 20_261_129, numRuns: 2_000 },
  )
})

const packedText = deflateSync('/Kids [7 0 R 8 0 R]').toString('latin1')

const hostile: Readonly<Record<string, string>> = {
  'lists within lists': '/Kids[',
  'lists within comments': '/Kids[%',
  'names only': '/Kids',
  'types only': '/Type    ',
  'words that begin a stream': 'stream\n',
  'dictionaries of streams': '5 0 obj<<>>stream\n',
  'packed streams in streams': '5 0 obj<</Filter/FlateDecode>>stream\n',
  'streams in base 85': '5 0 obj<</Filter[/ASCII85Decode/FlateDecode]>>stream\n',
  'strings without end': '( Tj ',
  'quotation marks': ") ' ",
  references: '12 0 R ',
}
test.each(Object.keys(hostile))('%s take time in proportion to their length', (name) => {
  const part = hostile[name] ?? ''
  for (const end of ['', 'endstream', ' ] >>']) {
    const started = process.cpuUsage()
    pdfLength(Buffer.concat([Buffer.from('%PDF-1.7 '), Buffer.alloc(4_000_000, part), Buffer.from(end)]))
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(1_500)
  }
})

test('thirty megabytes are read within two seconds', () => {
  const text = deflateSync(pageText(30_000).repeat(30))
  const stream: PdfObject = { dictionary: '/Filter /FlateDecode', stream: text }
  const image: PdfObject = { dictionary: '/Subtype /Image /Filter /DCTDecode', stream: Buffer.alloc(300_000, 'x(y)Tj') }
  const document = pdfOf([
    catalog,
    pageTree(60),
    ...pageObjects(60),
    ...Array<PdfObject>(60).fill(stream),
    ...Array<PdfObject>(100).fill(image),
  ])
  expect(document.length).toBeGreaterThan(30_000_000)
  const started = process.cpuUsage()
  expect(pdfLength(document)).toMatchObject({ pages: 60, pagesMax: 60 })
  expect(process.cpuUsage(started).user / 1000).toBeLessThan(2_000)
})
