import { type ChannelWork, contract } from '@sluice/contract'
import type { Clock } from '../src/lib/clock.ts'
import type { TestApp } from './app.ts'

/** A clock that only the test moves. */
export interface SetClock extends Clock {
  advance(ms: number): void
  /** Sets the time of day otherwise, as somebody does who corrects it; no time has passed. */
  jump(ms: number): void
}

export function setClock(startMs = 1_800_000_000_000): SetClock {
  let passedMs = 0
  let jumpedMs = 0
  return {
    nowMs: () => startMs + passedMs + jumpedMs,
    monotonicMs: () => passedMs,
    advance(ms) {
      passedMs += ms
    },
    jump(ms) {
      jumpedMs += ms
    },
  }
}

/** Repeats a query until its result satisfies the condition; the runner's time limit ends it. */
export async function until<T>(ask: () => Promise<T>, isSo: (result: T) => boolean): Promise<T> {
  for (;;) {
    const result = await ask()
    if (isSo(result)) return result
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
}

/** Waits for the end of a run over many channels. */
export async function runOver(app: TestApp): Promise<ChannelWork> {
  return await until(
    () => app.data(contract.channel.progress, {}),
    ({ running }) => !running,
  )
}

export async function setOptions(app: TestApp, values: Readonly<Record<string, string | number | boolean>>): Promise<void> {
  for (const [key, value] of Object.entries(values)) await app.data(contract.option.update, { key, value: String(value) })
}

export async function statusOf(app: TestApp, id: number): Promise<number> {
  return (await app.data(contract.channel.get, { id })).status
}

/** Sets a status that only the server can set. */
export async function setStatus(app: TestApp, id: number, status: number): Promise<void> {
  await app.app.store.db.updateTable('channels').set({ status }).where('id', '=', id).execute()
}

export async function removeAll(app: TestApp): Promise<void> {
  for (const { id } of await app.data(contract.channel.search, { keyword: '' })) await app.data(contract.channel.remove, { id })
}
