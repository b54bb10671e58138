import { type ChannelRows, importRowsMax } from '@sluice/contract'

/** Characters of the rows of one call, so that its body is far below the server's limit of 1 MB also if each takes three bytes. */
const partLengthMax = 250_000

/** Rows that one call imports. */
export interface ImportPart {
  /** Places of its rows in the file. */
  readonly places: readonly number[]
  /** A file of the same form. */
  readonly file: unknown
}

/** Splits the rows at these places of a file into calls, in their order. */
export function partsOf({ rows, version }: ChannelRows, places: readonly number[]): readonly ImportPart[] {
  const groups: number[][] = []
  let length = 0
  for (const place of places) {
    const own = JSON.stringify(rows[place] ?? null).length
    const last = groups.at(-1)
    if (last !== undefined && last.length < importRowsMax && length + own <= partLengthMax) {
      last.push(place)
      length += own
    } else {
      groups.push([place])
      length = own
    }
  }
  return groups.map((group) => {
    const part = group.map((place) => rows[place] ?? null)
    return { places: group, file: version === null ? part : { sluice: 'channels', version, channels: part } }
  })
}
