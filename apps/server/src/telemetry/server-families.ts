import type { ChannelReport } from '../relay/routing/health.ts'
import type { Exporter } from './exporter.ts'
import type { Family } from './exposition.ts'
import { countsOf, gauge } from './relay-families.ts'
import type { ServerFigures } from './server-figures.ts'

/** Values read from other parts of the server at each scrape. */
export interface SampledFigures {
  readonly ledger: {
    isReady(): boolean
    openHolds(): number
  }
  /** The result of the last reconciliation. */
  readonly reconciliation: () => { readonly unexplained: number; readonly checkedAt: number; readonly staleHolds: number }
  /** Charges that the store refused, and that wait for an administrator. */
  readonly setAsides: { open(): number }
  /** Rows with values that cannot be read with the present master key, by their kind. */
  readonly unreadable: { current(): Readonly<Record<string, number>> }
  /** Rows of the log that were copied elsewhere, and tries that failed. */
  readonly logCopies: { readonly figures: { readonly rows: number; readonly failures: number } }
  /** Scheduled backups. */
  readonly backups: { readonly figures: { readonly lastSuccessTime: number; readonly failures: number } }
  /** The health of the channels that were used. */
  readonly channels: () => readonly ChannelReport[]
  readonly version: string
  /** Seconds since the epoch. */
  readonly startTime: number
}

/** The metrics of the server outside the relay. */
export function serverFamilies(
  figures: ServerFigures,
  { ledger, reconciliation, setAsides, unreadable, channels, logCopies, backups, version, startTime }: SampledFigures,
): readonly Family[] {
  return [
    {
      name: 'sluice_api_requests_total',
      type: 'counter',
      help: 'Calls of the management API by HTTP status; an empty code is a success.',
      samples: () =>
        [...figures.apiCalls].flatMap(([status, byCode]) =>
          countsOf(byCode, 'code').map(({ labels, value }) => ({ labels: { status: String(status), ...labels }, value })),
        ),
    },
    {
      name: 'sluice_rate_limited_total',
      type: 'counter',
      help: 'Calls of the management API that were refused because too many came, by class of limit.',
      samples: () => countsOf(figures.rateLimited, 'class'),
    },
    gauge('sluice_ledger_ready', 'Whether the ledger takes requests.', () => Number(ledger.isReady())),
    gauge('sluice_ledger_holds_open', 'Reservations that are neither settled nor released.', ledger.openHolds),
    gauge('sluice_ledger_set_aside', 'Charges that the database refused; anything but 0 needs a person.', setAsides.open),
    unreadableFamily(unreadable),
    unexplainedFamily(reconciliation),
    gauge('sluice_ledger_holds_stale', 'Holds that are older than the longest response.', () => reconciliation().staleHolds),
    gauge(
      'sluice_ledger_checked_time_seconds',
      'When the books were last looked at, in seconds since 1970.',
      () => reconciliation().checkedAt,
    ),
    {
      name: 'sluice_ledger_batch_operations',
      type: 'histogram',
      help: 'Operations that were committed together.',
      samples: () => [{ value: figures.batchOperations }],
    },
    {
      name: 'sluice_ledger_commit_seconds',
      type: 'histogram',
      help: 'Time that a commit of the ledger took.',
      samples: () => [{ value: figures.batchSeconds }],
    },
    {
      name: 'sluice_event_loop_delay_seconds',
      type: 'histogram',
      help: 'How late a timer of 20 milliseconds fired.',
      samples: () => [{ value: figures.loopDelay }],
    },
    counter('sluice_log_rows_copied_total', 'Rows of the log that this process has copied to ClickHouse.', () => logCopies.figures.rows),
    counter(
      'sluice_log_copy_failures_total',
      'Tries to copy rows of the log that failed, and were made again.',
      () => logCopies.figures.failures,
    ),
    gauge(
      'sluice_backup_last_success_time_seconds',
      'When the newest scheduled backup was made, in seconds since 1970; 0 = there is none.',
      () => backups.figures.lastSuccessTime,
    ),
    counter('sluice_backup_failures_total', 'Scheduled backups that failed.', () => backups.figures.failures),
    ...healthFamilies(channels),
    ...processFamilies(version, startTime),
  ]
}

const unexplainedFamily = (reconciliation: SampledFigures['reconciliation']): Family =>
  gauge(
    'sluice_ledger_unexplained_quota',
    'Quota that no ledger entry explains; anything but 0 needs a person.',
    () => reconciliation().unexplained,
  )

function unreadableFamily(unreadable: SampledFigures['unreadable']): Family {
  return {
    name: 'sluice_unreadable_values',
    type: 'gauge',
    help: 'Rows with values that cannot be read with the present master key, by kind; they must be entered again.',
    samples: () => Object.entries(unreadable.current()).map(([kind, value]) => ({ labels: { kind }, value })),
  }
}

/** Maximum series of a family about channels. */
const reportsMax = 1_000

function healthFamilies(channels: SampledFigures['channels']): readonly Family[] {
  return [
    {
      name: 'sluice_channel_requests_in_flight',
      type: 'gauge',
      help: 'Requests that a channel is answering.',
      samples: () =>
        channels()
          .slice(0, reportsMax)
          .map(({ channelId, inFlight }) => ({ labels: { channel: String(channelId) }, value: inFlight })),
    },
    {
      name: 'sluice_channel_rest_seconds',
      type: 'gauge',
      help: 'For each channel that is not well, or kind of call and model of it, how long it is left alone. An empty model: all of the channel.',
      samples: () =>
        channels()
          .flatMap(({ channelId, circuits }) =>
            circuits.map(({ kind, model, tokens, state, restMs }) => ({
              labels: { channel: String(channelId), kind, model, state, tokens: tokens === 0 ? 'all' : 'some' },
              value: restMs / 1000,
            })),
          )
          .slice(0, reportsMax),
    },
  ]
}

function counter(name: Family['name'], help: string, read: () => number): Family {
  return { name, type: 'counter', help, samples: () => [{ value: read() }] }
}

/** The metrics of exported and dropped spans. */
export function spanFamilies(exporter: Pick<Exporter, 'delivered' | 'dropped'>): readonly Family[] {
  return [
    counter('sluice_spans_sent_total', 'Spans that the collector took.', () => exporter.delivered),
    counter(
      'sluice_spans_dropped_total',
      'Spans that were lost: too many waited, or the collector did not take them.',
      () => exporter.dropped,
    ),
  ]
}

function processFamilies(version: string, startTime: number): readonly Family[] {
  return [
    {
      name: 'sluice_cpu_seconds_total',
      type: 'counter',
      help: 'CPU time of the process, of all its threads.',
      samples: () => [{ value: cpuSeconds() }],
    },
    gauge('sluice_resident_memory_bytes', 'Memory of the process that is in RAM.', () => process.memoryUsage.rss()),
    gauge('sluice_heap_bytes', 'Memory that JavaScript values take.', () => process.memoryUsage().heapUsed),
    gauge('sluice_start_time_seconds', 'When the server started, in seconds since 1970.', () => startTime),
    {
      name: 'sluice_build_info',
      type: 'gauge',
      help: 'Always 1: the version, and the runtime that it runs on.',
      samples: () => [{ labels: { version, runtime: `bun ${Bun.version}` }, value: 1 }],
    },
  ]
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000_000
}
