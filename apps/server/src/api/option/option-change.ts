import type { Change } from '../change-queries.ts'

export interface StoredChange {
  readonly key: string
  /** Only proposed: the value in force stays. */
  readonly isPending: boolean
  /** `null`: it is a secret. */
  readonly before: string | null
  readonly after: string | null
}

/** What the history keeps of a change of an option. `undefined`: nothing was changed. */
export function optionChange({ key, before, after }: StoredChange): Change | undefined {
  const whose = { noun: 'option', target: key } as const
  if (before === null || after === null) return { ...whose, before: {}, after: {}, hidden: [key] }
  return before === after ? undefined : { ...whose, before: { value: before }, after: { value: after }, hidden: [] }
}
