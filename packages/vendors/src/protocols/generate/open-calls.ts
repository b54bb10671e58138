interface Call {
  readonly id: string
  readonly name: string
}

interface Pending extends Call {
  isOpen: boolean
}

/** Calls in the order in which they were made; `next` is the first that may be open. */
interface Queue {
  readonly calls: Pending[]
  next: number
}

/** Calls without a result so far. A request may have many thousands, so they are looked up and not searched. */
export class OpenCalls {
  readonly #byId = new Map<string, Queue>()
  readonly #byName = new Map<string, Queue>()

  add({ id, name }: Call): void {
    const call = { id, name, isOpen: true }
    enter(this.#byId, id, call)
    enter(this.#byName, name, call)
  }

  /** The first open call with this id, which now gets its result. */
  takeById(id: string): Call | undefined {
    return take(this.#byId.get(id))
  }

  /** The first open call of this function, which now gets its result. */
  takeNamed(name: string): Call | undefined {
    return take(this.#byName.get(name))
  }
}

function enter(queues: Map<string, Queue>, key: string, call: Pending): void {
  const known = queues.get(key)
  if (known === undefined) queues.set(key, { calls: [call], next: 0 })
  else known.calls.push(call)
}

function take(queue: Queue | undefined): Call | undefined {
  if (queue === undefined) return undefined
  for (; queue.next < queue.calls.length; queue.next += 1) {
    const call = queue.calls[queue.next]
    if (call?.isOpen !== true) continue
    call.isOpen = false
    return call
  }
  return undefined
}
