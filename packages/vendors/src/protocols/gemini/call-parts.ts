import { isObject, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { objectsIn } from '../shared/chat-parts.ts'

/** A call with all of its arguments. */
export interface WholeCall {
  readonly id: string
  readonly name: string
  readonly args: JsonObject
  /** The vendor's proof of the reasoning before it. */
  readonly signature: Json | undefined
}

type Level = { [name: string]: Json | undefined } | Json[]

interface OpenCall extends WholeCall {
  readonly args: { [name: string]: Json | undefined }
}

/**
 * The calls of a response. Vertex AI sends their arguments in parts where a request asks for it: each with the path to what it adds, and `willContinue`
 * until the last one (`FunctionCall` and `PartialArg` of Google's client for JavaScript, read 2026-11-30).
 */
export class CallParts {
  #open: OpenCall | null = null

  /** The calls that are whole now: a part without a name belongs to the one before. */
  take(call: JsonObject, signature: Json | undefined): readonly WholeCall[] {
    const { id, name, args, partialArgs, willContinue } = call
    const goesOn = willContinue === true
    const isPart = goesOn || partialArgs !== undefined || textOr(name, '') === ''
    if (!isPart) return [...this.end(), toWhole(call, signature)]
    const isNew = this.#open === null || textOr(name, '') !== ''
    // Nothing of a call came before an empty part that ends one.
    if (isNew && name === undefined && partialArgs === undefined) return isObject(args) ? [toWhole(call, signature)] : []
    const before = isNew ? this.end() : []
    const open = this.#open ?? { id: textOr(id, ''), name: textOr(name, ''), args: isObject(args) ? { ...args } : {}, signature }
    this.#open = open
    for (const part of objectsIn(partialArgs)) place(open.args, part)
    return goesOn ? before : [...before, ...this.end()]
  }

  /** The call that is open, which is whole now. */
  end(): readonly WholeCall[] {
    const open = this.#open
    this.#open = null
    return open === null ? [] : [open]
  }
}

const toWhole = ({ id, name, args }: JsonObject, signature: Json | undefined): WholeCall => ({
  id: textOr(id, ''),
  name: textOr(name, ''),
  args: isObject(args) ? args : {},
  signature,
})

/** Longest path, in characters. */
const pathMax = 1_000

/** A name or a place of a path (RFC 9535): `.name`, `['name']`, `["name"]` or `[0]`. */
const step = /\.([^.[\]'"]+)|\['([^']*)'\]|\["([^"]*)"\]|\[(\d{1,6})\]/y

/** The steps of a path; `null`: it is none that is known here. */
function stepsOf(path: string): ReadonlyArray<string | number> | null {
  if (!path.startsWith('$') || path.length > pathMax) return null
  const steps: (string | number)[] = []
  step.lastIndex = 1
  while (step.lastIndex < path.length) {
    const [, bare, single, double, index] = step.exec(path) ?? []
    const name = bare ?? single ?? double
    if (name === undefined && index === undefined) return null
    steps.push(name ?? Number(index))
  }
  return steps.length === 0 ? null : steps
}

/** Adds a value at its path; texts that come for one path are joined. */
function place(args: Level, { jsonPath, stringValue, numberValue, boolValue, nullValue }: JsonObject): void {
  const steps = stepsOf(textOr(jsonPath, ''))
  const value = stringValue ?? numberValue ?? boolValue ?? (nullValue === undefined ? undefined : null)
  if (steps === null || value === undefined) return
  const last = steps.length - 1
  const level = steps.slice(0, last).reduce((outer, name, at) => levelAt(outer, name, typeof steps[at + 1] === 'number'), args)
  const name = steps[last] ?? ''
  const known = memberOf(level, name)
  setMember(level, name, typeof known === 'string' && typeof value === 'string' ? known + value : value)
}

/** The object or list at a name, which is made if it is not there. */
function levelAt(level: Level, name: string | number, isList: boolean): Level {
  const known = memberOf(level, name)
  // Holds: lists and objects of the arguments are made here.
  if (isList ? Array.isArray(known) : isObject(known)) return known as Level
  const inner: Level = isList ? [] : {}
  setMember(level, name, inner)
  return inner
}

function memberOf(level: Level, name: string | number): Json | undefined {
  if (Array.isArray(level)) return typeof name === 'number' ? level[name] : undefined
  return Object.hasOwn(level, name) ? level[name] : undefined
}

/** Lists only grow by one: a place far behind their end would take the memory of all before it. */
function setMember(level: Level, name: string | number, value: Json): void {
  if (Array.isArray(level) && (typeof name !== 'number' || name > level.length)) return
  Object.defineProperty(level, name, { value, enumerable: true, configurable: true, writable: true })
}
