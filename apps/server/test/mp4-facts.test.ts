import { expect, test } from 'bun:test'
import { mp4Facts } from '@sluice/contract'
import fc from 'fast-check'
import { mp4Of } from './mp4.ts'

test('the header of a film tells its length and its size, wherever it stands', () => {
  const film = { seconds: 4.5, width: 1280, height: 720 }
  expect(mp4Facts(mp4Of(film))).toEqual(film)
  expect(mp4Facts(mp4Of({ ...film, isLong: true }))).toEqual(film)
  expect(mp4Facts(mp4Of({ ...film, isLast: true }))).toEqual(film)
  expect(mp4Facts(mp4Of({ ...film, isTurned: true }))).toEqual({ seconds: 4.5, width: 720, height: 1280 })
})

test('sound alone, another file, and a part of one are no film', () => {
  const film = mp4Of({ seconds: 4, width: 1280, height: 720 })
  expect(mp4Facts(mp4Of({ seconds: 4, width: 0, height: 0 }))).toBeNull()
  expect(mp4Facts(mp4Of({ seconds: 0, width: 1280, height: 720 }))).toBeNull()
  expect(mp4Facts(new TextEncoder().encode('<html><body>a page</body></html>'))).toBeNull()
  const contentBytes = 'no pictures'.length + 8
  for (let length = 0; length < film.length - contentBytes; length += 1) expect(mp4Facts(film.subarray(0, length))).toBeNull()
})

test('whatever the bytes are, they are read within their bounds', () => {
  const film = mp4Of({ seconds: 4, width: 1280, height: 720 })
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(film.length - 1), fc.nat(255)), { maxLength: 12 }), (changes) => {
      const broken = Uint8Array.from(film)
      for (const [at, byte] of changes) broken[at] = byte
      const facts = mp4Facts(broken)
      return facts === null || (facts.seconds > 0 && facts.width > 0)
    }),
  )
})
