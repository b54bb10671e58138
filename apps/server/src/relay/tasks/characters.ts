import type { JsonObject } from '@sluice/vendors/core/json'
import { taskDialectOf } from '@sluice/vendors/registry/task-dialect-of'
import type { Db } from '../../db/connect.ts'
import { codedText } from '../../ledger/log-entry.ts'
import { AppError } from '../../lib/app-error.ts'
import { nowSeconds } from '../../lib/clock.ts'
import { randomHex128 } from '../../lib/id.ts'
import type { Billing } from '../billing/billing.ts'
import { openFlatCharge, releaseUnserved } from '../billing/open-charge.ts'
import type { ClientTaskParams } from '../ingress/read-task-params.ts'
import type { Caller, Permit, Viewer } from '../model/caller.ts'
import { type Channel, modelAt } from '../model/channel.ts'
import type { RelayRequest } from '../model/incoming.ts'
import { type Tried, tryChannels } from '../response/try-channels.ts'
import { route } from '../routing/route.ts'
import { parseTaskId } from '../upstream/parse-task.ts'
import { runStep } from '../upstream/run-step.ts'
import { addCharacter, type CharacterRow, hasCharacters, readCharacters } from './character-queries.ts'
import type { SendDeps } from './send-task.ts'

// Characters of videos: made once of a video, at one channel, and named by later orders (OpenAI API reference, "Create a character", as
// openai 7.55.0 has it, read 2026-11-25). No page lists a price, so they are free.

export interface CharacterDeps extends Omit<SendDeps, 'billing'> {
  readonly billing: Pick<Billing, 'release' | 'settleFlat'>
}

export interface NewCharacter {
  readonly incoming: RelayRequest
  readonly caller: Caller
  readonly permit: Permit
  /** Its video, with the character's name among the further parameters. */
  readonly params: ClientTaskParams
}

/** Characters of an account, so that nobody makes them without end. */
const perAccountMax = 1_000
const nameMax = 80
const submitMs = 180_000

/** @throws AppError */
export async function createCharacter(character: NewCharacter, deps: CharacterDeps): Promise<CharacterRow> {
  const { incoming, caller, permit, params: taskParams } = character
  const { requestId, span, request, protocol } = incoming
  const name = nameOf(taskParams)
  const { video, model } = taskParams
  if (video === null) throw invalid('video')
  if (await hasCharacters(deps.db, caller.userId, perAccountMax)) throw invalid('name')
  const { tiers } = route(await deps.channels.current(), caller, model)
  const params = { model, isStream: false }
  const rules = { kind: taskParams.kind, isRepeatable: false }
  const isOver = deps.running.isAborted(request.signal)
  const failover = deps.routing.begin({ tiers, params: { model }, rules, tokenId: caller.tokenId, groups: caller.groups, isOver })
  deps.telemetry.routed(span, { kind: taskParams.kind, model })
  const callType = { protocol: protocol.name, kind: taskParams.kind }
  const charge = await openFlatCharge(deps, { callType, requestId, span, caller, params, permit }, 0)
  try {
    const vendorId = await tryChannels(charge, { failover, telemetry: deps.telemetry, clock: deps.clock }, (channel) =>
      attempt(channel, { ...character, name }, deps),
    )
    if (vendorId === null) throw failover.error().after(charge.attempts, charge.failures)
    const row = {
      public_id: `char_${randomHex128()}`,
      user_id: caller.userId,
      token_id: caller.tokenId,
      model,
      channel_id: charge.channel?.id ?? 0,
      vendor_id: vendorId,
      name,
      created_at: nowSeconds(deps.clock),
    }
    await addCharacter(deps.db, row)
    await deps.billing.settleFlat(charge, { amount: 0, text: codedText({ code: 'log_character', params: { name } }), isServed: true })
    return { ...row, id: 0 }
  } catch (error) {
    await releaseUnserved(deps.billing, charge, { error, isClientGone: false })
    throw error
  } finally {
    failover.end()
  }
}

function invalid(name: string): AppError {
  return new AppError('invalid_parameter', { params: { name } })
}

/** @throws AppError for a name that is none, and for every parameter that a character does not have */
function nameOf({ extra, seconds, size, images, prompt }: ClientTaskParams): string {
  const { name, ...rest } = extra
  const [other] = Object.keys(rest)
  if (other !== undefined) throw invalid(other)
  if (seconds !== null) throw invalid('seconds')
  if (size !== null) throw invalid('size')
  if (images.length > 0) throw invalid('input_reference')
  if (prompt !== '') throw invalid('prompt')
  if (typeof name !== 'string' || name.trim() === '' || name.length > nameMax) throw invalid('name')
  return name
}

async function attempt(
  channel: Channel,
  { params: taskParams, incoming, name }: NewCharacter & { name: string },
  deps: CharacterDeps,
): Promise<Tried<string>> {
  const model = modelAt(channel, taskParams.model)
  const make = taskDialectOf(channel.vendor, taskParams.kind, model)?.createCharacter
  const { video } = taskParams
  const hash = (): null => null
  if (make === undefined || video === null)
    return { failed: { by: 'form', code: 'parameter_not_offered', parameter: 'characters' }, address: '', hash }
  const options = {
    timeoutMs: channel.settings.totalMs ?? submitMs,
    idempotencyKey: Bun.randomUUIDv7(),
    hops: incoming.hops,
    isPoll: false,
  }
  const ended = await runStep(channel, (context, responses) => make(context, { name, video: video }, responses), {
    deps,
    options,
    parse: parseTaskId,
  })
  if ('silent' in ended) throw new AppError('internal_error')
  return 'failed' in ended ? { ...ended, hash } : { response: ended.done }
}

/** A character as OpenAI's clients read it. */
export function characterObject({ public_id: id, name, created_at: createdAt }: CharacterRow): JsonObject {
  return { id, name, created_at: createdAt }
}

/** @throws AppError task_not_found */
export async function readCharacter(db: Db, viewer: Viewer, id: string): Promise<CharacterRow> {
  const [row] = await readCharacters(db, viewer, [id])
  if (row === undefined) throw new AppError('task_not_found')
  return row
}
