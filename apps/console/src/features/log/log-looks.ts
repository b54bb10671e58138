import { type LogRow, logType } from '@sluice/contract'
import type { StatusLooks } from '../../ui/status-badge.tsx'

/** What a row is about: its event, or else its type. */
export const logKindOf = ({ type, event }: Pick<LogRow, 'type' | 'event'>): string | number => (event === '' ? type : event)

export const logLooks: StatusLooks<string | number> = {
  byStatus: {
    [logType.topUp]: { tone: 'green', text: 'log.type.1' },
    [logType.consume]: { tone: 'olive', text: 'log.type.2' },
    [logType.admin]: { tone: 'orange', text: 'log.type.3' },
    [logType.system]: { tone: 'purple', text: 'log.type.4' },
    channel_test: { tone: 'blue', text: 'log.event.channel_test' },
  },
  unknown: 'word.unknown',
}

/** How a response ended. */
export const endLooks: StatusLooks<string> = {
  byStatus: {
    complete: { tone: 'green', shape: 'filled', text: 'log.end.complete' },
    client_gone: { tone: 'yellow', shape: 'ring', text: 'log.end.client_gone' },
    upstream_cut: { tone: 'red', shape: 'ring', text: 'log.end.upstream_cut' },
    out_of_quota: { tone: 'yellow', shape: 'ring', text: 'log.end.out_of_quota' },
    timed_out: { tone: 'red', shape: 'ring', text: 'log.end.timed_out' },
    too_long: { tone: 'red', shape: 'ring', text: 'log.end.too_long' },
    shut_down: { tone: 'yellow', shape: 'ring', text: 'log.end.shut_down' },
    failed: { tone: 'red', shape: 'ring', text: 'log.end.failed' },
    crashed: { tone: 'red', shape: 'ring', text: 'log.end.crashed' },
  },
}
