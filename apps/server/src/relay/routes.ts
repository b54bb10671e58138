import type { ServerResponse } from '@sluice/http1/response'
import { queryOf } from '../lib/request-url.ts'
import { chatPath } from './chat-path.ts'
import { generateCount, messageCount, responseCount } from './extra-routes/count-forms.ts'
import { type CountDeps, countTokens } from './extra-routes/count-tokens.ts'
import { listModels, type ModelListDeps, showModel } from './extra-routes/models.ts'
import { browserKeyPaths, notImplemented, notImplementedPaths, refuseBrowserKeys } from './extra-routes/not-implemented.ts'
import { proxyRaw, type RawProxyDeps } from './extra-routes/raw-proxy.ts'
import { type BalanceDeps, showSubscription, showUsage } from './extra-routes/token-balance.ts'
import { speech, transcriptions, translations } from './ingress/kinds/audio.ts'
import { embed, generate, streamGenerate } from './ingress/kinds/generate.ts'
import { imageEdits, images, imageVariations } from './ingress/kinds/images.ts'
import { messages } from './ingress/kinds/messages.ts'
import { compactResponse, responses } from './ingress/kinds/responses.ts'
import { completions, edits, embeddings, moderations, rerank } from './ingress/kinds/text.ts'
import type { RelayRequest } from './model/incoming.ts'
import type { KindRules, PathParts } from './model/kind-rules.ts'
import { openRealtime, type RealtimeDeps } from './realtime/realtime.ts'
import { type CallDeps, relayCall } from './relay.ts'
import { asJsonArray } from './response/json-array.ts'
import { refuseHandshake } from './stored-responses/refuse-handshake.ts'
import { cancel, listInputItems, type ResponseDeps, remove, retrieve } from './stored-responses/response-routes.ts'
import { batchRoutes } from './tasks/batch-routes.ts'
import { channelWebhook } from './tasks/channel-webhook.ts'
import { songRoutes } from './tasks/song-routes.ts'
import { type TaskRouteDeps, taskRoutes } from './tasks/task-routes.ts'

/** Dependencies of all routes. */
export type RouteDeps = CallDeps & RealtimeDeps & RawProxyDeps & ResponseDeps & ModelListDeps & BalanceDeps & CountDeps & TaskRouteDeps

export type Handler = (incoming: RelayRequest, deps: RouteDeps, path: PathParts) => Promise<ServerResponse>

function kind(rules: KindRules): Handler {
  const withoutParts = { rules, path: noParts }
  return (incoming, deps, path) => relayCall(incoming, deps, path === noParts ? withoutParts : { rules, path })
}

/** A stream in the form that the address asks for: events, or one array. */
const generateStream: Handler = async (incoming, deps, path) => {
  const response = await relayCall(incoming, deps, { rules: streamGenerate, path })
  const form = queryOf(incoming.request.url).get('alt')
  return form === 'sse' ? response : asJsonArray(response)
}

const noParts: PathParts = {}

/** All routes by method and path; `ANY` is every method. `{name}` is one path segment, `{name...}` the rest of the path. */
const table: Readonly<Record<string, Handler>> = {
  'POST /v1/chat/completions': kind(chatPath),
  'POST /v1/completions': kind(completions),
  'POST /v1/edits': kind(edits),
  'POST /v1/embeddings': kind(embeddings),
  'POST /v1/engines/{model...}/embeddings': kind(embeddings),
  'POST /v1/moderations': kind(moderations),
  'POST /v1/rerank': kind(rerank),
  'POST /v1/responses': kind(responses),
  'POST /v1/responses/compact': kind(compactResponse),
  'POST /v1/responses/input_tokens': countTokens(responseCount),
  'GET /v1/responses': refuseHandshake,
  'GET /v1/responses/{id}': retrieve,
  'DELETE /v1/responses/{id}': remove,
  'POST /v1/responses/{id}/cancel': cancel,
  'GET /v1/responses/{id}/input_items': listInputItems,
  'POST /v1/messages': kind(messages),
  'POST /v1/messages/count_tokens': countTokens(messageCount),
  'POST /v1/images/generations': kind(images),
  'POST /v1/images/edits': kind(imageEdits),
  'POST /v1/images/variations': kind(imageVariations),
  'POST /v1/audio/speech': kind(speech),
  'POST /v1/audio/transcriptions': kind(transcriptions),
  'POST /v1/audio/translations': kind(translations),
  ...Object.fromEntries(
    ['/v1beta', '/v1'].flatMap((version) => [
      [`POST ${version}/models/{model...}:generateContent`, kind(generate)],
      [`POST ${version}/models/{model...}:streamGenerateContent`, generateStream],
      [`POST ${version}/models/{model...}:countTokens`, countTokens(generateCount)],
      [`POST ${version}/models/{model...}:embedContent`, kind(embed)],
      [`POST ${version}/models/{model...}:batchEmbedContents`, kind(embed)],
    ]),
  ),
  ...taskRoutes,
  ...songRoutes,
  ...batchRoutes,
  'POST /v1/channels/{id}/webhook': channelWebhook,
  'GET /v1/realtime': openRealtime,
  'GET /v1beta/models': listModels,
  'GET /v1beta/models/{model...}': showModel,
  'GET /v1/models': listModels,
  'GET /models': listModels,
  'GET /models/{model...}': showModel,
  'GET /v1/models/{model...}': showModel,
  'GET /dashboard/billing/subscription': showSubscription,
  'GET /v1/dashboard/billing/subscription': showSubscription,
  'GET /dashboard/billing/usage': showUsage,
  'GET /v1/dashboard/billing/usage': showUsage,
  'ANY /v1/oneapi/proxy/{channelId}/{rest...}': proxyRaw,
  'ANY /v1/oneapi/proxy/{channelId}': proxyRaw,
  'ANY /v1/models/{model...}': notImplemented,
  ...Object.fromEntries(browserKeyPaths.map((path) => [`ANY ${path}`, refuseBrowserKeys])),
  ...Object.fromEntries(
    notImplementedPaths.flatMap((path) => [
      [`ANY ${path}`, notImplemented],
      [`ANY ${path}/{rest...}`, notImplemented],
    ]),
  ),
}

interface Pattern {
  readonly form: RegExp
  readonly handler: Handler
}

const isPattern = (address: string): boolean => address.includes('{') || address.startsWith('ANY ')

/** Routes without placeholders, by method and path. */
const exact = new Map<string, Map<string, { readonly handler: Handler; readonly path: PathParts }>>()
for (const [address, handler] of Object.entries(table)) {
  const [method = '', path = ''] = address.split(' ')
  if (isPattern(address)) continue
  const ofMethod = exact.get(method) ?? new Map()
  exact.set(method, ofMethod.set(path, { handler, path: noParts }))
}
const patterns: readonly Pattern[] = Object.entries(table)
  .filter(([address]) => isPattern(address))
  .map(([address, handler]) => ({ form: formOf(address), handler }))

function formOf(address: string): RegExp {
  const named = address.replace(
    /\{(\w+)(\.\.\.)?\}/g,
    (_, name: string, rest?: string) => `(?<${name}>${rest === undefined ? '[^/]+' : '.+'})`,
  )
  return new RegExp(`^${named.replace(/^ANY /, '[A-Z]+ ')}$`)
}

/** `null`: no such route. */
export function findRoute(method: string, path: string): { readonly handler: Handler; readonly path: PathParts } | null {
  const exactRoute = exact.get(method)?.get(path)
  if (exactRoute !== undefined) return exactRoute
  const address = `${method} ${path}`
  for (const { form, handler } of patterns) {
    const match = form.exec(address)
    if (match === null) continue
    return { handler, path: Object.fromEntries(Object.entries(match.groups ?? {}).map(([name, part]) => [name, decoded(part)])) }
  }
  return null
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
