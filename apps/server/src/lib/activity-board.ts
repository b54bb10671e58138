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
  /** @param kind of call */
  setKind(slot: number, kind: string): void
  /** Marks the activity as the one that made a step last. */
  touch(slot: number): void
  remove(slot: number): void
}

/** For a process that nobody watches. */
export const noBoard: ActivityBoard = { add: () => -1, setKind: () => {}, touch: () => {}, remove: () => {} }

/** More than a process serves at a time. Memory that no activity has used is not resident. */
const slotsMax = 4_096

/** Where the parts of a slot are, in bytes. Texts begin with their length. */
const place = { startedMs: 0, step: 8, bytes: 16, id: 24, method: 64, path: 76, kind: 160 } as const
const slotBytes = 184
/** Characters that a text has at most, so that it ends before the next one. */
const lengthMax = { id: 36, method: 10, path: 80, kind: 20 } as const

export const boardBytes = slotsMax * slotBytes

export function createActivityBoard(memory: SharedArrayBuffer): ActivityBoard {
  const numbers = new Float64Array(memory)
  const bytes = new Uint8Array(memory)
  /** The lowest slot is the last, and the first to be used again. */
  const free = Array.from({ length: slotsMax }, (_, index) => slotsMax - 1 - index)
  let steps = 0

  /** `TextEncoder` takes three times as long for texts of this length. */
  function write(text: string, start: number, length: number): void {
    bytes[start] = length
    for (let index = 0; index < length; index += 1) bytes[start + 1 + index] = text.charCodeAt(index)
  }

  function touch(slot: number): void {
    if (slot === -1) return
    steps += 1
    numbers[(slot * slotBytes + place.step) / 8] = steps
  }

  return {
    add({ id, method, url, bytes: bodyBytes, startedMs }) {
      const slot = free.pop() ?? -1
      if (slot === -1) return slot
      const start = slot * slotBytes
      const query = url.indexOf('?')
      write(id, start + place.id, Math.min(id.length, lengthMax.id))
      write(method, start + place.method, Math.min(method.length, lengthMax.method))
      write(url, start + place.path, Math.min(query === -1 ? url.length : query, lengthMax.path))
      bytes[start + place.kind] = 0
      numbers[(start + place.bytes) / 8] = bodyBytes
      numbers[(start + place.startedMs) / 8] = startedMs
      touch(slot)
      return slot
    },
    setKind(slot, kind) {
      if (slot === -1) return
      write(kind, slot * slotBytes + place.kind, Math.min(kind.length, lengthMax.kind))
      touch(slot)
    },
    touch,
    remove(slot) {
      if (slot === -1) return
      numbers[(slot * slotBytes + place.step) / 8] = 0
      free.push(slot)
    },
  }
}

/** An activity as another thread finds it. */
export interface SeenActivity extends Omit<Activity, 'url'> {
  readonly path: string
  /** Empty: it is not known yet. */
  readonly kind: string
}

/** @returns what is on a board, the activity that made a step last first */
export function readActivities(memory: SharedArrayBuffer): readonly SeenActivity[] {
  const view = new DataView(memory)
  const text = (start: number): string => {
    let read = ''
    for (let index = 1; index <= view.getUint8(start); index += 1) read += String.fromCharCode(view.getUint8(start + index))
    return read
  }
  const isLittleEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1
  const number = (start: number): number => view.getFloat64(start, isLittleEndian)
  return Array.from({ length: slotsMax }, (_, slot) => slot * slotBytes)
    .filter((start) => number(start + place.step) > 0)
    .sort((one, other) => number(other + place.step) - number(one + place.step))
    .map((start) => ({
      id: text(start + place.id),
      method: text(start + place.method),
      path: text(start + place.path),
      kind: text(start + place.kind),
      bytes: number(start + place.bytes),
      startedMs: number(start + place.startedMs),
    }))
}
