import type { QueryClient } from '@tanstack/react-query'

/** What a request to the gateway changes beside its answer: the use of its token, the log, and the tasks. */
const changed: ReadonlySet<unknown> = new Set(['token', 'log', 'task'])

/** Makes stale what a request of the own account has changed when it was charged or refunded: the balance is read again at once, the rest when it is next shown. */
export function markSpent(client: QueryClient): void {
  void client.invalidateQueries({ queryKey: ['user'] })
  void client.invalidateQueries({ predicate: ({ queryKey: [noun] }) => changed.has(noun), refetchType: 'none' })
}
