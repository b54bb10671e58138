import type { FieldValues, Path, UseFormReturn } from 'react-hook-form'
import { CallError } from './api.ts'

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

/** Shows a refusal beside the field that it is about. What was typed is kept. */
export function showRefusal<Values extends FieldValues, Input>(form: UseFormReturn<Values, unknown, Input>, error: unknown): void {
  const refused = refusedField(error, pathsOf(form.getValues()))
  // Holds: the name is a path to a value of the form.
  if (refused !== null) form.setError(refused.name as Path<Values>, { type: 'server', message: refused.text }, { shouldFocus: true })
}

/** Paths to the values of a form: the names of its members, and of theirs. */
function pathsOf(values: object): readonly string[] {
  return Object.entries(values).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? [name, ...Object.keys(value).map((inner) => `${name}.${inner}`)]
      : [name],
  )
}
