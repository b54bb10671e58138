import type { Json } from '../../core/json.ts'

/** What stands before the schema in every instruction, so that it is found again in a request (see `findSchemaInPrompt`). */
export const schemaWords = 'that fits this JSON schema: '

/** The schema of structured output as prompt text, for models without a field for it. */
export function fittingSchema(schema: Json): string {
  return schemaWords + JSON.stringify(schema)
}
