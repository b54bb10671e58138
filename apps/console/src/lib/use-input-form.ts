import { standardSchemaResolver } from '@hookform/resolvers/standard-schema'
import { formText, isFormKey } from '@sluice/contract'
import type { FieldValues, Resolver } from 'react-hook-form'
import { currentLocale } from './t.ts'

type Schema<Input> = Parameters<typeof standardSchemaResolver<FieldValues, unknown, Input>>[0]

/**
 * Checks a form by the same schema that the server checks the call by, after `toInput` has turned what was typed into what is sent.
 * Fields are named as on the wire, so each failure finds its field; texts are the server's own, in the reader's language.
 */
export function inputResolver<Values extends FieldValues, Input extends FieldValues>(
  schema: unknown,
  toInput: (values: Values) => unknown,
): Resolver<Values, unknown, Input> {
  // zod's schemas are standard schemas; its own types say so in a way that the resolver's generics cannot follow.
  const resolve = standardSchemaResolver(schema as Schema<Input>) as unknown as Resolver<FieldValues, unknown, Input>
  return async (values, context, options) => {
    // What is sent has the same names as what is typed, so errors carry over field by field.
    const result = await resolve(toInput(values) as FieldValues, context, options as never)
    // Only texts changed, so this is the same kind of result as before.
    return { ...result, errors: translated(result.errors) } as Awaited<ReturnType<Resolver<Values, unknown, Input>>>
  }
}

function translated(errors: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(errors).map(([name, error]) => {
      if (typeof error !== 'object' || error === null || !('message' in error)) return [name, error]
      const message = String(error.message)
      return [name, { ...error, message: isFormKey(message) ? formText(message, {}, currentLocale()) : message }]
    }),
  )
}
