import { expect, test } from 'bun:test'
import { mp4Facts } from '@sluice/contract'
import fc from 'fast-check'
import { mp4Of } from './mp4.ts'

test('the header of a video has its length and its size, wherever it stands', () => {
  const mp4File = { seconds: 4.5, width: 1280, height: 720 }
  expect(mp4Facts(mp4Of(mp4File))).toEqual(mp4File)
  expect(mp4Facts(mp4Of({ ...mp4File, isLong: true }))).toEqual(mp4File)
  expect(mp4Facts(mp4Of({ ...mp4File, isLast: true }))).toEqual(mp4File)
  expect(mp4Facts(mp4Of({ ...mp4File, isTurned: true }))).toEqual({ seconds: 4.5, width: 720, height: 1280 })
})

test.each(['tkhd', 'mdhd', 'elst', 'stts', 'stsz', 'trun', 'trex', 'tfdt'])(
  'a video is as long as the longest of its parts says: %s',
  (part) => {
    const size = { width: 1280, height: 720 }
    expect(mp4Facts(mp4Of({ seconds: 1, ...size, parts: { [part]: 20 } }))).toEqual({ seconds: 20, ...size })
    expect(mp4Facts(mp4Of({ seconds: 30, ...size, parts: { [part]: 20 } }))).toEqual({ seconds: 30, ...size })
    // A length that is not known has all bits set.
    expect(mp4Facts(mp4Of({ seconds: -1 / 600, ...size, parts: { [part]: 20 } }))).toEqual({ seconds: 20, ...size })
  },
)

test('a video of too many boxes or entries, with a compressed header or with boxes that end beyond it has no length', () => {
  const mp4File = mp4Of({ seconds: 1, width: 1280, height: 720, parts: { stts: 20 } })
  const box = Buffer.from('\0\0\0\x08free', 'latin1')
  expect(mp4Facts(Buffer.concat([mp4File, Buffer.alloc(1_100_000 * box.length, box)]))).toBeNull()
  for (const [type, at, byte] of [
    ['stts', -4, 0x7f],
    ['mvhd', 0, 0x63],
  ] as const) {
    const broken = Buffer.from(mp4File)
    const place = broken.indexOf(type) + at
    broken.writeUInt8(byte, place)
    if (type === 'mvhd') broken.write('cmov', place, 'latin1')
    expect(mp4Facts(broken)).toBeNull()
  }
})

test('fifty megabytes of entries take little time', () => {
  const mp4File = mp4Of({ seconds: 1, width: 1280, height: 720, parts: { stts: 20 } })
  const entries = 6_000_000
  const large = Buffer.concat([mp4File, Buffer.alloc(entries * 8)])
  // The table and all boxes around it, the last of the file, are as long as the rest of it.
  for (const type of ['moov', 'trak', 'mdia', 'minf', 'stbl', 'stts'])
    large.writeUInt32BE(large.length - (large.indexOf(type) - 4), large.indexOf(type) - 4)
  large.writeUInt32BE(entries, large.indexOf('stts') + 8)
  const started = process.cpuUsage()
  expect(mp4Facts(large)).toBeNull()
  expect(process.cpuUsage(started).user / 1000).toBeLessThan(200)
})

test('audio alone, another file, and a part of one are no video', () => {
  const mp4File = mp4Of({ seconds: 4, width: 1280, height: 720 })
  expect(mp4Facts(mp4Of({ seconds: 4, width: 0, height: 0 }))).toBeNull()
  expect(mp4Facts(mp4Of({ seconds: 0, width: 1280, height: 720 }))).toBeNull()
  expect(mp4Facts(new TextEncoder().encode('<html><body>a page</body></html>'))).toBeNull()
  const contentBytes = 'no pictures'.length + 8
  for (let length = 0; length < mp4File.length - contentBytes; length += 1) expect(mp4Facts(mp4File.subarray(0, length))).toBeNull()
})

test('whatever the bytes are, they are read within their bounds', () => {
  const mp4File = mp4Of({ seconds: 4, width: 1280, height: 720, parts: { stts: 4, elst: 2, trun: 3, trex: 2, tfdt: 9 } })
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(mp4File.length - 1), fc.nat(255)), { maxLength: 12 }), (changes) => {
      const broken = Uint8Array.from(mp4File)
      for (const [at, byte] of changes) broken[at] = byte
      const facts = mp4Facts(broken)
      return facts === null || (facts.seconds > 0 && facts.width > 0)
    }),
  )
})
