import { createVerify, generateKeyPairSync } from 'node:crypto'
import { json, type Received, type Script } from '../../fake-upstream.ts'
import { inPieces, type ReadRequest, type ScriptedError, type ScriptedResponse, sse, type VendorDouble } from '../vendor-double.ts'
import { anthropicDouble } from './anthropic.ts'

interface Part {
  readonly text?: string
  readonly inlineData?: { readonly data: string }
  readonly functionResponse?: { readonly response: object }
}

interface Request {
  readonly systemInstruction?: { readonly parts: readonly Part[] }
  readonly contents: ReadonlyArray<{ readonly role: string; readonly parts: readonly Part[] }>
  readonly tools?: ReadonlyArray<{ readonly functionDeclarations?: ReadonlyArray<{ readonly name: string }> }>
  readonly generationConfig?: { readonly maxOutputTokens?: number }
}

const textOf = (parts: readonly Part[]): string => parts.map(({ text = '' }) => text).join('')

/** Reasoning is counted apart from the text. */
function usageOf({ usage }: ScriptedResponse) {
  if (usage === undefined) return {}
  const { prompt, completion, cached } = usage
  const counts = {
    promptTokenCount: prompt,
    candidatesTokenCount: completion - 5,
    thoughtsTokenCount: 5,
    totalTokenCount: prompt + completion,
  }
  return { usageMetadata: { ...counts, ...(cached === undefined ? {} : { cachedContentTokenCount: cached }) } }
}

/** A function that was called does not change the reason. */
const reasons = { stop: 'STOP', length: 'MAX_TOKENS', tool_calls: 'STOP', content_filter: 'SAFETY' } as const

function chunk(parts: readonly object[], response: ScriptedResponse, isLast: boolean) {
  const end = isLast ? { finishReason: reasons[response.finish ?? 'stop'] } : {}
  return {
    candidates: [{ content: { role: 'model', parts }, index: 0, ...end }],
    ...usageOf(response),
    modelVersion: 'vendor-model',
    responseId: 'r-1',
  }
}

const reasoning = (text: string | undefined): readonly object[] => (text === undefined ? [] : [{ text, thought: true }])

const calls = ({ tools = [] }: ScriptedResponse): readonly object[] =>
  tools.map(({ name, input }, index) => ({ functionCall: { name, args: input }, ...(index === 0 ? { thoughtSignature: 'EqQBCg==' } : {}) }))

const error = (code: number, status: string, error: { readonly message: string; readonly details?: readonly object[] }) =>
  json({ error: { code, status, ...error } }, code)
const reason = (name: string) => [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: name, domain: 'googleapis.com' }]

/** Gemini's `generateContent`; the two services that have it differ in address and key. */
const geminiWire = {
  whole: (response: ScriptedResponse) =>
    json(
      chunk(
        [...reasoning(response.reasoning), ...(response.text === undefined ? [] : [{ text: response.text }]), ...calls(response)],
        response,
        true,
      ),
    ),
  stream(response: ScriptedResponse) {
    const parts = [
      ...inPieces(response.reasoning ?? '').map((text) => ({ text, thought: true })),
      ...inPieces(response.text ?? '').map((text) => ({ text })),
      ...calls(response),
    ]
    return {
      contentType: 'text/event-stream',
      frames: sse([...parts.map((part) => chunk([part], response, false)), chunk([{ text: '' }], response, true)]),
    }
  },
  error: (what: ScriptedError) =>
    ({
      bad_key: error(400, 'INVALID_ARGUMENT', {
        message: 'API key not valid. Please pass a valid API key.',
        details: reason('API_KEY_INVALID'),
      }),
      no_quota: error(403, 'PERMISSION_DENIED', {
        message: 'This API method requires billing to be enabled.',
        details: reason('BILLING_DISABLED'),
      }),
      rate_limited: error(429, 'RESOURCE_EXHAUSTED', { message: 'You exceeded your current quota' }),
      unavailable: error(503, 'UNAVAILABLE', { message: 'The model is overloaded. Please try again later.' }),
      model_not_found: error(404, 'NOT_FOUND', { message: 'models/none is not found for API version v1beta' }),
      bad_request: error(400, 'INVALID_ARGUMENT', { message: 'Request contains an invalid argument.' }),
      context_length: error(400, 'INVALID_ARGUMENT', {
        message: 'The input token count (2000000) exceeds the maximum number of tokens allowed (1048576).',
      }),
      content_policy: null,
    })[what],
  errorFrame: () => sse([{ error: { code: 503, status: 'UNAVAILABLE', message: 'The model is overloaded.' } }])[0] ?? null,
  read({ body, path }: { readonly body: string; readonly path: string }): ReadRequest {
    // Holds: the gateway sends JSON in this form, or the expectations of the suite fail.
    const { systemInstruction, contents, tools = [], generationConfig } = JSON.parse(body) as Request
    const parts = contents.flatMap((content) => content.parts)
    return {
      text: textOf(contents.findLast(({ role }) => role === 'user')?.parts ?? []),
      system: textOf(systemInstruction?.parts ?? []),
      stream: path.includes(':streamGenerateContent?alt=sse'),
      tools: tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations.map(({ name }) => name)),
      limit: generationConfig?.maxOutputTokens,
      images: parts.flatMap(({ inlineData }) => inlineData?.data ?? []),
      results: parts.flatMap(({ functionResponse }) => (functionResponse === undefined ? [] : JSON.stringify(functionResponse.response))),
    }
  },
}

export const geminiDouble: VendorDouble = {
  ...geminiWire,
  name: 'Gemini',
  type: 24,
  key: 'AIza-vendor-key',
  model: 'gemini-3.8-flash',
  isAuthorized: ({ headers, path }) =>
    headers['x-goog-api-key'] === 'AIza-vendor-key' && path.startsWith('/v1beta/models/gemini-3.8-flash:'),
}

export const cloudGeminiDouble: VendorDouble = {
  ...geminiWire,
  name: 'Gemini at Google Cloud',
  type: 42,
  key: 'us|project-1|AQ.vendor-key-of-the-cloud',
  model: 'gemini-3.8-flash',
  isAuthorized: ({ headers, path }) =>
    headers['x-goog-api-key'] === 'AQ.vendor-key-of-the-cloud' &&
    path.startsWith('/v1/projects/project-1/locations/us/publishers/google/models/gemini-3.8-flash:'),
}

const tokenOfAccount = 'ya29.token-of-the-account'

const account = {
  type: 'service_account',
  client_email: 'robot@project-1.example',
  private_key: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }),
  token_uri: '{upstream}/token',
}

/** The token for an assertion that the account's key has signed (RFC 7523). */
function grant({ path, body }: Received): Script | null {
  if (path !== '/token') return null
  const [header = '', claims = '', signature = ''] = new URLSearchParams(body).get('assertion')?.split('.') ?? []
  const isSigned = createVerify('RSA-SHA256').update(`${header}.${claims}`).verify(account.private_key, signature, 'base64url')
  return isSigned ? json({ access_token: tokenOfAccount, expires_in: 3_599 }) : json({ error: 'invalid_grant' }, 400)
}

const isOfAccount = ({ headers, path }: Received, publisher: string): boolean =>
  headers['authorization'] === `Bearer ${tokenOfAccount}` &&
  path.startsWith(`/v1/projects/project-1/locations/europe-west1/publishers/${publisher}/models/`)

export const accountGeminiDouble: VendorDouble = {
  ...geminiWire,
  name: 'Gemini at Google Cloud, with a service account',
  hasOtherCredential: true,
  type: 42,
  key: `europe-west1|project-1|${JSON.stringify(account)}`,
  model: 'gemini-3.8-flash',
  grant,
  credential: tokenOfAccount,
  isAuthorized: (request) => isOfAccount(request, 'google'),
}

/** Anthropic's events behind Google's paths; the errors of the service itself are Google's. */
export const cloudClaudeDouble: VendorDouble = {
  ...anthropicDouble,
  name: 'Claude at Google Cloud',
  type: 42,
  key: cloudGeminiDouble.key,
  error: (what) => (what === 'bad_key' || what === 'no_quota' ? geminiWire.error(what) : anthropicDouble.error(what)),
  isAuthorized: ({ headers, path, body }) =>
    headers['x-goog-api-key'] === 'AQ.vendor-key-of-the-cloud' &&
    path.startsWith('/v1/projects/project-1/locations/us/publishers/anthropic/models/claude-sonnet-4-5:') &&
    body.includes('"anthropic_version":"vertex-2023-10-16"'),
}

export const accountClaudeDouble: VendorDouble = {
  ...cloudClaudeDouble,
  name: 'Claude at Google Cloud, with a service account',
  hasOtherCredential: true,
  key: accountGeminiDouble.key,
  grant,
  credential: tokenOfAccount,
  isAuthorized: (request) => isOfAccount(request, 'anthropic'),
}
