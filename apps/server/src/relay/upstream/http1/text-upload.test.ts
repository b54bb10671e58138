import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { textUpload } from './text-upload.ts'

async function uploadedBytes(text: string): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of textUpload(text).chunks()) pieces.push(Uint8Array.from(piece))
  return Buffer.concat(pieces)
}

test('a long text is sent as the same bytes as in one piece, whatever characters meet at the ends of pieces', async () => {
  // A lone half of a character becomes U+FFFD, as `Buffer.from` does.
  const parts = fc.array(
    fc.record({ part: fc.constantFrom('x', 'é', '世', '😀', '\ud83d', '\ude00'), times: fc.integer({ min: 0, max: 70_000 }) }),
    {
      maxLength: 6,
    },
  )
  await fc.assert(
    fc.asyncProperty(parts, async (all) => {
      const text = all.map(({ part, times }) => part.repeat(times)).join('')
      const bytes = Buffer.from(text)
      expect(textUpload(text).byteLength).toBe(bytes.length)
      expect((await uploadedBytes(text)).equals(bytes)).toBe(true)
    }),
    { numRuns: 30 },
  )
})

test('a long text is sent in pieces that use the same memory', async () => {
  const buffers = new Set<ArrayBufferLike>()
  let pieces = 0
  for await (const { buffer } of textUpload('x'.repeat(1_000_000)).chunks()) {
    buffers.add(buffer)
    pieces += 1
  }
  expect(pieces).toBeGreaterThan(10)
  expect(buffers.size).toBe(1)
})
