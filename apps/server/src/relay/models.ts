import { AppError } from '../lib/app-error.ts'
import type { Caller } from './callers.ts'
import { relayHeaders } from './error-reply.ts'
import type { PathParts } from './kinds/kind-rules.ts'
import type { Parts } from './relay.ts'
import type { Incoming } from './relay-deps.ts'

/** `created` of every listed model: one fixed time, because channels do not know when their models were made. */
const created = 1_626_777_600

/** OpenAI API reference, "Models", read 2026-11-21. */
function modelObject(id: string) {
  return { id, object: 'model', created, owned_by: 'sluice' }
}

/** Models that the caller's groups can use now and its token may. */
async function usableModels(caller: Caller, { channels }: Parts): Promise<readonly string[]> {
  const models = (await channels.current()).models(caller.groups)
  return models.filter((model) => caller.models === null || caller.models.has(model))
}

/** GET /v1/models */
export async function listModels(incoming: Incoming, parts: Parts): Promise<Response> {
  const caller = await parts.callers.admit(incoming)
  const data = (await usableModels(caller, parts)).map(modelObject)
  return Response.json({ object: 'list', data }, { headers: relayHeaders(incoming.requestId, 0) })
}

/** GET /v1/models/{id}; ids may hold slashes. */
export async function showModel(incoming: Incoming, parts: Parts, { model = '' }: PathParts): Promise<Response> {
  const caller = await parts.callers.admit(incoming)
  if (!(await usableModels(caller, parts)).includes(model)) throw new AppError('model_not_found', { params: { model: model.slice(0, 80) } })
  return Response.json(modelObject(model), { headers: relayHeaders(incoming.requestId, 0) })
}
