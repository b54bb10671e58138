import { plainNumber } from '../../core/exact-number.ts'
import { isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { isSame, type Steps, spend } from '../../core/same-json.ts'
import { referenced } from '../shared/schema-reference.ts'
import { withMovedReferences } from './moved-references.ts'

/** The parameters of a function in one object. */
export interface FlatSchema {
  readonly schema: JsonObject
  /** Whether it has all parameters: references may lead in a circle or nowhere, or there are too many. */
  readonly isWhole: boolean
}

/** Most references and unions within each other. */
const levelsMax = 32

interface Walk {
  readonly root: JsonObject
  readonly work: Steps
  isWhole: boolean
}

interface At {
  readonly walk: Walk
  /** References on the way. */
  readonly way: readonly string[]
  readonly level: number
}

/** What a schema says of an object. */
interface Parts {
  readonly properties: ReadonlyMap<string, Json>
  readonly patterns: ReadonlyMap<string, Json>
  readonly required: ReadonlySet<string>
  /** `additionalProperties` */
  readonly others: Json | undefined
}

const none: ReadonlyMap<string, Json> = new Map()
const anything: Parts = { properties: none, patterns: none, required: new Set(), others: undefined }

/** Keywords that are taken into the object. */
const flattened: ReadonlySet<string> = new Set(['$ref', 'anyOf', 'oneOf', 'allOf', 'properties', 'patternProperties', 'required'])

/**
 * A schema without references and unions at its top: with the properties of all alternatives, of which those are required that every alternative requires.
 * A property that several alternatives have may be as in any of them. What is within properties stays as it is.
 * @param lacks keywords that the vendor refuses or does not read
 * @param work the steps of all schemas of a request together
 */
export function flatSchema(schema: JsonObject, lacks: readonly string[], work: Steps): FlatSchema {
  const walk: Walk = { root: schema, work, isWhole: true }
  const read = partsOf(schema, { walk, way: [], level: 0 })
  const { properties, patterns, required, others } = read ?? anything
  const rest = Object.entries(schema).filter(([name]) => !flattened.has(name) && !lacks.includes(name))
  const flat = {
    ...Object.fromEntries(rest),
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.size === 0 ? {} : { required: [...required] }),
    ...(patterns.size === 0 ? {} : { patternProperties: Object.fromEntries(patterns) }),
    ...(others === undefined ? {} : { additionalProperties: others }),
  }
  const isLost = lacks.some((name) =>
    name === 'patternProperties' ? patterns.size > 0 : schema[name] !== undefined && !flattened.has(name),
  )
  return { schema: withMovedReferences(flat, schema, work), isWhole: walk.isWhole && read !== null && work.stepsLeft >= 0 && !isLost }
}

/** `null` = no object fits. */
function partsOf(schema: Json | undefined, at: At): Parts | null {
  const { walk, level } = at
  if (schema === true) return anything
  if (!isObject(schema) || !mayBeObject(schema)) return null
  if (level > levelsMax || walk.work.stepsLeft < 0) return lost(walk)
  const own = ownParts(schema)
  if (!spend(walk.work, 1 + own.properties.size + own.patterns.size + own.required.size)) return lost(walk)
  const { $ref: reference, allOf, anyOf, oneOf } = schema
  const inner = { ...at, level: level + 1 }
  const together = [
    own,
    ...(typeof reference === 'string' ? [referredParts(reference, inner)] : []),
    ...listIn(allOf).map((one) => partsOf(one, inner)),
    ...[anyOf, oneOf].flatMap((list) => (listIn(list).length === 0 ? [] : [anyParts(listIn(list), inner)])),
  ]
  const fit = together.filter((parts) => parts !== null)
  return fit.length < together.length ? null : allParts(fit, walk.work)
}

const listIn = (list: Json | undefined): readonly Json[] => (Array.isArray(list) ? list : [])

function lost(walk: Walk): Parts {
  walk.isWhole = false
  return anything
}

const mayBeObject = ({ type = null }: JsonObject): boolean =>
  type === null || type === 'object' || (Array.isArray(type) && type.includes('object'))

function ownParts({ properties, patternProperties, required, additionalProperties: others }: JsonObject): Parts {
  return {
    properties: isObject(properties) ? mapOf(properties) : none,
    patterns: isObject(patternProperties) ? mapOf(patternProperties) : none,
    required: new Set(Array.isArray(required) ? required.filter((name): name is string => typeof name === 'string') : []),
    others,
  }
}

const mapOf = (named: JsonObject): ReadonlyMap<string, Json> =>
  new Map(Object.entries(named).map(([name, schema]) => [name, schema ?? null]))

function referredParts(reference: string, at: At): Parts | null {
  const { walk, way } = at
  const target = way.includes(reference) ? undefined : referenced(walk.root, reference, walk.work)
  return target === undefined ? lost(walk) : partsOf(target, { ...at, way: [...way, reference] })
}

/** What all of them allow. */
function allParts(list: readonly Parts[], work: Steps): Parts {
  return {
    ...namedIn(list, (schemas) => allSchema(schemas, work)),
    required: new Set(list.flatMap(({ required }) => [...required])),
    others: list.find(({ others }) => others !== undefined)?.others,
  }
}

/** What any of the alternatives allows. */
function anyParts(list: readonly Json[], at: At): Parts | null {
  const { work } = at.walk
  const alternatives = list.map((one) => partsOf(one, at)).filter((parts) => parts !== null)
  const [first] = alternatives
  if (first === undefined) return null
  const isClosed = alternatives.every(({ others }) => others === false)
  const open = alternatives.flatMap(({ others = false }) => (others === false ? [] : [others]))
  return {
    ...namedIn(alternatives, (schemas) => anySchema(schemas, work)),
    required: new Set([...first.required].filter((name) => alternatives.every(({ required }) => required.has(name)))),
    others: isClosed ? false : open.length === 0 ? undefined : anySchema(open, work),
  }
}

type Merge = (schemas: readonly Json[]) => Json

function namedIn(list: readonly Parts[], merge: Merge): Pick<Parts, 'properties' | 'patterns'> {
  return {
    properties: merged(
      list.map(({ properties }) => properties),
      merge,
    ),
    patterns: merged(
      list.map(({ patterns }) => patterns),
      merge,
    ),
  }
}

/** What several say of one name becomes one schema. */
function merged(maps: ReadonlyArray<ReadonlyMap<string, Json>>, merge: Merge): ReadonlyMap<string, Json> {
  const lists = new Map<string, Json[]>()
  for (const map of maps)
    for (const [name, schema] of map) {
      const list = lists.get(name)
      if (list === undefined) lists.set(name, [schema])
      else list.push(schema)
    }
  return new Map([...lists].map(([name, list]) => [name, merge(list)]))
}

/** One list of values if that is how the schemas differ. */
function anySchema(list: readonly Json[], work: Steps): Json {
  const [first = true, ...others] = list
  if (others.length === 0) return first
  const values = oneEnum(list, work)
  if (values !== null) return values
  const different: Json[] = []
  for (const schema of list) {
    if (work.stepsLeft < 0) break
    if (!different.some((one) => isSame(one, schema, work))) different.push(schema)
  }
  return different.length === 1 ? first : { anyOf: different }
}

/** `null` = they differ otherwise. */
function oneEnum(list: readonly Json[], work: Steps): JsonObject | null {
  const values = new Map<unknown, Json>()
  let beside: JsonObject | null = null
  for (const schema of list) {
    const literals = isObject(schema) ? literalsIn(schema) : null
    if (literals === null || !isObject(schema) || !spend(work, literals.length)) return null
    const { const: _const, enum: _enum, ...rest } = schema
    beside ??= rest
    if (!isSame(beside, rest, work)) return null
    for (const value of literals) values.set(plainNumber(value), value)
  }
  return { ...beside, enum: [...values.values()] }
}

/** The values that a schema lists, if they are plain ones. */
function literalsIn({ const: only, enum: list }: JsonObject): readonly Json[] | null {
  const literals = only === undefined ? list : [only]
  return Array.isArray(literals) && !literals.some((value) => isObject(value) || Array.isArray(value)) ? literals : null
}

function allSchema(list: readonly Json[], work: Steps): Json {
  const [first = true, ...others] = list
  let together = first
  const beside: Json[] = []
  for (const schema of others) {
    const joined = joinedSchema(together, schema, work)
    if (joined === null) beside.push(schema)
    else together = joined
  }
  return beside.length === 0 ? together : { allOf: [together, ...beside] }
}

/** Keywords that only describe. */
const describing: ReadonlySet<string> = new Set(['title', 'description', 'default', 'examples'])

/** `null` = they say something different with one keyword. */
function joinedSchema(one: Json, other: Json, work: Steps): Json | null {
  if (one === true) return other
  if (other === true) return one
  if (!isObject(one) || !isObject(other) || !spend(work, Object.keys(one).length + Object.keys(other).length)) return null
  const { enum: ours, ...rest } = one
  const { enum: theirs = ours, ...others } = other
  const isFit = (name: string) => rest[name] === undefined || describing.has(name) || isSame(rest[name], others[name], work)
  if (!Object.keys(others).every(isFit)) return null
  const values = ours === undefined || theirs === ours ? theirs : sharedValues(ours, theirs, work)
  return values === null ? null : { ...others, ...rest, ...(values === undefined ? {} : { enum: values }) }
}

function sharedValues(ours: Json, theirs: Json | undefined, work: Steps): Json | null {
  if (!Array.isArray(ours) || !Array.isArray(theirs) || !spend(work, ours.length + theirs.length)) return null
  const allowed = new Set(theirs.map(plainNumber))
  return ours.filter((value) => allowed.has(plainNumber(value)))
}
