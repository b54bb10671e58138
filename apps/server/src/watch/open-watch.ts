import { type Clock, nowSeconds } from '../lib/clock.ts'
import type { Watch } from '../relay/watch.ts'
import { createWatch } from './create-watch.ts'
import { watchLoop } from './loop-delay.ts'
import { createMetricsPage, type MetricsPage } from './metrics-page.ts'
import { relayFamilies } from './relay-families.ts'
import { createRelayFigures } from './relay-figures.ts'
import { type AskedFigures, serverFamilies } from './server-families.ts'
import { createServerFigures, type ServerFigures } from './server-figures.ts'

interface WatchOptions {
  readonly clock: Clock
  /** Empty = nobody reads the figures. */
  readonly metricsToken: string
  readonly version: string
}

/** Everything that watches the server. */
export interface Watching extends Pick<ServerFigures, 'apiAnswered' | 'limited' | 'committed'> {
  readonly watch: Watch
  metricsPage(asked: Pick<AskedFigures, 'ledger'>): MetricsPage | null
  stop(): void
}

export function openWatch({ clock, metricsToken, version }: WatchOptions): Watching {
  const relay = createRelayFigures()
  const server = createServerFigures()
  const startTime = nowSeconds(clock)
  const stop = metricsToken === '' ? () => {} : watchLoop(clock, server.loopDelayed)
  return {
    ...server,
    watch: createWatch({ clock, figures: relay }),
    metricsPage: (asked) =>
      createMetricsPage(metricsToken, [...relayFamilies(relay), ...serverFamilies(server, { ...asked, version, startTime })]),
    stop,
  }
}
