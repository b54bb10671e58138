import type { Logger } from 'pino'
import type { ActivityBoard } from '../lib/activity-board.ts'
import { type Clock, nowSeconds } from '../lib/clock.ts'
import type { Telemetry } from '../relay/model/telemetry.ts'
import { createTelemetry } from './create-telemetry.ts'
import { createExporter } from './exporter.ts'
import { watchLoop } from './loop-delay.ts'
import { createMetricsPage, type MetricsPage } from './metrics-page.ts'
import { relayFamilies } from './relay-families.ts'
import { createRelayFigures } from './relay-figures.ts'
import { type SampledFigures, serverFamilies, spanFamilies } from './server-families.ts'
import { createServerFigures, type ServerFigures } from './server-figures.ts'
import { createTracer } from './tracer.ts'
import type { WorkerMetrics } from './worker-metrics.ts'

interface TelemetryOptions {
  readonly clock: Clock
  /** What the watchdog sees. */
  readonly activities: ActivityBoard
  /** Empty: the metrics page is off. */
  readonly metricsToken: string
  /** The other processes on the port; `null`: there is one. */
  readonly workers: WorkerMetrics | null
  readonly version: string
  readonly log: Logger
  readonly traces: {
    /** `null`: tracing is off. */
    readonly post: ((body: string) => Promise<number>) | null
    readonly serviceName: string
    /** Sampling ratio, from 0 to 1. */
    readonly ratio: number
  }
}

/** The telemetry of the whole server. */
export interface ServerTelemetry extends Pick<ServerFigures, 'apiResponded' | 'limited' | 'committed'> {
  readonly telemetry: Telemetry
  metricsPage(
    sampled: Pick<SampledFigures, 'ledger' | 'reconciliation' | 'setAsides' | 'unreadable' | 'backups' | 'channels' | 'logCopies'>,
  ): MetricsPage | null
  stop(): Promise<void>
}

export function openTelemetry({ clock, activities, metricsToken, workers, version, log, traces }: TelemetryOptions): ServerTelemetry {
  const relay = createRelayFigures()
  const server = createServerFigures()
  const startTime = nowSeconds(clock)
  const stopLoop = metricsToken === '' ? () => {} : watchLoop(clock, server.loopDelayed)
  const { post, serviceName, ratio } = traces
  const resource = { 'service.name': serviceName, 'service.version': version }
  const exporter = post === null ? null : createExporter({ post, log, resource, version })
  const tracer = exporter === null ? null : createTracer({ clock, ratio, add: exporter.add })
  return {
    ...server,
    telemetry: createTelemetry({ clock, activities, figures: relay, tracer }),
    metricsPage: (sampled) =>
      createMetricsPage({
        token: metricsToken,
        workers,
        families: [
          ...relayFamilies(relay),
          ...serverFamilies(server, { ...sampled, version, startTime }),
          ...(exporter === null ? [] : spanFamilies(exporter)),
        ],
      }),
    async stop() {
      stopLoop()
      await exporter?.stop()
    },
  }
}
