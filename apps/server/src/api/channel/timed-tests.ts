import type { Settings } from '@sluice/contract'
import type { Clock } from '../../lib/clock.ts'
import { type TestRunDeps, testRun } from './many.ts'
import type { ChannelRunner } from './work.ts'

interface TimedTestDeps extends TestRunDeps {
  readonly clock: Clock
  readonly runner: ChannelRunner
  readonly settings: () => Settings
}

/** The account in the log of automatic tests: none. */
const nobody = { id: 0, username: '' }

/** Tests all channels at the configured interval. @returns a function to call regularly, which begins a run when one is due */
export function createTimedTests({ clock, runner, settings, ...deps }: TimedTestDeps): () => Promise<void> {
  let lastMs = clock.monotonicMs()
  return async () => {
    const everyMs = settings().ChannelTestFrequency * 60_000
    if (!isDue(everyMs, clock.monotonicMs() - lastMs) || runner.progress().running) return
    lastMs = clock.monotonicMs()
    await runner.start(testRun(deps, 'all', nobody))
  }
}

function isDue(everyMs: number, passedMs: number): boolean {
  return everyMs > 0 && passedMs >= everyMs
}
