import type { Logger } from 'pino'
import { type Clock, nowSeconds } from '../lib/clock.ts'
import type { Watch } from '../relay/model/watch.ts'
import { createWatch } from './create-watch.ts'
import { createExporter } from './exporter.ts'
import { watchLoop } from './loop-delay.ts'
import { createMetricsPage, type MetricsPage } from './metrics-page.ts'
import { relayFamilies } from './relay-families.ts'
import { createRelayFigures } from './relay-figures.ts'
import { type AskedFigures, serverFamilies, spanFamilies } from './server-families.ts'
import { createServerFigures, type ServerFigures } from './server-figures.ts'
import { createTracer } from './tracer.ts'

interface WatchOptions {
  readonly clock: Clock
  /** Empty = nobody reads the figures. */
  readonly metricsToken: string
  readonly version: string
  readonly log: Logger
  readonly traces: {
    /** `null`: no traces are sent. */
    readonly post: ((body: string) => Promise<number>) | null
    readonly serviceName: string
    /** Share of traces that are sent, from 0 to 1. */
    readonly ratio: number
  }
}

/** Everything that watches the server. */
export interface Watching extends Pick<ServerFigures, 'apiAnswered' | 'limited' | 'committed'> {
  readonly watch: Watch
  metricsPage(asked: Pick<AskedFigures, 'ledger' | 'reconciliation' | 'channels'>): MetricsPage | null
  stop(): Promise<void>
}

export function openWatch({ clock, metricsToken, version, log, traces }: WatchOptions): Watching {
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
    watch: createWatch({ clock, figures: relay, tracer }),
    metricsPage: (asked) =>
      createMetricsPage(metricsToken, [
        ...relayFamilies(relay),
        ...serverFamilies(server, { ...asked, version, startTime }),
        ...(exporter === null ? [] : spanFamilies(exporter)),
      ]),
    async stop() {
      stopLoop()
      await exporter?.stop()
    },
  }
}
