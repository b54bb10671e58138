import { AppError } from '../lib/app-error.ts'

type Fields = Readonly<Record<string, unknown>>

interface Edit {
  /** The row as clients see it, in a transaction that has locked it. */
  readonly stored: Fields
  /** The row as clients see it after the edit. */
  readonly edited: Fields
}

/**
 * Compares what a form showed with what is stored. A field that already has the edit's value is not lost, so it may differ: the edit may be
 * sent for the second time.
 * @throws AppError changed_elsewhere
 */
export function assertUnchanged(baseline: Fields | null | undefined, { stored, edited }: Edit): void {
  const fields = Object.entries(baseline ?? {})
    .filter(([name, value]) => stored[name] !== value && stored[name] !== edited[name])
    .map(([name]) => name)
  if (fields.length > 0) throw new AppError('changed_elsewhere', { beside: { changed_fields: fields.join(',') } })
}
