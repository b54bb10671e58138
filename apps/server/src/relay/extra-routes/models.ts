import { AppError } from '../../lib/app-error.ts'
import { queryOf } from '../../lib/request-url.ts'
import type { Callers } from '../ingress/callers.ts'
import type { Caller } from '../model/caller.ts'
import type { RelayRequest } from '../model/incoming.ts'
import type { PathParts } from '../model/kind-rules.ts'
import type { Channels } from '../routing/channels.ts'
import { relayHeaders } from '../wire/error-reply.ts'
import { type ModelForm, modelForms } from './model-forms.ts'

export interface ModelListDeps {
  readonly callers: Pick<Callers, 'admit'>
  readonly channels: Pick<Channels, 'current'>
}

const formOf = ({ protocol }: RelayRequest): ModelForm => modelForms[protocol.name]

/** Models available to the caller's groups and allowed for its token. */
async function usableModels(caller: Caller, { channels }: ModelListDeps): Promise<readonly string[]> {
  const models = (await channels.current()).models(caller.groups, '')
  return models.filter((model) => caller.models === null || caller.models.has(model))
}

/** GET /v1/models, in the form of the client's protocol. */
export async function listModels(incoming: RelayRequest, deps: ModelListDeps): Promise<Response> {
  const caller = await deps.callers.admit(incoming, incoming.protocol.keyForms)
  const query = queryOf(incoming.request.url)
  return Response.json(formOf(incoming).list(await usableModels(caller, deps), query), { headers: relayHeaders(incoming.requestId, 0) })
}

/** GET /v1/models/{id}; ids may hold slashes. */
export async function showModel(incoming: RelayRequest, deps: ModelListDeps, { model = '' }: PathParts): Promise<Response> {
  const caller = await deps.callers.admit(incoming, incoming.protocol.keyForms)
  if (!(await usableModels(caller, deps)).includes(model)) throw new AppError('model_not_found', { params: { model: model.slice(0, 80) } })
  return Response.json(formOf(incoming).one(model), { headers: relayHeaders(incoming.requestId, 0) })
}
