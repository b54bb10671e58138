import { isObject, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { Kind } from '../../core/kind.ts'
import type { ServiceTier } from '../../core/usage.ts'
import { objectsIn } from '../shared/chat-parts.ts'
import { type BodyIndex, bodyIndexes, type ListIndex, plainName, rowOf } from './body-index.ts'
import { type BodyRow, type Effect, inFallbacks, type ModelPlace, type NamedModel } from './body-row.ts'
import { type CacheLife, cacheLifeIn } from './cache-marks.ts'
import { fallbackModelsIn, unknownSettingsIn } from './fallback-models.ts'
import { gigabytesOf, isLocal } from './gigabytes.ts'
import { type ModelSite, modelsAt, type ValuePlace } from './model-sites.ts'
import { limitIn, noTools, type OfferedTools, usualCalls, withCallsMax, withReading, withTool } from './offered-tools.ts'
import { thinkingBudgetIn } from './thinking-budget.ts'
import { hasUnknownTier, isRegionalIn, tiersIn } from './tiers.ts'
import { toolsOfTurns } from './tools-of-turns.ts'

/** A place of a body whose bill is not known here. */
export interface UnpricedPlace {
  /** Where: `tools[2].type`, `provider.order`. */
  readonly place: string
  /** What a channel allows it by: the member with those above it, or the type of a tool. */
  readonly name: string
}

/** What a body makes its vendor bill beside the tokens of the requested model, and the most of it. */
export interface BodyUse {
  readonly models: readonly NamedModel[]
  readonly unpriced: readonly UnpricedPlace[]
  readonly searches: number
  readonly fileSearches: number
  /** Gigabytes of memory. */
  readonly containers: number
  /** Images that a tool makes. */
  readonly images: number
  /** Service tiers that cost more than the standard one. */
  readonly tiers: readonly ServiceTier[]
  readonly isRegional: boolean
  /** Reasoning tokens beside the output limit, where a vendor has a separate limit; 0: it wants none; `null`: it does not say. */
  readonly thinkingBudget: number | null
  /** The vendor reads or runs more than the turns that are sent: it uses tools of its own, stores or pages, or lets other models respond. */
  readonly isWorking: boolean
  readonly offered: OfferedTools
  /** How often the vendor may run tools for one response, by their own limits: each run adds a model call. `null` = they have none, or it runs none. */
  readonly callsMax: number | null
  /** `max_tool_calls` of all of them together, which not every vendor knows: see `withCallLimit`. `null` = none. */
  readonly callLimit: number | null
  /** For how long it wants the vendor to keep its prompt in a cache; `null` = it does not say. */
  readonly cacheLife: CacheLife | null
}

/** Characters of a client's name in an error. */
const nameMax = 64
/** Models that a body may name; one that names more is refused. */
export const namedModelsMax = 64

/**
 * Maximum counts of one response that are believed where the request sets no limit: agents that search for minutes have reported some dozens of
 * searches, and no vendor makes more images, or keeps more containers, for one response.
 */
export const effectsMax = { searches: 200, fileSearches: 200, containers: 20, images: 32 } as const

type Counted = keyof typeof effectsMax

const sizeMax = 64

/** What places that nobody knows may cause. */
const everything = { ...effectsMax, containers: effectsMax.containers * sizeMax } as const

interface Reading {
  readonly index: BodyIndex
  readonly models: NamedModel[]
  /** Where they stand; one that stands in several places has several. */
  readonly sites: ModelSite[]
  readonly unpriced: Map<string, UnpricedPlace>
  readonly counts: Record<Counted, number>
  /** Of all tools together. */
  readonly callsMax: number | null
  isWorking: boolean
  /** Of the tools that the vendor runs, in all; `null` = nothing limits one of them. */
  calls: number | null
  /** Containers in which the vendor runs code cost nothing. */
  isCodeFree: boolean
  offered: OfferedTools
}

/** Reads every place of a body that its table knows or does not know; of a session, of one message of its client. Takes time in proportion to the body. */
export function bodyUseOf(kind: Kind, body: JsonObject): BodyUse {
  const { models, unpriced, counts, callsMax, isWorking, calls, offered } = readBody(kind, body)
  const isUnknown = unpriced.size > 0
  return {
    models,
    unpriced: [...unpriced.values()],
    ...(isUnknown ? everything : counts),
    tiers: tiersIn(body),
    isRegional: isRegionalIn(body),
    thinkingBudget: thinkingBudgetIn(body),
    isWorking: isWorking || isUnknown,
    offered: callsMax === null ? offered : withCallsMax(offered, callsMax),
    callsMax: isUnknown || calls === 0 ? null : calls,
    callLimit: callsMax,
    cacheLife: cacheLifeIn(kind, body),
  }
}

/** The places where a body names models, in objects and lists of the body itself. Takes time in proportion to the body. */
export const modelSitesOf = (kind: Kind, body: JsonObject): readonly ModelSite[] => readBody(kind, body).sites

function readBody(kind: Kind, body: JsonObject): Reading {
  const index = bodyIndexes[kind]
  const counts = { searches: 0, fileSearches: 0, containers: 0, images: 0 }
  const callsMax = limitIn(body['max_tool_calls'])
  const reading: Reading = {
    index,
    models: [],
    sites: [],
    unpriced: new Map(),
    counts,
    callsMax,
    isWorking: false,
    calls: 0,
    isCodeFree: false,
    offered: noTools,
  }
  readMembers(body, { path: '', rows: index.members }, reading)
  if (index.members.get('service_tier')?.ruling === 'tier' && hasUnknownTier(body))
    noteUnpriced({ place: 'service_tier', name: 'service_tier' }, reading)
  for (const { list, path } of toolsOfTurns(kind, body)) readEntries(list, { path, listName: 'tools' }, reading)
  if (reading.isCodeFree) {
    counts.containers = 0
    reading.offered = { ...reading.offered, gigabytes: 0, containers: 0 }
  }
  return reading
}

/** Of a body that has nothing but the requested model. */
export const noBodyUse: BodyUse = {
  models: [],
  unpriced: [],
  ...{ searches: 0, fileSearches: 0, containers: 0, images: 0 },
  tiers: [],
  isRegional: false,
  thinkingBudget: null,
  isWorking: false,
  offered: noTools,
  callsMax: null,
  callLimit: null,
  cacheLife: null,
}

interface Members {
  /** Of the object; empty: the body itself. */
  readonly path: string
  readonly rows: ReadonlyMap<string, BodyRow>
}

function readMembers(object: JsonObject, { path, rows }: Members, reading: Reading): void {
  const { index } = reading
  for (const name in object) {
    const value = object[name]
    // Clients send `null` for what they leave out.
    if (value === undefined || value === null) continue
    const plain = plainName(name, index)
    const place = path === '' ? plain : `${path}.${plain}`
    readMember(rows.get(plain), { place, name: place, value, base: place, holder: object, key: name }, reading)
    readInside(value, place, reading)
  }
}

/** What is in a member whose own members or entries have rows. */
function readInside(value: Json, place: string, reading: Reading): void {
  const { index } = reading
  const [inner, list] = [index.inner.get(place), index.lists.get(place)]
  if (inner !== undefined && isObject(value)) readMembers(value, { path: place, rows: inner }, reading)
  if (list !== undefined) readEntries(Array.isArray(value) ? value : [value], { path: place, listName: place }, reading)
  if (isOtherForm(value, { hasMembers: inner !== undefined, list })) noteUnpriced({ place, name: place }, reading)
}

/** Whether a list stands where a vendor has an object, or an object where it has a list: some read those, too, and find there what was not looked at. */
function isOtherForm(value: Json, { hasMembers, list }: { readonly hasMembers: boolean; readonly list: ListIndex | undefined }): boolean {
  if (Array.isArray(value)) return hasMembers && list === undefined && value.length > 0
  // Google takes a single entry for a list of one.
  return list !== undefined && !hasMembers && list.by !== '' && isObject(value) && Object.keys(value).length > 0
}

interface Place extends UnpricedPlace, Pick<ModelSite, 'holder' | 'key'> {
  readonly value: Json
  /** The place that those of models begin with. */
  readonly base: string
}

/** @param row `undefined` = none has the name */
function readPlace(row: BodyRow | undefined, { place, name, value, base, holder, key }: Place, reading: Reading): void {
  if (row === undefined) {
    noteUnpriced({ place, name }, reading)
    return
  }
  if (isOff(row, value)) return
  if (row.ruling === 'refused') noteUnpriced({ place, name }, reading)
  reading.offered = withReading(reading.offered, name, { tool: isObject(value) ? value : {}, callsMax: reading.callsMax })
  if (row.models !== undefined) readModels(value, { ...row.models, base, name, uses: usesOf(row, value), holder, key }, reading)
  if (row.effect !== undefined) noteEffect(row, row.effect, { value, reading })
}

const isOff = ({ off }: BodyRow, value: Json): boolean =>
  value === false || (off !== undefined && value === off) || (Array.isArray(value) && value.length === 0)

function readMember(row: BodyRow | undefined, place: Place, reading: Reading): void {
  readPlace(row, place, reading)
  if (row !== undefined && !isOff(row, place.value) && isWork(row, place)) noteWork(null, reading)
}

/** Members by which a vendor reads more than the turns, or reads them several times, though they cost tokens only. */
const workMembers: ReadonlySet<string> = new Set(['mcp_servers', 'context_management', 'compaction'])

function isWork({ ruling, effect, models }: BodyRow, { name, value }: Place): boolean {
  if (name === 'context_management') return !onlyClears(value)
  return effect !== undefined || models !== undefined || ruling === 'refused' || ruling === 'account' || workMembers.has(name)
}

/** Whether all that it does with earlier turns is to leave parts of them out. Other ways sum them up, in a call of their own. */
function onlyClears(management: Json): boolean {
  const edits = objectsIn(isObject(management) ? management['edits'] : management)
  return edits.every(({ type }) => textOr(type, '').startsWith('clear_'))
}

/** An entry of a list. */
function readTool(row: BodyRow | undefined, place: Place, reading: Reading): void {
  readPlace(row, place, reading)
  const tool = isObject(place.value) ? place.value : {}
  reading.isCodeFree ||= row?.freesCode === true
  if (row?.isSeen !== true && !isLocal(tool)) noteWork(limitIn(tool['max_uses']), reading)
}

/** Notes something that lets the vendor read or run more than the turns. @param calls as often; `null` = nothing limits that */
function noteWork(calls: number | null, reading: Reading): void {
  reading.isWorking = true
  reading.calls = calls === null || reading.calls === null ? null : reading.calls + calls
}

function noteUnpriced({ place, name }: UnpricedPlace, { unpriced }: Reading): void {
  const known = name.slice(0, nameMax)
  if (!unpriced.has(known)) unpriced.set(known, { place: place.slice(0, nameMax), name: known })
}

interface Entries {
  readonly path: string
  /** The list whose rows apply. */
  readonly listName: string
}

function readEntries(list: readonly Json[], { path, listName }: Entries, reading: Reading): void {
  const table = reading.index.lists.get(listName)
  if (table === undefined) return
  for (const [at, entry] of list.entries()) {
    const base = `${path}[${at}]`
    // Some vendors read lists within lists as if they were one.
    if (Array.isArray(entry)) noteUnpriced({ place: base, name: listName }, reading)
    if (!isObject(entry)) continue
    for (const { name, member } of typesOf(entry, table, reading.index))
      readTool(rowOf(table.rows, name), { place: `${base}.${member}`, name, value: entry, base, holder: list, key: at }, reading)
    const inner = entry['tools']
    if (entry['type'] === 'namespace' && Array.isArray(inner)) readEntries(inner, { path: `${base}.tools`, listName }, reading)
  }
}

interface EntryType {
  readonly name: string
  readonly member: string
}

/** What an entry is: the value of one of its members, and members of its own that have rows, as Google's tools do. */
function typesOf(entry: JsonObject, { by, rows }: ListIndex, index: BodyIndex): readonly EntryType[] {
  const type = entry[by]
  const types: EntryType[] = []
  if (typeof type === 'string') types.push({ name: type === 'builtin_function' ? functionName(entry) : type, member: by })
  for (const key in entry) {
    if (entry[key] === null) continue
    const name = plainName(key, index)
    if (name === 'custom' || name === 'function') continue
    if (by === '' || (rows.has(name) && name !== type && isObject(entry[name]))) types.push({ name, member: name })
  }
  return types
}

/** Moonshot's own tools are functions whose names begin with a dollar sign. */
const functionName = ({ function: called }: JsonObject): string => (isObject(called) ? textOr(called['name'], '') : '')

type Uses = Pick<NamedModel, 'uses' | 'usesMax'>

const noUses: Uses = {}

/** How often a model that works for the requested one may be called; empty: its calls are counted in another way, or there are none. */
function usesOf({ models, effect }: BodyRow, value: Json): Uses {
  if (models?.role !== 'beside' || effect !== undefined || !isObject(value)) return noUses
  const most = limitIn(value['max_uses'])
  return most === null ? { uses: usualCalls } : { uses: most, usesMax: most }
}

interface Naming extends ModelPlace, Pick<ModelSite, 'holder' | 'key'> {
  readonly base: string
  readonly uses: Uses
  /** By which a channel allows a place that names no model. */
  readonly name: string
}

/** The models at the place of a row. */
function readModels(value: Json, { at, base, name, role, uses, holder, key }: Naming, reading: Reading): void {
  const start = { place: base, holder, key }
  if (at === inFallbacks) noteSettings(value, start, reading)
  // The vendor's own choice of models, such as `default`.
  if (typeof value === 'string' && at.startsWith('[]')) {
    noteUnpriced({ place: base, name }, reading)
    return
  }
  const sited = at === inFallbacks ? fallbackModelsIn(value, start, role) : modelsAt(value, at, start)
  for (const { site, ...named } of sited) noteModel({ role, ...named, ...uses }, site, reading)
}

function noteModel(named: NamedModel, site: ModelSite | null, { models, sites }: Reading): void {
  if (site !== null) sites.push(site)
  if (models.length > namedModelsMax) return
  const at = models.findIndex(({ model, role }) => model === named.model && role === named.role)
  const known = models[at]
  if (known === undefined) models.push(named)
  else if (named.uses !== undefined) models[at] = mergeAdvisors(known, named)
}

/** An advisor that several tools have. */
function mergeAdvisors({ usesMax: before, ...known }: NamedModel, { uses = 0, usesMax }: NamedModel): NamedModel {
  const { uses: usesBefore = 0 } = known
  const most = usesBefore === 0 ? usesMax : before === undefined || usesMax === undefined ? undefined : before + usesMax
  return { ...known, uses: usesBefore + uses, ...(most === undefined ? {} : { usesMax: most }) }
}

function noteSettings(value: Json, start: ValuePlace, reading: Reading): void {
  for (const setting of unknownSettingsIn(value, start)) noteUnpriced(setting, reading)
}

function noteEffect({ ruling }: BodyRow, effect: Effect, { value, reading }: { readonly value: Json; readonly reading: Reading }): void {
  const { counts } = reading
  if (effect === 'anything') {
    Object.assign(counts, everything)
    return
  }
  const tool = isObject(value) ? value : {}
  const calls = limitIn(tool['max_uses'])
  const most =
    effect === 'containers' ? effectsMax.containers * gigabytesOf(tool) : Math.min(calls ?? effectsMax[effect], effectsMax[effect])
  counts[effect] = Math.min(everything[effect], counts[effect] + most)
  if (ruling === 'priced') reading.offered = withTool(reading.offered, effect, tool)
}

/** What a request may cause at a vendor that keeps to its `max_tool_calls`. */
export function withCallLimit(use: BodyUse): BodyUse {
  const { callLimit } = use
  if (callLimit === null) return use
  if (use.unpriced.length > 0) return { ...use, callsMax: callLimit }
  const { searches, fileSearches, images } = use
  const limited = {
    searches: Math.min(searches, callLimit),
    fileSearches: Math.min(fileSearches, callLimit),
    images: Math.min(images, callLimit),
  }
  return { ...use, ...limited, callsMax: callLimit }
}
