import { json } from '../../fake-upstream.ts'
import { inPieces, type ReadRequest, type ScriptedError, type ScriptedResponse, sse, type VendorDouble } from '../vendor-double.ts'

interface Part {
  readonly Type: string
  readonly Text?: string
  readonly ImageUrl?: { readonly Url: string }
}

interface Message {
  readonly Role: string
  readonly Content?: string
  readonly Contents?: readonly Part[]
}

interface Request {
  readonly Messages: readonly Message[]
  readonly Stream?: boolean
  readonly Tools?: ReadonlyArray<{ readonly Function: { readonly Name: string } }>
}

const partsOf = ({ Content: text, Contents: parts }: Message): readonly Part[] => parts ?? [{ Type: 'text', Text: text ?? '' }]
const textOf = (message: Message | undefined): string =>
  message === undefined
    ? ''
    : partsOf(message)
        .map(({ Text: text = '' }) => text)
        .join('')

function usageOf({ usage }: ScriptedResponse) {
  if (usage === undefined) return {}
  const { prompt, completion } = usage
  return { Usage: { PromptTokens: prompt, CompletionTokens: completion, TotalTokens: prompt + completion } }
}

const callsOf = ({ tools = [] }: ScriptedResponse) =>
  tools.map(({ name, input }, index) => ({
    Index: index,
    Id: `call_${index}`,
    Type: 'function',
    Function: { Name: name, Arguments: JSON.stringify(input) },
  }))

const reasonOf = ({ finish = 'stop' }: ScriptedResponse): string => (finish === 'content_filter' ? 'sensitive' : finish)

/** Errors come with status 200. */
const error = (code: string, message: string) => json({ Response: { Error: { Code: code, Message: message }, RequestId: 'r' } })

/** The wire of Tencent's platform before TokenHub. */
export const tencentDouble: VendorDouble = {
  name: 'Tencent, before TokenHub',
  type: 23,
  key: '1|AKID|secret',
  model: 'hunyuan-turbos',
  lacks: ['cached', 'limit'],
  whole(response) {
    const calls = callsOf(response)
    const message = {
      Role: 'assistant',
      Content: response.text ?? '',
      ...(response.reasoning === undefined ? {} : { ReasoningContent: response.reasoning }),
      ...(calls.length === 0 ? {} : { ToolCalls: calls }),
    }
    return json({ Response: { Id: 'r', Choices: [{ FinishReason: reasonOf(response), Message: message }], ...usageOf(response) } })
  },
  stream(response) {
    const piece = (delta: object, reason = '') => ({ Id: 'r', Choices: [{ FinishReason: reason, Delta: delta }], ...usageOf(response) })
    return {
      contentType: 'text/event-stream',
      frames: sse([
        ...inPieces(response.reasoning ?? '').map((text) => piece({ ReasoningContent: text })),
        ...inPieces(response.text ?? '').map((text) => piece({ Role: 'assistant', Content: text })),
        ...callsOf(response).map((call) => piece({ ToolCalls: [call] })),
        piece({ Role: 'assistant', Content: '' }, reasonOf(response)),
      ]),
    }
  },
  error: (what: ScriptedError) =>
    ({
      bad_key: error('AuthFailure.SecretIdNotFound', 'the secret id is not found'),
      no_quota: error('ResourceUnavailable.LowBalance', 'the balance is too low'),
      rate_limited: error('RequestLimitExceeded', 'too many requests'),
      unavailable: error('FailedOperation.EngineServerError', 'the engine failed'),
      model_not_found: error('InvalidParameterValue.Model', 'the model does not exist'),
      bad_request: error('InvalidParameter', 'a parameter is wrong'),
      context_length: null,
      content_policy: error('OperationDenied.TextIllegalDetected', 'the text is not allowed'),
    })[what],
  errorFrame: () => sse([{ ErrorMsg: { Code: 4001, Msg: 'the engine failed' } }])[0] ?? null,
  read({ body }): ReadRequest {
    // Holds: the gateway sends JSON in this form, or the expectations of the suite fail.
    const { Messages: messages, Stream: stream = false, Tools: tools = [] } = JSON.parse(body) as Request
    return {
      text: textOf(messages.findLast(({ Role: role }) => role === 'user')),
      system: textOf(messages.find(({ Role: role }) => role === 'system')),
      stream,
      tools: tools.map((tool) => tool.Function.Name),
      limit: undefined,
      images: messages.flatMap(partsOf).flatMap((part) => part.ImageUrl?.Url.split('base64,')[1] ?? []),
      results: messages.filter(({ Role: role }) => role === 'tool').map(textOf),
    }
  },
  isAuthorized: ({ headers }) => String(headers['authorization']).startsWith('TC3-HMAC-SHA256 Credential=AKID/'),
}
