import { AppError } from '../../lib/app-error.ts'
import type { Callers } from '../ingress/callers.ts'
import type { Caller } from '../model/caller.ts'
import type { Incoming } from '../model/incoming.ts'
import type { PathParts } from '../model/kind-rules.ts'
import type { Channels } from '../routing/channels.ts'
import { relayHeaders } from '../wire/error-reply.ts'

export interface ModelListDeps {
  readonly callers: Pick<Callers, 'admit'>
  readonly channels: Pick<Channels, 'current'>
}

/** `created` of every listed model: a constant, because it is unknown when models were made. */
const created = 1_626_777_600

/** OpenAI API reference, "Models", read 2026-11-21. */
function modelObject(id: string) {
  return { id, object: 'model', created, owned_by: 'sluice' }
}

/** Models available to the caller's groups and allowed for its token. */
async function usableModels(caller: Caller, { channels }: ModelListDeps): Promise<readonly string[]> {
  const models = (await channels.current()).models(caller.groups)
  return models.filter((model) => caller.models === null || caller.models.has(model))
}

/** GET /v1/models */
export async function listModels(incoming: Incoming, deps: ModelListDeps): Promise<Response> {
  const caller = await deps.callers.admit(incoming)
  const data = (await usableModels(caller, deps)).map(modelObject)
  return Response.json({ object: 'list', data }, { headers: relayHeaders(incoming.requestId, 0) })
}

/** GET /v1/models/{id}; ids may hold slashes. */
export async function showModel(incoming: Incoming, deps: ModelListDeps, { model = '' }: PathParts): Promise<Response> {
  const caller = await deps.callers.admit(incoming)
  if (!(await usableModels(caller, deps)).includes(model)) throw new AppError('model_not_found', { params: { model: model.slice(0, 80) } })
  return Response.json(modelObject(model), { headers: relayHeaders(incoming.requestId, 0) })
}
