// Places in a text, which some vendors count in bytes of UTF-8 and others in characters. All of one text are converted together: an output may
// cite thousands of pages.

/** The bytes before each of the characters. */
export function bytesBefore(text: string, characters: readonly number[]): ReadonlyMap<number, number> {
  return converted(text, characters, ({ length, bytes }) => [length, bytes])
}

/** The length of the text in each number of bytes. */
export function lengthsIn(text: string, bytes: readonly number[]): ReadonlyMap<number, number> {
  return converted(text, bytes, (place) => [place.bytes, place.length])
}

interface Place {
  readonly length: number
  readonly bytes: number
}

function converted(
  text: string,
  positions: readonly number[],
  by: (place: Place) => readonly [from: number, to: number],
): ReadonlyMap<number, number> {
  const result = new Map<number, number>()
  const sorted = [...new Set(positions)].sort((one, other) => one - other)
  let next = 0
  let length = 0
  let bytes = 0
  while (next < sorted.length) {
    const [from, to] = by({ length, bytes })
    const isEnd = length >= text.length
    for (let place = sorted[next]; place !== undefined && (place <= from || isEnd); place = sorted[next]) {
      result.set(place, to)
      next += 1
    }
    const code = text.codePointAt(length) ?? 0
    length += code > 0xffff ? 2 : 1
    bytes += bytesOf(code)
  }
  return result
}

function bytesOf(code: number): number {
  if (code < 0x80) return 1
  if (code < 0x800) return 2
  return code < 0x10000 ? 3 : 4
}
