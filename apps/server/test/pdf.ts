import { deflateSync } from 'node:zlib'

/** An object of a PDF, of so many. */
export type PdfObject = string | { readonly dictionary: string; readonly stream: Buffer }

/** A PDF with these objects, the first one with the number 1 (ISO 32000-1, 7.5). */
export function pdfOf(objects: readonly PdfObject[], head = '%PDF-1.7\n'): Buffer {
  const written = objects.map((object, index) => {
    const number = `${index + 1} 0 obj\n`
    if (typeof object === 'string') return Buffer.from(`${number}${object}\nendobj\n`, 'latin1')
    const { dictionary, stream } = object
    const begin = `${number}<< ${dictionary} /Length ${stream.length} >>\nstream\n`
    return Buffer.concat([Buffer.from(begin, 'latin1'), stream, Buffer.from('\nendstream\nendobj\n')])
  })
  return Buffer.concat([Buffer.from(head), ...written, Buffer.from('trailer << /Root 1 0 R >>\n%%EOF')])
}

export const flateStream = (content: string | Buffer, dictionary = ''): PdfObject => ({
  dictionary: `/Filter /FlateDecode ${dictionary}`,
  stream: deflateSync(content),
})

/** Objects in an object stream (7.5.7). */
export const packedObjects = (content: string): PdfObject => flateStream(content, '/Type /ObjStm /N 3 /First 20')

const references = (count: number, first = 100): string => Array.from({ length: count }, (_, index) => `${first + index} 0 R`).join(' ')

/** The root of a page tree. */
export const pageTree = (pages: number): string => `<< /Type /Pages /Count ${pages} /Kids [${references(pages)}] >>`

export const pageObjects = (count: number): readonly string[] => Array<string>(count).fill('<< /Type /Page /Parent 2 0 R >>')

/** Text that a page shows. */
export const pageText = (bytes: number): string => `BT /F1 12 Tf 72 700 Td (${'a'.repeat(bytes)}) Tj ET`

/** Base 85 with its end mark. */
export function ascii85(bytes: Buffer): Buffer {
  let written = ''
  for (let at = 0; at < bytes.length; at += 4) {
    const group = Buffer.concat([bytes.subarray(at, at + 4), Buffer.alloc(4)]).subarray(0, 4)
    let [value, digits] = [group.readUInt32BE(), '']
    for (let digit = 0; digit < 5; digit += 1) {
      digits = String.fromCharCode((value % 85) + 33) + digits
      value = Math.floor(value / 85)
    }
    written += digits.slice(0, Math.min(4, bytes.length - at) + 1)
  }
  return Buffer.from(`${written}~>`)
}
