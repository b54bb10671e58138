import type { RewriteKind } from './rewrites.ts'

/**
 * What a model, or the server that runs it, does not take in a request. A vendor's record names those that are known of it (`VendorModels.rulesFor`);
 * others are learned from an error (`learned-rules.ts`).
 */
export type RequestRule =
  /**
   * It has no such parameter. A limit of output tokens gets its other name; the gateway itself ends the response at a stop sequence, and gives the first of
   * several calls where the client wants one.
   */
  | { readonly rule: 'without'; readonly parameter: Parameter }
  /** It takes `temperature` or `top_p`, not both. */
  | { readonly rule: 'one-sampling' }
  /** It writes at most so many tokens. */
  | { readonly rule: 'output-max'; readonly tokens: number }
  /** Beside this prompt its context has room for so many tokens. Of one request only. */
  | { readonly rule: 'room'; readonly tokens: number }
  /** It does not know the role `developer`. */
  | { readonly rule: 'no-developer' }
  /** It takes instructions as the first message only, or not as a message of their own. */
  | { readonly rule: 'instructions'; readonly place: 'first' | 'user' }
  /** It takes no conversation that ends with the model. */
  | { readonly rule: 'user-last' }
  /** It responds with JSON only if a message has the word. */
  | { readonly rule: 'json-word' }
  /** It thinks in this form only. */
  | { readonly rule: 'thinking'; readonly form: 'adaptive' | 'budget' }
  /** It takes four marks of the prompt cache. */
  | { readonly rule: 'few-marks' }
  /** It knows marks of the prompt cache on blocks only, with a type and a time to live. */
  | { readonly rule: 'cloud-marks' }
  /** It only streams. The gateway joins the chunks for a client that wants a whole response. */
  | { readonly rule: 'streams' }
  /** It has no prompt cache that a request can mark. */
  | { readonly rule: 'no-marks' }
  /** Messages have no such members, which responses of other vendors have beside their text and calls. */
  | { readonly rule: 'without-members'; readonly members: readonly ResponseMember[] }
  /** It takes so many inputs of embeddings in a request. Requests with more are sent in parts. */
  | { readonly rule: 'inputs-max'; readonly inputs: number }

/** Parameters whose loss changes nothing that the client would notice in the response, or that the gateway can emulate. */
export const parameters = [
  'temperature',
  'top_p',
  'top_k',
  'min_p',
  'presence_penalty',
  'frequency_penalty',
  'repetition_penalty',
  'logit_bias',
  'seed',
  'reasoning_effort',
  'verbosity',
  'stream_options',
  'store',
  'user',
  'metadata',
  'service_tier',
  'safety_identifier',
  'prompt_cache_key',
  'prompt_cache_retention',
  'parallel_tool_calls',
  'max_completion_tokens',
  'max_tokens',
  'stop',
] as const

export type Parameter = (typeof parameters)[number]

/** Members of responses that clients send back in their history, and that some vendors refuse there. */
export const responseMembers = [
  ...(['reasoning_content', 'reasoning', 'reasoning_details', 'thinking_blocks', 'annotations', 'refusal', 'audio'] as const),
  ...(['images', 'citations', 'search_results', 'provider_specific_fields', 'function_call', 'extra_content'] as const),
] as const

export type ResponseMember = (typeof responseMembers)[number]

/** The kind of rewriting that each is. */
export const kindOfRule: Readonly<Record<RequestRule['rule'], RewriteKind>> = {
  without: 'parameters',
  'one-sampling': 'parameters',
  'output-max': 'output_limit',
  room: 'output_limit',
  'no-developer': 'messages',
  instructions: 'messages',
  'user-last': 'messages',
  'json-word': 'parameters',
  streams: 'parameters',
  thinking: 'parameters',
  'few-marks': 'cache_marks',
  'cloud-marks': 'cache_marks',
  'no-marks': 'cache_marks',
  'without-members': 'messages',
  'inputs-max': 'parameters',
}

/** Whether two are the same rule. */
export function isSameRule(one: RequestRule, other: RequestRule): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
