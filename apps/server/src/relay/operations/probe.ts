import { messageText, preferredTestModel } from '@sluice/contract'
import type { Usage } from '@sluice/vendors/core/usage'
import { taskKindOf } from '@sluice/vendors/registry/task-dialect-of'
import { AppError } from '../../lib/app-error.ts'
import { nowSeconds } from '../../lib/clock.ts'
import type { Running } from '../../lib/running.ts'
import type { ReadDeps } from '../ingress/read-request.ts'
import type { AttemptFailure } from '../model/attempt-failure.ts'
import { type Channel, modelAt } from '../model/channel.ts'
import type { Attempt } from '../model/upstream-response.ts'
import { parseUsage } from '../pricing/parse-usage.ts'
import type { Channels } from '../routing/channels.ts'
import { type UnsavedChannel, unsavedChannel } from '../routing/open-channel.ts'
import { errorOf, keyRefusalIn } from '../routing/retry.ts'
import { attemptKind, type KindAttemptDeps } from '../upstream/attempt-kind.ts'
import { probeCall } from './probe-call.ts'
import { probeProxy } from './probe-proxy.ts'
import { probeTask } from './probe-task.ts'

export interface ProbeResult {
  readonly isOk: boolean
  /** Milliseconds of the whole call. */
  readonly elapsedMs: number
  readonly model: string
  readonly upstreamModel: string
  readonly promptTokens: number
  readonly completionTokens: number
  /** It failed because the vendor refused the key. */
  readonly isKeyRefused: boolean
  /** Whether the result may disable the channel automatically. */
  readonly mayDisable: boolean
  /** Why it failed; empty on success. */
  readonly message: string
}

export interface ProbeParts extends KindAttemptDeps, ReadDeps {
  readonly limits: ReadDeps['limits']
  readonly deadlines: ReadDeps['deadlines']
  readonly channels: Pick<Channels, 'current'>
  readonly running: Pick<Running, 'begin'>
  readonly credentials: KindAttemptDeps['credentials']
}

interface ProbeDeps {
  readonly parts: ProbeParts
  readonly newId: () => string
}

/** Tests channels with a minimal call of one of their models. Nobody is charged. */
export interface Probe {
  readonly probe: (channelId: number, model: string) => Promise<ProbeResult>
  readonly probeForm: (form: UnsavedChannel, model: string) => Promise<ProbeResult>
}

export function createProbe({ parts, newId }: ProbeDeps): Probe {
  async function probe(channel: Channel | null | undefined, requestedModel: string): Promise<ProbeResult> {
    if (channel === undefined || channel === null) throw new AppError('channel_unusable')
    const model = modelFor(channel, requestedModel)
    const startedMs = parts.clock.monotonicMs()
    const result = await resultOf(channel, model)
    const elapsedMs = Math.max(1, Math.round(parts.clock.monotonicMs() - startedMs))
    return {
      elapsedMs,
      model,
      upstreamModel: modelAt(channel, model),
      ...result,
      mayDisable: channel.settings.mayBeDisabled,
    } satisfies ProbeResult
  }

  async function resultOf(channel: Channel, model: string): Promise<ProbeOutcome> {
    if (channel.vendor.rawProxy !== undefined) return outcomeOfFailure(await probeProxy(channel, parts))
    const kind = taskKindOf(channel.vendor, modelAt(channel, model))
    return kind === null
      ? outcomeOfAttempt(await tryModel(channel, model, { parts, newId }))
      : outcomeOfFailure(await probeTask(channel, { kind, model }, parts))
  }

  return {
    probe: async (channelId, model) => await probe((await parts.channels.current()).all.get(channelId), model),
    probeForm: async (form, model) => await probe(unsavedChannel(form), model),
  }
}

function modelFor(channel: Channel, requestedModel: string): string {
  if (requestedModel !== '' && channel.models.includes(requestedModel)) return requestedModel
  const { testModel } = channel.settings
  if (testModel !== '') return testModel
  return channel.models.includes(preferredTestModel) ? preferredTestModel : (channel.models[0] ?? preferredTestModel)
}

/** A shutdown cuts it like any other response after its grace period. */
async function tryModel(channel: Channel, model: string, { parts, newId }: ProbeDeps): Promise<Attempt> {
  const call = await probeCall(channel, model, { head: { requestId: newId(), created: nowSeconds(parts.clock) }, deps: parts })
  const done = parts.running.begin(() => call.cancel?.('timed_out'))
  try {
    const tried = await attemptKind(call, channel, parts)
    // The first bytes of audio are enough.
    if (tried.isOk && tried.response.kind === 'stream') tried.response.source.abort()
    return tried
  } finally {
    done()
    await call.form?.close()
  }
}

type ProbeOutcome = Pick<ProbeResult, 'isOk' | 'isKeyRefused' | 'message' | 'promptTokens' | 'completionTokens'>

/** @param failed `null`: it did not */
function outcomeOfFailure(failed: AttemptFailure | null): ProbeOutcome {
  if (failed === null) return { isOk: true, isKeyRefused: false, message: '', ...countsOf(null) }
  const { code, options } = errorOf(failed)
  const refusal = keyRefusalIn(failed)
  const words = failed.by === 'vendor' ? failed.failure.message : null
  const message = words ?? messageText(options.messageKey ?? code, options.params)
  return { isOk: false, isKeyRefused: refusal !== null, message, ...countsOf(null) }
}

function outcomeOfAttempt(result: Attempt): ProbeOutcome {
  if (!result.isOk) return outcomeOfFailure(result.failed)
  const usage = result.response.kind === 'whole' && result.response.usage !== null ? parseUsage(result.response.usage) : null
  return { isOk: true, isKeyRefused: false, message: '', ...countsOf(usage) }
}

function countsOf(usage: Usage | null): Pick<ProbeResult, 'promptTokens' | 'completionTokens'> {
  return { promptTokens: usage?.promptTokens ?? 0, completionTokens: usage?.completionTokens ?? 0 }
}
