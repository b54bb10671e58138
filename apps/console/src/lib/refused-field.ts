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
  const refused = refusedField(error, Object.keys(form.getValues()))
  // Holds: the name is a key of the form's values.
  if (refused !== null) form.setError(refused.name as Path<Values>, { type: 'server', message: refused.text }, { shouldFocus: true })
}
