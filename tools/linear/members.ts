import { noUsage } from '../../packages/vendors/src/core/no-usage.ts'
import { targetOf } from '../../packages/vendors/test/channel.ts'
import { taskContext } from '../../packages/vendors/test/tasks.ts'
import { bytes, cells, json, objectLists, objects, textLists, texts, within } from './hostile-arguments.ts'
import { events } from './hostile-events.ts'
import { parameterTypes } from './parameter-types.ts'
import type { ParameterRow } from './place.ts'

/** How a function within an exported record is called. */
export type MemberRow =
  | { readonly arguments: readonly ParameterRow[]; call?(member: CallableFunction, values: readonly unknown[]): unknown }
  | { readonly none: string }

export interface Member {
  /** Names from the record to the function. */
  readonly path: string
  /** Calls the function, and what it returns, with these arguments. */
  readonly call: CallableFunction
  /** Missing: nothing says how it is called. */
  readonly row: MemberRow | undefined
}

const ours = (value: unknown): ParameterRow => ({ ours: () => value })
const typed = (type: string): ParameterRow => parameterTypes[type] ?? ours(undefined)

const context = typed('ResponseContext')
const target = ours(targetOf({ model: 'm' }))
const query: MemberRow = { arguments: [ours(taskContext('https://a.example')), within(json, (value) => [value, value])] }
const step: MemberRow = { arguments: [typed('TaskContext'), typed('RunningTask'), typed('readonly TaskResponse[]')] }
const rules: MemberRow = { none: 'Read by buildRequest, which is called for every vendor.' }
const cell: MemberRow = { arguments: [cells] }

/** A stream gets its events one after the other, and ends. */
function playStream(open: CallableFunction, [list]: readonly unknown[]): unknown {
  const stream: unknown = open({ id: 'a', created: 1_700_000_000, model: 'm' }, true)
  if (typeof stream === 'function') return each(list, (data) => stream(data))
  if (typeof stream !== 'object' || stream === null || !('event' in stream) || typeof stream.event !== 'function') return null
  // Holds: `event` is a function.
  const opened = stream as { event(data: string, name?: string): unknown; end?(): unknown; whole?(): unknown }
  each(list, (data, name) => opened.event(data, name))
  return [opened.end?.(), opened.whole?.()]
}

function each(list: unknown, take: (data: string, name?: string) => unknown): void {
  if (Array.isArray(list)) for (const event of list) take(...nameAndData(event))
}

function nameAndData(event: unknown): [data: string, name?: string] {
  if (typeof event === 'string') return [event]
  return Array.isArray(event) ? [String(event[0]), String(event[1])] : ['']
}

/** A repaired response is read to its end. */
function readParts(repair: CallableFunction, values: readonly unknown[]): unknown {
  const parts: unknown = repair(...values)
  // Holds: it returns parts or nothing.
  return parts === null ? null : [...(parts as Iterable<unknown>)].length
}

const repairSeen = { usage: null, text: '', finished: false, usageOnly: false, failure: null }

const choice: MemberRow = { none: 'Chooses by the name of a model, in dialectOf and buildRequest, which are called for every vendor.' }

/** Functions within records by their own name; names of several are qualified by the member that they are in: `passthrough.response`. */
const memberRows: Readonly<Record<string, MemberRow>> = {
  // Dialects.
  request: { arguments: [objects, target] },
  response: { arguments: [json, context] },
  stream: { arguments: [events], call: playStream },
  failure: { arguments: [ours(400), texts, texts] },
  retryWithout: { arguments: [objects, typed('Failure'), texts] },
  askModels: query,
  askTokens: { arguments: [objects, target] },
  fromBytes: { arguments: [bytes, texts, context] },
  // What is passed through.
  event: { arguments: [within(events, (list) => (Array.isArray(list) ? nameAndData(list[0])[0] : ''))] },
  open: { arguments: [events], call: playStream },
  repair: { arguments: [within(events, (list) => list)], call: playRepair },
  repairResponse: { arguments: [objects, context] },
  fromList: { arguments: [objectLists, context] },
  asText: { arguments: [objects, ours(null), context] },
  transcriptForms: { arguments: [texts] },
  repairBytes: { arguments: [bytes, context], call: readParts },
  joined: { arguments: [typed('readonly JsonObject[]')] },
  readClientMessage: { arguments: [within(json, (value) => JSON.stringify(value)), ours(new Map())] },
  readVendorMessage: { arguments: [within(json, (value) => JSON.stringify(value)), ours(new Map())] },
  // Tasks and batches.
  fields: { arguments: [texts] },
  changeFields: { arguments: [texts, ours('edit')] },
  plan: { arguments: [typed('TaskParams')] },
  submit: { arguments: [typed('TaskContext'), typed('TaskParams'), typed('readonly TaskResponse[]')] },
  poll: step,
  cancel: step,
  remove: step,
  'pollMany.step': {
    arguments: [typed('TaskContext'), within(typed('RunningTask'), (task) => [task, task]), typed('readonly TaskResponse[]')],
  },
  taskIdIn: { arguments: [json] },
  createCharacter: {
    arguments: [typed('TaskContext'), within(texts, (name) => ({ name, video: video() })), typed('readonly TaskResponse[]')],
  },
  line: { arguments: [within(objects, (body) => ({ customId: 'a', body }))] },
  createBody: { arguments: [objects] },
  read: { arguments: [objects, ours({})] },
  requestIn: { arguments: [objects] },
  prepare: { arguments: [objects] },
  results: step,
  count: { arguments: [json] },
  readResult: { arguments: [texts] },
  toClient: { arguments: [objects] },
  // Balances, credentials, signatures.
  query,
  signer: {
    arguments: [within(texts, (body) => ({ method: 'POST', url: 'https://a.example/a?b=c', headers: {}, body })), typed('TaskContext')],
  },
  // Hosts and records of vendors.
  pathOf: { arguments: [within(texts, (model) => targetOf({ model: String(model) })), ours('generateContent')] },
  addressOf: { arguments: [typed('ChannelFacts')] },
  ask: query,
  askBalance: query,
  credential: query,
  rulesFor: { arguments: [texts] },
  'textFiles.takes': { arguments: [texts] },
  'textFiles.part': { arguments: [texts, texts] },
  ...Object.fromEntries(['lacksFor', 'patch', 'isValid', 'variant', 'pathFor', 'addressFor', 'isOwn'].map((name) => [name, rules])),
  most: { arguments: [texts] },
  // Options, cells and responses.
  parse: { arguments: [texts] },
  fits: { arguments: [json] },
  quote: { arguments: [texts] },
  outputsIn: { arguments: [objects] },
  withOutputs: { arguments: [objects, typed('readonly JsonObject[]')] },
  textOf: { arguments: [objects] },
  withText: { arguments: [objects, texts] },
  attributesOf: { arguments: [texts] },
  forcedOf: { arguments: [texts] },
  valueOf: { arguments: [texts, texts, texts] },
  cell,
  // Kinds and protocols of clients.
  'kinds.read': { arguments: [objects, ours({})] },
  asStream: { arguments: [json, ours({ usage: noUsage, context: { id: 'a', created: 1, model: 'm' }, wantsUsage: true })] },
  inspect: { none: 'Reads the files of a form, whose lengths the parser of forms tells, which has a row.' },
  insteadFor: { arguments: [objects] },
  responsesAs: { none: 'Changes the chunks of a stream by asJsonArray or asChat, which have rows.' },
  errorBody: { arguments: [within(texts, clientError)] },
  streamError: { arguments: [within(texts, clientError)] },
  errorTeller: { none: 'It notes events in ResponseSoFar, which has a row, and writes one error.' },
  frame: { arguments: [objects] },
  headers: { arguments: [texts] },
  rateHeaders: { none: 'Numbers of our own.' },
  countable: { arguments: [objects] },
  counts: { arguments: [textLists] },
}

function playRepair(open: CallableFunction, [list]: readonly unknown[]): unknown {
  return playStream(
    (...values: readonly unknown[]) => {
      const repair: unknown = open(...values)
      if (typeof repair !== 'object' || repair === null || !('event' in repair) || typeof repair.event !== 'function') return null
      const { event } = repair
      return { ...repair, event: (data: string) => event({ data }, { ...repairSeen, chunk: parsed(data) }) }
    },
    [list],
  )
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch {
    return undefined
  }
}

function video(): unknown {
  return {
    file: { name: 'video', fileName: 'a.mp4', contentType: 'video/mp4', bytes: new Uint8Array(8) },
    seconds: 5,
    width: 1280,
    height: 720,
  }
}

function clientError(message: unknown): unknown {
  return { status: 400, message, type: 'invalid_request_error', param: null, code: null, requestId: 'a' }
}

/** Tables whose functions have names of their own, such as the numbers of vendors: how each of them is called. */
const tables: Readonly<Record<string, MemberRow | undefined>> = {
  azureDialects: choice,
  dialectsWithResponses: choice,
  channelColumns: cell,
  logColumns: cell,
  redemptionColumns: cell,
  tokenColumns: cell,
  userColumns: cell,
  askOpenAiModels: query,
  segment: { arguments: [texts] },
  dryWriter: { none: 'Writes nothing.' },
  systemClock: { none: 'Tells the time.' },
  unlimitedPermit: { none: 'Does nothing.' },
}

/** Deepest level of a record at which functions are looked for. */
const levelsMax = 6

const listed = new WeakSet<object>()

/** The functions within an exported value; each is listed once, although many tables have it. */
export function membersOf(name: string, value: unknown): readonly Member[] {
  return functionsIn(value, levelsMax).map(({ path, member }) => {
    const row = tables[name] ?? rowOf(path)
    const call = row !== undefined && 'call' in row && row.call !== undefined ? row.call : null
    return { path: path.join('.'), row, call: call === null ? member : (...values: readonly unknown[]) => call(member, values) }
  })
}

function rowOf(path: readonly string[]): MemberRow | undefined {
  const [last = '', before = ''] = path.toReversed()
  return memberRows[`${before}.${last}`] ?? memberRows[last] ?? (isChoice(path) ? choice : undefined)
}

/** `vendor.dialects.chat`, `vendor.patches.responses` and the like. */
function isChoice(path: readonly string[]): boolean {
  return path.some((name) => ['dialects', 'patches', 'unsupported', 'tasks'].includes(name))
}

function functionsIn(
  value: unknown,
  levels: number,
  path: readonly string[] = [],
): readonly { path: readonly string[]; member: CallableFunction }[] {
  if (typeof value === 'function') return isNew(value) ? [{ path, member: value }] : []
  if (typeof value !== 'object' || value === null || levels === 0 || '_zod' in value) return []
  const entries: readonly (readonly [unknown, unknown])[] = value instanceof Map ? [...value] : Object.entries(value)
  return entries.flatMap(([name, member]) =>
    functionsIn(member, levels - 1, [...path, String(name)]).map((inner) => ({
      ...inner,
      // A method is called on its own object.
      member: typeof member === 'function' ? (...values: readonly unknown[]) => member.apply(value, values) : inner.member,
    })),
  )
}

function isNew(member: CallableFunction): boolean {
  if (listed.has(member)) return false
  listed.add(member)
  return true
}
