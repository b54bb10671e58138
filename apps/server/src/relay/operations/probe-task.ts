import type { TaskKind } from '@sluice/vendors/core/task'
import { isOfUnknownPath } from '@sluice/vendors/protocols/tasks/unknown-path'
import { taskDialectOf } from '@sluice/vendors/registry/task-dialect-of'
import { AppError } from '../../lib/app-error.ts'
import type { AttemptFailure } from '../model/attempt-failure.ts'
import { type Channel, modelAt } from '../model/channel.ts'
import { parseKnownReport } from '../upstream/parse-task.ts'
import { runStep, type StepDeps } from '../upstream/run-step.ts'

/** Longest wait for the response. */
const probeMs = 30_000

/** No vendor has a task of this name. */
const nobodys = 'sluice-test-0'

/** Failures that say nothing against the channel: the vendor was reached, took the key, and knows no such task. */
const harmless: ReadonlySet<string> = new Set(['bad_request', 'model_not_found'])

/**
 * Tests a channel of tasks without creating one, which would cost money and minutes: it polls a task that does not exist. `null`: the vendor
 * was reached and accepted the key.
 */
export async function probeTask(
  channel: Channel,
  target: { readonly kind: TaskKind; readonly model: string },
  deps: StepDeps,
): Promise<AttemptFailure | null> {
  const model = modelAt(channel, target.model)
  const dialect = taskDialectOf(channel.vendor, target.kind, model)
  if (dialect === null) throw new AppError('channel_unusable')
  const task = { vendorId: nobodys, memo: {}, kind: target.kind, action: 'create', model } as const
  const options = { timeoutMs: probeMs, idempotencyKey: Bun.randomUUIDv7(), isPoll: false }
  let isOfOther = false
  const ended = await runStep(
    channel,
    (context, responses) => {
      isOfOther = responses.some(isOfUnknownPath)
      return dialect.poll(context, task, responses)
    },
    { deps, options, parse: parseKnownReport },
  )
  if (isOfOther) return { by: 'transport', code: 'upstream_invalid_response', cause: new Error('the server does not know the path') }
  if ('done' in ended) return null
  const failed = 'failed' in ended ? ended.failed : ended.silent
  return failed.by === 'vendor' && harmless.has(failed.failure.kind) ? null : failed
}
