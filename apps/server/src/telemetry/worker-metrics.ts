/** What the processes of one server that share a port (`WORKERS`) send each other through the first process, which forwards it. */
export type WorkerMessage =
  /** A worker wants the metrics of all. */
  | { readonly kind: 'scrape'; readonly id: string; readonly pid: number }
  /** The response of the first process: how many other workers were queried. */
  | { readonly kind: 'asked'; readonly id: string; readonly pid: number; readonly count: number }
  /** The metrics of one of them. */
  | { readonly kind: 'scraped'; readonly id: string; readonly pid: number; readonly text: string }

/** The metrics of all workers of a server, whichever of them a scrape comes to. */
export interface WorkerMetrics {
  /** The value of the label `worker` in the metrics of this process. */
  readonly worker: string
  /** Responds to the other workers from now on. @param own the metrics of this process, in the text format */
  respond(own: () => Promise<string>): void
  /** The metrics of the other workers, of each one text. Those that do not respond in time are missing. */
  collect(): Promise<readonly string[]>
}

/** The connection of a worker to the first process. */
export interface WorkerChannel {
  readonly pid: number
  send(message: WorkerMessage): void
  listen(listener: (message: WorkerMessage) => void): void
}

/** Longest wait for the others: Prometheus gives a scrape up after ten seconds. */
const collectMs = 2_000

interface Collection {
  readonly texts: string[]
  /** `null`: not known yet. */
  count: number | null
  readonly complete: () => void
}

export function connectWorkerMetrics(channel: WorkerChannel, worker: string): WorkerMetrics {
  const collections = new Map<string, Collection>()
  let own: (() => Promise<string>) | null = null
  let next = 1

  async function response(id: string, pid: number): Promise<void> {
    if (own !== null) channel.send({ kind: 'scraped', id, pid, text: await own() })
  }

  channel.listen((message) => {
    if (message.kind === 'scrape') return void response(message.id, message.pid)
    const collection = collections.get(message.id)
    if (collection === undefined) return
    if (message.kind === 'asked') collection.count = message.count
    else collection.texts.push(message.text)
    if (collection.texts.length === collection.count) collection.complete()
  })

  return {
    worker,
    respond(text) {
      own = text
    },
    async collect() {
      const { promise, resolve: complete } = Promise.withResolvers<void>()
      const id = String(next++)
      const texts: string[] = []
      const timer = setTimeout(complete, collectMs)
      collections.set(id, { texts, count: null, complete })
      channel.send({ kind: 'scrape', id, pid: channel.pid })
      await promise
      clearTimeout(timer)
      collections.delete(id)
      return texts
    },
  }
}

interface Worker {
  readonly pid?: number | undefined
  send(message: WorkerMessage): void
}

/** Forwards a message of a worker, in the first process. @param workers those that run */
export function forwardWorkerMessage(message: WorkerMessage, workers: readonly Worker[]): void {
  const sender = workers.filter(({ pid }) => pid === message.pid)
  if (message.kind !== 'scrape') {
    for (const worker of sender) worker.send(message)
    return
  }
  const others = workers.filter(({ pid }) => pid !== message.pid)
  for (const worker of sender) worker.send({ ...message, kind: 'asked', count: others.length })
  for (const worker of others) worker.send(message)
}
