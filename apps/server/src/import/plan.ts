/** What becomes of one row of the source. */
export type Plan<Planned> =
  | { readonly do: 'take'; readonly value: Planned /** What is not as it was, in words. */; readonly notes: readonly string[] }
  /** Another import, or an earlier run of this one, has brought it. */
  | { readonly do: 'leave' }
  | LeftOut
  | Refused

/** Nobody will miss it: it was deleted there, or there is nothing here that it could be. */
interface LeftOut {
  readonly do: 'leave out'
  readonly why: string
}

/** Something that is in use there does not come, so the import is not complete. */
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

/** A name that the forms here take: not empty, not too long. */
export function fitName(given: string, otherwise: string, lengthMax = 64): string {
  return [...(given || otherwise)].slice(0, lengthMax).join('').trim()
}
