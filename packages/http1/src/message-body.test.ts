import { expect, test } from 'bun:test'
import { BodyReader } from './message-body.ts'

/** The pieces that a body's reader passes on of these reads. */
function piecesOf(reads: readonly string[]): readonly string[] {
  const pieces: string[] = []
  const reader = new BodyReader({ data: (bytes) => void pieces.push(bytes.toString('latin1')) })
  reader.begin('chunked')
  for (const read of reads) reader.push(Buffer.from(read, 'latin1'))
  return pieces
}

test('small chunks of one read are passed on as one piece', () => {
  expect(piecesOf(['1\r\na\r\n'.repeat(10_000)])).toEqual(['a'.repeat(10_000)])
  expect(piecesOf(['1\r\na\r\n2;x=1\r\nbc\r\n4\r\nde', 'fg\r\n1\r\nh\r\n0\r\n\r\n'])).toEqual(['abcde', 'fgh'])
})

test('large chunks are passed on one by one, without being moved', () => {
  const large = 'x'.repeat(8 * 1024)
  expect(piecesOf([`2000\r\n${large}\r\n2000\r\n${large}\r\n`])).toEqual([large, large])
})
