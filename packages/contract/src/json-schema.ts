import * as z from 'zod/mini'
import type { Endpoint } from './endpoint.ts'

/** The part of JSON Schema (draft 2020-12) that describes our calls. */
export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly additionalProperties?: JsonSchema | boolean
  readonly propertyNames?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly maxItems?: number
  readonly pattern?: string
  readonly format?: string
  readonly default?: unknown
  readonly description?: string
}

/** Schema of the input; where the server accepts and converts other forms, only the converted form. */
export function inputSchema({ input }: Pick<Endpoint, 'input'>): JsonSchema {
  return describe(input, 'input')
}

/** Schema of `data` in a response, or of a file. */
export function dataSchema({ data, isFile }: Pick<Endpoint, 'data' | 'isFile'>): JsonSchema {
  if (isFile) return { type: 'string' }
  return describe(data, 'output')
}

/** Schema of a row of a file in JSON. */
export function fileRowSchema({ fileRow }: Pick<Endpoint, 'fileRow'>): JsonSchema | null {
  return fileRow === null ? null : describe(fileRow, 'output')
}

function describe(schema: z.ZodMiniType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...described } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  // Holds: the library writes the same draft; it types the keywords that we do not read more broadly.
  return simplified(described) as JsonSchema
}

/** Programs that generate clients cannot read a list of all types. */
const anyValue: JsonSchema = {}

/**
 * Removes the bounds of safe integers in JavaScript, which say nothing about the call, and definitions: only the schema of any JSON value refers to
 * itself and has one, and in a larger document its reference would lead nowhere.
 */
function simplified(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(simplified)
  if (typeof value !== 'object' || value === null) return value
  if ('$ref' in value) return anyValue
  const entries = Object.entries(value).filter(
    ([key, member]) =>
      key !== '$defs' && !((key === 'minimum' || key === 'maximum') && Math.abs(Number(member)) === Number.MAX_SAFE_INTEGER),
  )
  return Object.fromEntries(entries.map(([key, member]) => [key, simplified(member)]))
}
