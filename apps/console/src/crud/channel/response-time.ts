import type { MessageKey } from '../../lib/t.ts'
import type { Tone } from '../../ui/badge.tsx'

/** The colour of a response time, by its upper limit (specification, section 4). */
const bands = [
  { upToMs: 0, tone: 'grey' },
  { upToMs: 1_000, tone: 'green' },
  { upToMs: 3_000, tone: 'olive' },
  { upToMs: 5_000, tone: 'yellow' },
] as const

export function responseTone(ms: number): Tone {
  return bands.find(({ upToMs }) => ms <= upToMs)?.tone ?? 'red'
}

/** Seconds with two decimals. */
export function formatSeconds(ms: number): string {
  return (ms / 1000).toFixed(2)
}

/** The note on the last test: there was none, its time, or its failure. */
export function testNote({ response_time, test_time }: { readonly response_time: number; readonly test_time: number }): MessageKey {
  if (test_time === 0) return 'channel.test.never'
  return response_time === 0 ? 'channel.test.failedAt' : 'channel.test.at'
}
