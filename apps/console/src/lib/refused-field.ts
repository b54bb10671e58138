import type { FieldValues, Path, UseFormReturn } from 'react-hook-form'
import { CallError, changedElsewhere, explain, isRefused } from './api.ts'

/** The field that a refusal of the server is about, if it is one of these. */
export function refusedField<Name extends string>(
  error: unknown,
  names: readonly Name[],
): { readonly name: Name; readonly text: string } | null {
  if (!(error instanceof CallError) || error.failure.kind !== 'refused') return null
  const { field, message } = error.failure
  const name = names.find((known) => known === field)
  return name === undefined ? null : { name, text: message }
}

/** What a form with one field shows of a failed call: a refusal beside the field, anything else above it. */
export function failureAtField(error: Error | null): { readonly beside?: string; readonly above?: string } {
  const text = error === null ? undefined : explain(error)?.text
  if (text === undefined) return {}
  return isRefused(error) ? { beside: text } : { above: text }
}

/** Shows a refusal beside the field that it is about. What was typed is kept. */
export function showRefusal<Values extends FieldValues, Input>(form: UseFormReturn<Values, unknown, Input>, error: unknown): void {
  const refused = refusedField(error, pathsOf(form.getValues()))
  // Holds: the name is a path to a value of the form.
  if (refused !== null) form.setError(refused.name as Path<Values>, { type: 'server', message: refused.text }, { shouldFocus: true })
}

/** A refusal that is about no field of a form; `undefined` = there is none. */
export function refusalOfNoField(error: Error | null, values: object): string | undefined {
  if (!isRefused(error) || refusedField(error, pathsOf(values)) !== null || changedElsewhere(error).length > 0) return undefined
  return explain(error)?.text
}

/** Paths to the values of a form: the names of its members, and of theirs. */
function pathsOf(values: object): readonly string[] {
  return Object.entries(values).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? [name, ...Object.keys(value).map((inner) => `${name}.${inner}`)]
      : [name],
  )
}
