import { isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { Outgoing } from '../../core/request.ts'
import { kindOfRule, type Parameter, type RequestRule } from '../../core/request-rule.ts'
import { Rewrites } from '../../core/rewrites.ts'
import { stopsIn } from '../shared/chat-parts.ts'
import { withCloudMarks, withFewMarks, withoutMarks } from './cache-marks.ts'
import { canCutAt } from './cut-at-stops.ts'
import { withInstructionsAt, withUserInstructions } from './instructions.ts'
import { withJsonWord } from './json-word.ts'
import { withinOutputMax } from './output-max.ts'
import { hasMember, withoutMembers } from './response-members.ts'
import { withThinkingForm } from './thinking-form.ts'

/** A request of which nothing has been sent yet. */
interface Draft {
  readonly outgoing: Outgoing
  /** It is in OpenAI's form. */
  readonly isOpenAIForm: boolean
}

/** The request as rules of its model and its server want it, unless the channel has switched their kind off. */
export function applyRules(draft: Draft, rules: readonly RequestRule[], rewrites: Rewrites): Outgoing {
  let { outgoing } = draft
  for (const rule of rules) {
    if (!rewrites.may(kindOfRule[rule.rule])) continue
    const next = applied(rule, { ...draft, outgoing })
    if (next !== outgoing) rewrites.note(kindOfRule[rule.rule], noteOf(rule, outgoing.body))
    outgoing = next
  }
  return outgoing
}

function applied(rule: RequestRule, draft: Draft): Outgoing {
  const { outgoing, isOpenAIForm } = draft
  if (rule.rule === 'without' && rule.parameter === 'stop') return withoutStop(draft)
  const body = changedBody(rule, outgoing.body, isOpenAIForm)
  if (body === outgoing.body) return outgoing
  const wantsOne = outgoing.body['parallel_tool_calls'] === false && body['parallel_tool_calls'] === undefined
  return { ...outgoing, body, ...(wantsOne ? { oneCall: true } : {}) }
}

function changedBody(rule: RequestRule, body: JsonObject, isOpenAIForm: boolean): JsonObject {
  switch (rule.rule) {
    case 'without':
      // Only of a chat the gateway gives one call of several.
      return !isOpenAIForm && body[rule.parameter] === false ? body : without(body, rule.parameter)
    case 'one-sampling':
      return body['temperature'] === undefined ? body : without(body, 'top_p')
    case 'output-max':
    case 'room':
      return withinOutputMax(body, rule.tokens)
    case 'no-developer':
      return withMessages(body, (messages) => (messages.some(isDeveloper) ? messages.map(asSystem) : messages))
    case 'instructions':
      return withMessages(body, (messages) => (isOpenAIForm ? withInstructionsAt(messages, rule.place) : withUserInstructions(messages)))
    case 'user-last':
      return endedByUser(body)
    case 'json-word':
      return withJsonWord(body)
    case 'streams':
      // A stream was requested from the beginning.
      return body
    case 'thinking':
      return withThinkingForm(body, rule.form)
    case 'few-marks':
      return withFewMarks(body, new Rewrites())
    case 'cloud-marks':
      return withCloudMarks(body, new Rewrites())
    case 'no-marks':
      return withoutMarks(body)
    case 'without-members':
      return withMessages(body, (messages) => withoutMembers(messages, rule.members))
    case 'inputs-max':
      return body
  }
}

/** What is noted: names and numbers of the request. */
function noteOf(rule: RequestRule, before: JsonObject): string {
  switch (rule.rule) {
    case 'without':
      return rule.parameter === 'stop' ? 'stop -> cut here' : rule.parameter
    case 'output-max':
    case 'room':
      return `output limit -> ${rule.tokens}`
    case 'thinking':
      return `thinking -> ${rule.form}`
    case 'instructions':
      return `instructions -> ${rule.place}`
    case 'without-members':
      return rule.members.filter((name) => hasMember(before['messages'], [name])).join(', ')
    case 'one-sampling':
      return `top_p ${JSON.stringify(before['top_p'])}`
    default:
      return rule.rule
  }
}

function withMessages(body: JsonObject, change: (messages: readonly Json[]) => readonly Json[]): JsonObject {
  const { messages } = body
  if (!Array.isArray(messages)) return body
  const changed = change(messages)
  return changed === messages ? body : { ...body, messages: changed }
}

const isDeveloper = (message: Json): boolean => isObject(message) && message['role'] === 'developer'
const asSystem = (message: Json): Json => (isObject(message) && isDeveloper(message) ? { ...message, role: 'system' } : message)

const otherLimits: { readonly [P in Parameter]?: Parameter } = {
  max_tokens: 'max_completion_tokens',
  max_completion_tokens: 'max_tokens',
}

function without(body: JsonObject, parameter: Parameter): JsonObject {
  const { [parameter]: value, ...rest } = body
  if (value === undefined) return body
  const other = otherLimits[parameter]
  return other === undefined || other in rest ? rest : { ...rest, [other]: value }
}

/** The client's stop sequences, which the gateway looks for in the response. Of several choices it would have to end each by itself. */
function withoutStop({ outgoing, isOpenAIForm }: Draft): Outgoing {
  const { stop, ...body } = outgoing.body
  if (stop === undefined || !isOpenAIForm) return outgoing
  const words = stopsIn(stop)
  const { n } = body
  if ((words.length > 0 && typeof n === 'number' && n > 1) || !canCutAt(words)) return { ...outgoing, refused: outgoing.refused ?? 'stop' }
  return { ...outgoing, body, ...(words.length === 0 ? {} : { cutAt: words }) }
}

const continuing = 'Continue.'

/** The request with a turn of the user at its end, in any of the forms. */
function endedByUser(body: JsonObject): JsonObject {
  const { messages, contents } = body
  if (Array.isArray(messages) && roleOfLast(messages) === 'assistant')
    return { ...body, messages: [...messages, { role: 'user', content: asContent(messages) }] }
  if (Array.isArray(contents) && roleOfLast(contents) === 'model')
    return { ...body, contents: [...contents, { role: 'user', parts: [{ text: continuing }] }] }
  return body
}

function roleOfLast(turns: readonly Json[]): Json | undefined {
  const last = turns.at(-1)
  return isObject(last) ? last['role'] : undefined
}

/** Blocks, where the model's own content has blocks: Converse takes nothing else. */
function asContent(messages: readonly Json[]): Json {
  const last = messages.at(-1)
  const content = isObject(last) ? last['content'] : undefined
  const isConverse = Array.isArray(content) && content.every((block) => isObject(block) && block['type'] === undefined)
  return isConverse ? [{ text: continuing }] : continuing
}
