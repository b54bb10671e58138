import { describe, expect, test } from 'bun:test'
import type * as z from 'zod/mini'
import { callOf, channelLimits, contract, type Endpoint, optionKeys, optionRow } from './index.ts'

/** Inputs without a limit of their own, and what limits them. */
const limitedElsewhere: Readonly<Record<string, string>> = {
  'POST /api/channel/import file': 'A file of any form: it is read row by row, and each row by the schema of a new channel.',
  'POST /api/task/estimate order{}': 'Any JSON: the body has a largest size and JSON a deepest nesting, both before the schema.',
}

/** The definition of a schema, as far as limits need it. */
interface Definition {
  readonly type: string
  readonly checks?: ReadonlyArray<{ readonly _zod: { readonly def: { readonly check: string; readonly abort?: boolean } } }>
  readonly in?: z.ZodMiniType
  readonly out?: z.ZodMiniType
  readonly innerType?: z.ZodMiniType
  readonly element?: z.ZodMiniType
  readonly keyType?: z.ZodMiniType
  readonly valueType?: z.ZodMiniType
  readonly catchall?: z.ZodMiniType
  readonly shape?: Readonly<Record<string, z.ZodMiniType>>
  readonly options?: readonly z.ZodMiniType[]
}

// Holds: the interface lists members that some of zod's definitions have, each as optional.
const definitionOf = (schema: z.ZodMiniType): Definition => schema._zod.def as unknown as Definition

/** Whether the length is limited before anything else looks at the text; a limit that does not abort lets later checks run. */
function hasLimit({ type, checks = [] }: Definition): boolean {
  const kinds = checks.map(({ _zod }) => _zod.def)
  const at = kinds.findIndex(({ check }) => check === 'max_length')
  const isCostly = ({ check }: { readonly check: string }): boolean => !['overwrite', 'min_length', 'max_length'].includes(check)
  return (
    at >= 0 && !kinds.slice(0, at).some(isCostly) && (type !== 'string' || kinds[at]?.abort === true || !kinds.slice(at).some(isCostly))
  )
}

/** The places of a schema that have no limit; those behind a limited text are derived from it. */
function unlimited(schema: z.ZodMiniType, place: string): readonly string[] {
  const definition = definitionOf(schema)
  const inside = (part: z.ZodMiniType | undefined, suffix = ''): readonly string[] =>
    part === undefined ? [] : unlimited(part, place + suffix)
  const ownFault = hasLimit(definition) ? [] : [place]
  switch (definition.type) {
    case 'string':
      return ownFault
    case 'array':
      return [...ownFault, ...inside(definition.element, '[]')]
    case 'record': {
      const isBounded = definition.checks?.some(({ _zod }) => _zod.def.check === 'custom') ?? false
      return [...(isBounded ? [] : [place]), ...inside(definition.keyType, '{key}'), ...inside(definition.valueType, '{}')]
    }
    case 'object':
      return Object.entries(definition.shape ?? {}).flatMap(([name, part]) => unlimited(part, place === '' ? name : `${place}.${name}`))
    case 'union':
      return (definition.options ?? []).flatMap((part) => inside(part))
    case 'pipe': {
      const takesText = definition.in !== undefined && holdsText(definition.in)
      return takesText ? inside(definition.in) : inside(definition.out)
    }
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'catch':
      return inside(definition.innerType)
    case 'int':
    case 'number':
    case 'boolean':
    case 'literal':
    case 'enum':
    case 'null':
      return []
    default:
      return [place]
  }
}

/** Whether a schema checks texts itself, so that what follows in its pipe sees no others. A transformation alone does not. */
function holdsText(schema: z.ZodMiniType): boolean {
  const { type, in: first, out, innerType } = definitionOf(schema)
  if (type === 'transform') return false
  if (type === 'pipe') return [first, out].some((part) => part !== undefined && holdsText(part))
  return innerType === undefined ? true : holdsText(innerType)
}

const calls = Object.values(contract).flatMap((noun): readonly Endpoint[] => Object.values(noun))

describe('the input of every call', () => {
  test('limits each text, each list and each record', () => {
    const places = calls.flatMap((call) => unlimited(call.input, '').map((place) => `${callOf(call)} ${place}`))
    expect([...new Set(places)].filter((place) => !(place in limitedElsewhere))).toEqual([])
  })

  test('has no exception that is not needed', () => {
    const places = new Set(calls.flatMap((call) => unlimited(call.input, '').map((place) => `${callOf(call)} ${place}`)))
    expect(Object.keys(limitedElsewhere).filter((place) => !places.has(place))).toEqual([])
  })

  test('names the field of a text that is too long, with a message that says so', () => {
    const fields: ReadonlyArray<readonly [Endpoint, string, string]> = [
      [contract.channel.update, 'base_url', 'address_too_long'],
      [contract.channel.update, 'proxy', 'address_too_long'],
      [contract.channel.update, 'models', 'channel_models_too_long'],
      [contract.channel.update, 'model_mapping', 'json_too_long'],
      [contract.channel.update, 'config', 'text_too_long'],
      [contract.channel.update, 'headers', 'json_too_long'],
      [contract.channel.update, 'cost_prices', 'json_too_long'],
      [contract.channel.update, 'group', 'groups_too_long'],
      [contract.channel.update, 'other', 'text_too_long'],
      [contract.token.update, 'models', 'token_models_too_long'],
      [contract.token.update, 'subnet', 'subnets_too_long'],
    ]
    for (const [{ input }, field, message] of fields) {
      const issue = input.safeParse({ id: 1, [field]: 'a'.repeat(300_000) }).error?.issues[0]
      expect([issue?.path.join('.'), issue?.message]).toEqual([field, message])
    }
  })
})

describe('the fields of a channel', () => {
  const rows = (count: number, value: unknown) =>
    JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, row) => [`m${row}`, value])))
  const names = (count: number) => Array.from({ length: count }, (_, row) => `m${row}`).join()
  const { create, update } = contract.channel
  const form = { name: 'n', key: 'k', type: 1, models: 'm' }

  test('take no table and no list of any length', () => {
    const fields = Object.keys(definitionOf(create.input).shape ?? {})
    const texts = [rows(10_000, 'x'), rows(10_000, 1), rows(10_000, { ratio: 1 }), rows(10_000, {}), names(20_000)]
    const accepted = fields.filter((field) => texts.some((text) => create.input.safeParse({ ...form, [field]: text }).success))
    expect(fields).toContain('cost_prices')
    expect(accepted).toEqual([])
  })

  test('take as much as the limits say, and name the field of what is more', () => {
    const { models, rows: rowsMax } = channelLimits
    const cases = [
      ['models', names, models, 'channel_models_too_many'],
      ['model_mapping', (count: number) => rows(count, 'x'), rowsMax, 'model_mapping_too_long'],
      ['cost_prices', (count: number) => rows(count, { ratio: 1 }), rowsMax, 'cost_prices_too_long'],
    ] as const
    for (const [field, textOf, most, message] of cases) {
      expect(update.input.safeParse({ id: 1, [field]: textOf(most) }).success).toBe(true)
      const issue = update.input.safeParse({ id: 1, [field]: textOf(most + 1) }).error?.issues[0]
      expect([issue?.path.join('.'), issue?.message]).toEqual([field, message])
    }
  })
})

test('Every option has a largest length', () => {
  expect(optionKeys.filter((key) => !(optionRow(key).lengthMax <= 262_144))).toEqual([])
})

describe('a walk through a schema', () => {
  const names = (schema: z.ZodMiniType): readonly string[] => unlimited(schema, '')

  test('finds what has no limit, however it is wrapped', async () => {
    const z = await import('zod/mini')
    const schema = z.object({
      plain: z.optional(z.nullable(z.string())),
      late: z.string().check(z.regex(/^a+$/), z.maxLength(8)),
      running: z.string().check(z.maxLength(8), z.regex(/^a+$/)),
      list: z.array(z.string().check(z.maxLength(8))),
      map: z.record(z.string(), z.int()),
      any: z.unknown(),
      inside: z.pipe(
        z.string(),
        z.pipe(
          z.transform((text: string) => text),
          z.string().check(z.maxLength(8)),
        ),
      ),
    })
    expect(names(schema)).toEqual(['plain', 'late', 'running', 'list', 'map', 'map{key}', 'any', 'inside'])
  })

  test('accepts what is limited', async () => {
    const z = await import('zod/mini')
    const short = z.string().check(z.trim(), z.maxLength(8, { abort: true }), z.regex(/^a+$/))
    const schema = z.object({
      short,
      after: z.pipe(
        z.transform((value) => value ?? ''),
        short,
      ),
      list: z.array(short).check(z.maxLength(8)),
      count: z.int(),
    })
    expect(names(schema)).toEqual([])
  })
})
