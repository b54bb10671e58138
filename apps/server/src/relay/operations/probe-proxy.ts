import { openai } from '@sluice/vendors/protocols/openai/dialect'
import type { AttemptFailure } from '../model/attempt-failure.ts'
import type { Channel } from '../model/channel.ts'
import { runStep, type StepDeps, withoutVendorValues } from '../upstream/run-step.ts'

/** Longest wait for the response. */
const probeMs = 30_000

/** Errors that do not fail the test: the server was reached and accepted the key, whatever it has at this path. */
const harmless: ReadonlySet<string> = new Set(['bad_request', 'model_not_found', 'rate_limited'])

/**
 * Tests a channel of a raw proxy, which has no models: its address is read with its key. `null`: the server responded, and not with a refusal
 * of the key or an error of its own.
 */
export async function probeProxy(channel: Channel, deps: StepDeps): Promise<AttemptFailure | null> {
  const options = { timeoutMs: probeMs, idempotencyKey: Bun.randomUUIDv7(), isPoll: false }
  const ended = await runStep(
    channel,
    ({ baseUrl }, [response]) => {
      if (response === undefined) return { request: { method: 'GET', url: baseUrl } }
      return response.status < 400 ? { done: null } : { failed: openai.failure(response.status, response.text) }
    },
    { deps, options, parse: withoutVendorValues },
  )
  if ('done' in ended) return null
  const failed = 'failed' in ended ? ended.failed : ended.silent
  return isHarmless(failed) ? null : failed
}

function isHarmless(failed: AttemptFailure): boolean {
  if (failed.by === 'vendor') return harmless.has(failed.failure.kind)
  return failed.by === 'transport' && failed.code === 'upstream_redirect'
}
