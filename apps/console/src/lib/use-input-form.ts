import { standardSchemaResolver } from '@hookform/resolvers/standard-schema'
import { type Endpoint, formText, isFormKey } from '@sluice/contract'
import type { FieldValues, Resolver } from 'react-hook-form'
import { currentLocale } from './t.ts'

type Schema<Input> = Parameters<typeof standardSchemaResolver<FieldValues, unknown, Input>>[0]

/**
 * Checks a form by the server's schema of the call, after `toInput` has converted the typed values into its input. Fields are named as on
 * the wire, so each error finds its field; the texts are the server's, in the user's language.
 */
export function inputResolver<Values extends FieldValues, Input extends FieldValues>(
  endpoint: Endpoint,
  toInput: (values: Values) => unknown,
): Resolver<Values, unknown, Input> {
  return async (values, context, options) => {
    // Holds: input and form have the same names, so errors apply field by field.
    const input = toInput(values) as Input
    const schema = await schemaOf(endpoint)
    // The server checks the same.
    if (schema === null) return { values: input, errors: {} }
    // Holds: zod's schemas are standard schemas, but the resolver's generics cannot infer it.
    const resolve = standardSchemaResolver(schema as unknown as Schema<Input>) as unknown as Resolver<FieldValues, unknown, Input>
    // Holds: the resolver's options are those of the form, whose type it only names differently.
    const result = await resolve(input, context, options as never)
    // Holds: only texts changed, so the type is the same as before.
    return { ...result, errors: translated(result.errors) } as Awaited<ReturnType<Resolver<Values, unknown, Input>>>
  }
}

/** Loaded with the first check, because no form needs it before. `null` = it could not be loaded. */
async function schemaOf(endpoint: Endpoint): Promise<Endpoint['input'] | null> {
  try {
    return (await import('@sluice/contract/schemas')).inputSchemaOf(endpoint)
  } catch {
    return null
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
