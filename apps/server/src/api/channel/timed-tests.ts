import type { Settings } from '@sluice/contract'
import type { BeginDue } from '../../lib/timetable.ts'
import { type TestRunDeps, testRun } from './many.ts'
import type { ChannelRunner } from './work.ts'

interface TimedTestDeps extends TestRunDeps {
  readonly beginDue: BeginDue
  readonly runner: ChannelRunner
  readonly settings: () => Settings
}

/** The account in the log of automatic tests: none. */
const nobody = { id: 0, username: '' }

/** Tests all channels at the configured interval. @returns a function to call regularly, which begins a run when one is due */
export function createTimedTests({ beginDue, runner, settings, ...deps }: TimedTestDeps): () => Promise<void> {
  return async () => {
    const everyMs = settings().ChannelTestFrequency * 60_000
    if (everyMs === 0 || (await runner.progress()).running || !(await beginDue(everyMs))) return
    await runner.start(testRun(deps, 'all', nobody))
  }
}
