// Files that make parsers of audio work for long.

/** An ID3v2 tag with so many frames of 11 bytes. */
export function id3WithFrames(count: number): Buffer {
  const frame = Buffer.from('TXXX\0\0\0\x01\0\0\0', 'latin1')
  return id3Tag(Buffer.alloc(count * frame.length, frame))
}

/** An ID3v2.4 tag around these bytes. */
export function id3Tag(content: Buffer): Buffer {
  const head = Buffer.alloc(10)
  head.write('ID3\x04', 0, 'latin1')
  for (const [place, shift] of [21, 14, 7, 0].entries()) head.writeUInt8((content.length >>> shift) & 0x7f, 6 + place)
  return Buffer.concat([head, content])
}

/** A box of an MP4 file. */
function mp4Box(name: string, ...content: readonly Buffer[]): Buffer {
  const head = Buffer.alloc(8)
  const body = Buffer.concat(content)
  head.writeUInt32BE(8 + body.length, 0)
  head.write(name, 4, 'latin1')
  return Buffer.concat([head, body])
}

/** An MP4 file with one audio track, whose length is in its header, and further boxes beside its description. */
export function mp4Audio(
  { units, unitsPerSecond, type = 'mp4a' }: { units: number; unitsPerSecond: number; type?: string },
  ...tables: readonly Buffer[]
): Buffer {
  const times = Buffer.alloc(24)
  times.writeUInt32BE(unitsPerSecond, 12)
  times.writeUInt32BE(units, 16)
  const handler = Buffer.alloc(24)
  handler.write('soun', 8, 'latin1')
  const described = Buffer.alloc(28)
  described.writeUInt16BE(1, 6)
  described.writeUInt16BE(2, 16)
  described.writeUInt16BE(16, 18)
  described.writeUInt16BE(44_100, 24)
  const descriptions = Buffer.concat([Buffer.from([0, 0, 0, 0, 0, 0, 0, 1]), mp4Box(type, described)])
  const samples = mp4Box('stbl', mp4Box('stsd', descriptions), ...tables)
  const media = mp4Box('mdia', mp4Box('mdhd', times), mp4Box('hdlr', handler), mp4Box('minf', samples))
  const track = mp4Box('trak', mp4Box('tkhd', Buffer.alloc(84)), media)
  const brands = mp4Box('ftyp', Buffer.from('M4A \0\0\0\0M4A ', 'latin1'))
  return Buffer.concat([brands, mp4Box('moov', mp4Box('mvhd', Buffer.alloc(100)), track)])
}

/** A table of an MP4 file with so many entries of equal bytes. */
export function mp4Table(name: string, entries: number, entryBytes: number): Buffer {
  const count = Buffer.alloc(4)
  count.writeUInt32BE(entries)
  return mp4Box(name, Buffer.alloc(4), count, Buffer.alloc(entries * entryBytes, Buffer.from([0, 0, 0, 1])))
}

/** Boxes within boxes. */
export function mp4Nested(depth: number): Buffer {
  const heads = Buffer.alloc(8 * depth)
  for (let level = 0; level < depth; level += 1) {
    heads.writeUInt32BE(heads.length - 8 * level, 8 * level)
    heads.write(level === 0 ? 'moov' : 'trak', 8 * level + 4, 'latin1')
  }
  return Buffer.concat([mp4Box('ftyp', Buffer.from('M4A \0\0\0\0M4A ', 'latin1')), heads])
}

/** An MP4 box that says that it has no bytes, again and again. */
export function mp4WithoutLengths(count: number): Buffer {
  const box = Buffer.from('\0\0\0\x08free', 'latin1')
  return Buffer.concat([mp4Box('ftyp', Buffer.from('M4A \0\0\0\0M4A ', 'latin1')), Buffer.alloc(count * box.length, box)])
}

/** A WAV file with so many chunks that have no content. */
export function wavOfChunks(count: number): Buffer {
  const chunk = Buffer.from('junk\0\0\0\0', 'latin1')
  const head = Buffer.from('RIFF\xff\xff\xff\x7fWAVE', 'latin1')
  return Buffer.concat([head, Buffer.alloc(count * chunk.length, chunk)])
}

/** A WAV file whose tag is an ID3v2 tag with so many frames. */
export function wavWithId3(count: number): Buffer {
  const tag = id3WithFrames(count)
  const head = Buffer.alloc(20)
  head.write('RIFF', 0, 'latin1')
  head.writeUInt32LE(12 + tag.length, 4)
  head.write('WAVEID3 ', 8, 'latin1')
  head.writeUInt32LE(tag.length, 16)
  return Buffer.concat([head, tag])
}

/** A FLAC file with so many comments. */
export function flacWithComments(count: number): Buffer {
  const info = Buffer.alloc(38)
  info.writeUInt8(0, 0)
  info.writeUIntBE(34, 1, 3)
  info.writeUIntBE(44_100 << 4, 14, 3)
  const comment = Buffer.from('\x03\0\0\0a=b', 'latin1')
  const counts = Buffer.alloc(8)
  counts.writeUInt32LE(count, 4)
  const comments = Buffer.concat([counts, Buffer.alloc(count * comment.length, comment)])
  const head = Buffer.alloc(4)
  head.writeUInt8(0x84, 0)
  head.writeUIntBE(comments.length, 1, 3)
  return Buffer.concat([Buffer.from('fLaC', 'latin1'), info, head, comments])
}

/** Ogg pages of one byte. */
export function oggOfPages(count: number): Buffer {
  const page = Buffer.concat([Buffer.from('OggS\0\0', 'latin1'), Buffer.alloc(20), Buffer.from([1, 1, 0])])
  return Buffer.alloc(count * page.length, page)
}

/** The times of so many samples of an MP4 file. */
export function mp4Samples(count: number, units: number): Buffer {
  const table = Buffer.alloc(16)
  for (const [index, value] of [0, 1, count, units].entries()) table.writeUInt32BE(value, index * 4)
  return mp4Box('stts', table)
}

/** An MP4 file of Opus packets of 60 ms, each of which lasts one unit by the table of times. */
export function mp4Opus(packets: number): Buffer {
  const table = (name: string, ...values: readonly number[]): Buffer => {
    const bytes = Buffer.alloc(values.length * 4)
    for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4)
    return mp4Box(name, bytes)
  }
  const perChunk = packets / 2
  const file = (first: number): Buffer =>
    mp4Audio(
      { units: 4_800, unitsPerSecond: 48_000, type: 'Opus' },
      ...[mp4Samples(packets, 1), table('stsz', 0, 4, packets), table('stsc', 0, 2, 1, perChunk, 1, 2, perChunk, 1)],
      table('stco', 0, 2, first, first + 4 * perChunk),
    )
  return Buffer.concat([file(file(0).length + 8), mp4Box('mdat', Buffer.alloc(4 * packets, Buffer.from([3 << 3, 0, 0, 0])))])
}
