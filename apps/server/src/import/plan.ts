/** The decision about one row of the source. */
export type Plan<Planned> =
  | { readonly do: 'take'; readonly value: Planned /** What is not as it was, in words. */; readonly notes: readonly string[] }
  /** Already imported, by an earlier run or another import. */
  | { readonly do: 'leave' }
  | LeftOut
  | Refused

/** Not imported and not missed: it was deleted in the source, or has no counterpart here. */
interface LeftOut {
  readonly do: 'leave out'
  readonly why: string
}

/** In use in the source but not imported, so the import is incomplete. */
interface Refused {
  readonly do: 'refuse'
  readonly why: string
}

export const refuse = (why: string): Refused => ({ do: 'refuse', why })
export const leaveOut = (why: string): LeftOut => ({ do: 'leave out', why })
export const take = <Planned>(value: Planned, notes: ReadonlyArray<string | null> = []): Plan<Planned> => ({
  do: 'take',
  value,
  notes: notes.filter((note) => note !== null),
})

/** A name that is valid in forms here: not empty, not too long. */
export function fitName(text: string, otherwise: string, lengthMax = 64): string {
  return [...(text || otherwise)].slice(0, lengthMax).join('').trim()
}
