import { AppError } from '../../lib/app-error.ts'
import { queryOf } from '../../lib/request-url.ts'
import { type ReadingDeps, reading } from '../ingress/read-with-permit.ts'
import type { Caller } from '../model/caller.ts'
import type { RelayRequest } from '../model/incoming.ts'
import type { Channels } from '../routing/channels.ts'
import { relayHeaders } from '../wire/error-response.ts'
import { type ModelForm, modelForms } from './model-forms.ts'

export interface ModelListDeps extends ReadingDeps {
  readonly channels: Pick<Channels, 'current'>
}

const formOf = ({ protocol }: RelayRequest): ModelForm => modelForms[protocol.name]

/** Models available to the caller's groups and allowed for its token. */
async function usableModels(caller: Caller, { channels }: ModelListDeps): Promise<readonly string[]> {
  const models = (await channels.current()).models(caller.groups, '')
  return models.filter((model) => caller.models === null || caller.models.has(model))
}

/** GET /v1/models, in the form of the client's protocol. */
export const listModels = reading<ModelListDeps>(async ({ caller, incoming, deps }) => {
  const query = queryOf(incoming.request.url)
  return Response.json(formOf(incoming).list(await usableModels(caller, deps), query), { headers: relayHeaders(incoming.requestId, 0) })
})

/** GET /v1/models/{id}; ids may hold slashes. */
export const showModel = reading<ModelListDeps>(async ({ caller, incoming, deps, path: { model = '' } }) => {
  if (!(await usableModels(caller, deps)).includes(model)) throw new AppError('model_not_found', { params: { model: model.slice(0, 80) } })
  return Response.json(formOf(incoming).one(model), { headers: relayHeaders(incoming.requestId, 0) })
})
