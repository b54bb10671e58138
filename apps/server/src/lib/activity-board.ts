/** A request or a job that runs. */
export interface Activity {
  /** Of a request, as in the log; the name of a job. */
  readonly id: string
  readonly method: string
  /** Path and query of a request; the query is left out, because it may hold a key. */
  readonly url: string
  /** Declared length of the body. */
  readonly bytes: number
  /** Monotonic milliseconds. */
  readonly startedMs: number
}

/** What this process works on, in memory that another thread can read while the event loop is blocked. Nothing of a body or a header is in it. */
export interface ActivityBoard {
  /** @returns the slot of the activity, for the other calls; -1: there is none left */
  add(activity: Activity): number
  /** Adds what a request asks for. @param model a configured name */
  setTarget(slot: number, target: { readonly kind: string; readonly model: string }): void
  /** @param channel that the request is sent to */
  setChannel(slot: number, channel: number): void
  /** Marks the activity as the one that made a step last. */
  touch(slot: number): void
  remove(slot: number): void
}

/** For a process that nobody watches. */
export const noBoard: ActivityBoard = { add: () => -1, setTarget: () => {}, setChannel: () => {}, touch: () => {}, remove: () => {} }

/** More than a process serves at a time. Memory that no activity has used is not resident. */
const slotsMax = 4_096

/** Length of a slot as numbers, and as bytes. */
const slotNumbers = 30
const slotBytes = slotNumbers * Float64Array.BYTES_PER_ELEMENT
/** Where a slot has its numbers. The step says which activity made one last; 0: there is no activity. */
const numberAt = { startedMs: 0, step: 1, bytes: 2, channel: 29 } as const
/** Where it has its texts, in bytes, each behind a byte with its length, and how many characters there is room for. */
const textAt = { id: 24, method: 64, path: 76, kind: 160, model: 184 } as const
const room = { id: 36, method: 10, path: 80, kind: 20, model: 47 } as const

export const boardBytes = slotsMax * slotBytes

export function createActivityBoard(memory: SharedArrayBuffer): ActivityBoard {
  const numbers = new Float64Array(memory)
  const bytes = new Uint8Array(memory)
  /** The lowest is the last, and so the first to be used again. */
  const free = Array.from({ length: slotsMax }, (_, index) => slotsMax - 1 - index)
  let steps = 0

  function write(text: string, start: number, length: number): void {
    bytes[start] = length
    for (let index = 0; index < length; index += 1) bytes[start + 1 + index] = text.charCodeAt(index)
  }

  function touch(slot: number): void {
    if (slot === -1) return
    steps += 1
    numbers[slot * slotNumbers + numberAt.step] = steps
  }

  return {
    add({ id, method, url, bytes: bodyBytes, startedMs }) {
      const slot = free.pop() ?? -1
      if (slot === -1) return slot
      const start = slot * slotBytes
      const query = url.indexOf('?')
      write(id, start + textAt.id, Math.min(id.length, room.id))
      write(method, start + textAt.method, Math.min(method.length, room.method))
      write(url, start + textAt.path, Math.min(query === -1 ? url.length : query, room.path))
      bytes[start + textAt.kind] = 0
      bytes[start + textAt.model] = 0
      numbers[slot * slotNumbers + numberAt.channel] = 0
      numbers[slot * slotNumbers + numberAt.bytes] = bodyBytes
      numbers[slot * slotNumbers + numberAt.startedMs] = startedMs
      touch(slot)
      return slot
    },
    setTarget(slot, { kind, model }) {
      if (slot === -1) return
      const start = slot * slotBytes
      write(kind, start + textAt.kind, Math.min(kind.length, room.kind))
      write(model, start + textAt.model, Math.min(model.length, room.model))
      touch(slot)
    },
    setChannel(slot, channel) {
      if (slot === -1) return
      numbers[slot * slotNumbers + numberAt.channel] = channel
      touch(slot)
    },
    touch,
    remove(slot) {
      if (slot === -1) return
      numbers[slot * slotNumbers + numberAt.step] = 0
      free.push(slot)
    },
  }
}

/** An activity as another thread finds it. */
export interface SeenActivity extends Omit<Activity, 'url'> {
  readonly path: string
  /** Empty: they are not known yet, or it has none. */
  readonly kind: string
  readonly model: string
  /** 0: none was tried. */
  readonly channel: number
}

/** @returns what is on a board, the activity that made a step last first */
export function readActivities(memory: SharedArrayBuffer): readonly SeenActivity[] {
  const numbers = new Float64Array(memory)
  const bytes = new Uint8Array(memory)
  const number = (slot: number, at: number): number => numbers[slot * slotNumbers + at] ?? 0
  const text = (slot: number, at: number): string => {
    const start = slot * slotBytes + at
    return String.fromCharCode(...bytes.slice(start + 1, start + 1 + (bytes[start] ?? 0)))
  }
  return Array.from({ length: slotsMax }, (_, slot) => slot)
    .filter((slot) => number(slot, numberAt.step) > 0)
    .sort((one, other) => number(other, numberAt.step) - number(one, numberAt.step))
    .map((slot) => ({
      id: text(slot, textAt.id),
      method: text(slot, textAt.method),
      path: text(slot, textAt.path),
      kind: text(slot, textAt.kind),
      model: text(slot, textAt.model),
      channel: number(slot, numberAt.channel),
      bytes: number(slot, numberAt.bytes),
      startedMs: number(slot, numberAt.startedMs),
    }))
}
