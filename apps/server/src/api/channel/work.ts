import { type ChannelWork, contract } from '@sluice/contract'
import { AppError } from '../../lib/app-error.ts'
import { type Clock, nowSeconds } from '../../lib/clock.ts'
import { tryParseJson } from '../../lib/parse-json.ts'
import type { WorkBoard } from '../../lib/work-board.ts'

/** A job over many channels, one after another. */
export interface Run extends Pick<ChannelWork, 'scope'> {
  readonly work: Exclude<ChannelWork['work'], ''>
  readonly list: () => Promise<readonly number[]>
  readonly each: (channelId: number) => Promise<Done>
}

export interface Done {
  readonly isOk: boolean
  readonly became: 'kept' | 'disabled' | 'enabled'
}

/** Runs jobs over many channels in the background, one job at a time on all nodes. */
export interface ChannelRunner {
  /** @throws AppError channel_job_running */
  start(run: Run): Promise<ChannelWork>
  /** Of the last job on any node. */
  progress(): Promise<ChannelWork>
  /** Lets other nodes know that the job still runs; to be called every few seconds. */
  keep(): Promise<void>
  /** Begins no further channel; resolves when the running one is done. */
  stop(): Promise<void>
}

interface RunnerDeps {
  readonly clock: Clock
  /** Called with unexpected errors. */
  readonly report: (error: unknown, channelId: number) => void
  /** Pause between two channels, in milliseconds. */
  readonly pauseMs: number
  readonly board: WorkBoard
}

const idle: ChannelWork = {
  work: '',
  scope: 'all',
  running: false,
  total: 0,
  done: 0,
  failed: 0,
  disabled: 0,
  enabled: 0,
  started_time: 0,
  ended_time: 0,
}

export function createChannelRunner({ clock, report, pauseMs, board }: RunnerDeps): ChannelRunner {
  const stopping = Promise.withResolvers<void>()
  let isStopping = false
  let state = idle
  let finished: Promise<void> = Promise.resolve()
  /** Whether other nodes may begin; if the database could not be updated, it is updated later. */
  let isBoardFree = true

  /** An unexpected error fails this channel only: the run continues with the next one. */
  async function doOne({ each }: Run, channelId: number): Promise<Done> {
    try {
      return await each(channelId)
    } catch (error) {
      if (!(error instanceof AppError)) report(error, channelId)
      return { isOk: false, became: 'kept' }
    }
  }

  async function doAll(run: Run, ids: readonly number[]): Promise<void> {
    for (const [index, id] of ids.entries()) {
      if (index > 0) await pause(pauseMs, stopping.promise)
      if (isStopping) break
      await become(counted(state, await doOne(run, id)))
    }
    await end()
  }

  async function become(next: ChannelWork): Promise<void> {
    state = next
    await board.save(JSON.stringify(state)).catch(reportSaveError)
  }

  async function end(): Promise<void> {
    await become({ ...state, running: false, ended_time: nowSeconds(clock) })
    await freeBoard().catch(reportSaveError)
  }

  async function freeBoard(): Promise<void> {
    isBoardFree = false
    await board.end()
    isBoardFree = true
  }

  /** The run goes on; other nodes show what was saved before. */
  function reportSaveError(error: unknown): void {
    report(error, 0)
  }

  return {
    async start(run) {
      if (isStopping) throw new AppError('shutting_down')
      if (state.running) throw new AppError('channel_job_running')
      const before = state
      state = { ...idle, work: run.work, scope: run.scope, running: true, started_time: nowSeconds(clock) }
      try {
        if (!(await board.claim())) throw new AppError('channel_job_running')
      } catch (error) {
        state = before
        throw error
      }
      try {
        const ids = await run.list()
        await become({ ...state, total: ids.length })
        finished = doAll(run, ids)
        return state
      } catch (error) {
        // A run that could not begin must not block the next one.
        await end()
        throw error
      }
    },
    async progress() {
      if (state.running) return state
      const saved = await board.read()
      if (saved === null || saved.progress === '') return state
      const { data: last } = contract.channel.progress.data.safeParse(tryParseJson(saved.progress))
      // A node that died leaves a job that seems to run.
      return last === undefined ? state : { ...last, running: last.running && saved.isOwned }
    },
    async keep() {
      if (state.running) await board.claim()
      else if (!isBoardFree) await freeBoard()
    },
    async stop() {
      isStopping = true
      stopping.resolve()
      await finished
    },
  }
}

function counted(state: ChannelWork, { isOk, became }: Done): ChannelWork {
  const failed = state.failed + (isOk ? 0 : 1)
  const counts = { ...state, done: state.done + 1, failed }
  return became === 'kept' ? counts : { ...counts, [became]: counts[became] + 1 }
}

/** Waits until the time has passed or `cut` resolves. */
async function pause(ms: number, cut: Promise<void>): Promise<void> {
  if (ms === 0) return
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  await Promise.race([promise, cut])
  clearTimeout(timer)
}
