import type { Case } from './measure.ts'

/** Size of the input with which a place is tried. */
const trialBytes = 16 * 1024
/** A text that is hostile is at least so long at this size, also where a document has many of them. */
const longText = 128
/** So are lists and objects. */
const manyMembers = 16

/** What a call has done with its input. */
interface Reads {
  /** A long text, list or object was read. */
  long: boolean
  /** The input, or a text within it, was parsed as JSON: from then on its members are watched. */
  parsed: boolean
  /** The input is a text or bytes, so that its members are not known before it is parsed. */
  isText: boolean
  /** The input has values whose members cannot be watched. */
  hasOthers: boolean
}

/**
 * Whether a call reads the hostile part of its input. Most functions read few members of a document, and whatever is in the others, takes them no
 * time. Uncertain cases count as read.
 */
export async function readsHostilePart(test: Case): Promise<boolean> {
  const reads: Reads = { long: false, parsed: false, isText: false, hasOthers: false }
  const watch = createWatch(reads)
  const { call } = test.prepare(trialBytes, (input) => {
    reads.isText = isTextual(input)
    return reads.isText ? input : watch(input)
  })
  const { parse } = JSON
  JSON.parse = (text, reviver) => {
    const value: unknown = parse(text, reviver)
    reads.parsed = true
    reads.long ||= isLong(value)
    return watch(value)
  }
  reads.long = false
  try {
    const result = call()
    if (result instanceof Promise) await result
  } catch {
    // Hostile input may be refused after it was read.
  } finally {
    JSON.parse = parse
  }
  return reads.long || reads.hasOthers || (reads.isText && !reads.parsed)
}

/** Texts, bytes, and events, which are texts with or without a name. */
function isTextual(input: unknown): boolean {
  if (!Array.isArray(input)) return typeof input === 'string' || ArrayBuffer.isView(input)
  const first: unknown = Array.isArray(input[0]) ? input[0][0] : input[0]
  return typeof first === 'string'
}

function isLong(value: unknown): boolean {
  if (typeof value === 'string') return value.length >= longText
  return typeof value === 'object' && value !== null && Object.keys(value).length >= manyMembers
}

/** Stands in front of objects and lists, and notes what is read of them. */
function createWatch(reads: Reads): (value: unknown) => unknown {
  const views = new WeakMap<object, object>()
  const viewOf = (target: object): object => {
    const view = new Proxy(target, {
      get(object, name) {
        const value: unknown = Reflect.get(object, name)
        if (typeof name === 'string') reads.long ||= isLong(value) || (name === 'length' && isLong(object))
        return isFixed(object, name) ? value : watch(value)
      },
      ownKeys(object) {
        reads.long ||= isLong(object)
        return Reflect.ownKeys(object)
      },
    })
    views.set(target, view)
    return view
  }
  function watch(value: unknown): unknown {
    if (typeof value !== 'object' || value === null) return value
    if (!isPlain(value)) reads.hasOthers = true
    return isPlain(value) ? (views.get(value) ?? viewOf(value)) : value
  }
  return watch
}

/** A member that cannot be changed must be returned as it is. */
function isFixed(object: object, name: string | symbol): boolean {
  const member = Object.getOwnPropertyDescriptor(object, name)
  return member !== undefined && member.configurable === false && member.writable === false
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return Array.isArray(value) || prototype === Object.prototype || prototype === null
}
