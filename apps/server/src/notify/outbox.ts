import type { Logger } from 'pino'

/** A background queue that sends one message at a time. Callers neither wait nor see failures. */
export interface Outbox {
  /** `what` names the message in the log. */
  add(what: string, send: () => Promise<void>): void
  /** Resolves when the queue is empty. */
  drain(): Promise<void>
}

/** Beyond it the service has failed, and further messages are dropped. */
const waitingMax = 1_000

export function createOutbox(log: Logger): Outbox {
  const waiting: Array<{ readonly what: string; readonly send: () => Promise<void> }> = []
  let running: Promise<void> | null = null

  async function work(): Promise<void> {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { what, send } = next
      await send().catch((err: unknown) => log.warn({ err, what }, 'message not sent'))
    }
    running = null
  }

  return {
    add(what, send) {
      if (waiting.length >= waitingMax) log.warn({ what }, 'message dropped, too many are waiting')
      else waiting.push({ what, send })
      running ??= work()
    },
    async drain() {
      while (running !== null) await running
    },
  }
}
