import { argumentsIn } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/json.ts'

/** One item of an output, as far as it was received. */
export interface Item {
  readonly kind: ItemKind
  readonly id: string
  /** What the model wrote: text, reasoning, or the arguments of a call. */
  text: string
  /** Calls only. */
  readonly callId: string
  readonly name: string
  /** The group of the function that is called, if it has one. */
  readonly namespace?: string | undefined
  /** Calls and images only: what the vendor wants back with it. */
  extra?: JsonObject
  /** Images only: their media type. Their bytes are the text. */
  readonly mediaType?: string
  /** Reasoning only: the text by which the client sends back what the vendor wants of it. */
  encrypted?: string
  /** Text only: the pages that it cites, in the form of responses. */
  annotations?: JsonObject[]
}

export type ItemKind = 'text' | 'refusal' | 'reasoning' | 'call' | 'custom' | 'search' | 'image'

/** The item of an event. */
interface Place extends JsonObject {
  readonly item_id: string
  readonly output_index: number
}

type Event = readonly [type: string, fields: JsonObject]

interface Form {
  readonly idPrefix: string
  object(item: Item, isDone: boolean): JsonObject
  /** Events between the item's first event and its deltas. */
  begin(place: Place): readonly Event[]
  /** `null`: its text is not streamed. */
  delta(place: Place, delta: string): Event | null
  /** Events between its deltas and its end. */
  finish(place: Place, item: Item): readonly Event[]
}

interface MessagePart {
  readonly type: 'output_text' | 'refusal'
  readonly field: 'text' | 'refusal'
  /** Other fields of such a part, and of its events. */
  readonly beside: JsonObject
  readonly besideEvent: JsonObject
}

/** Text and refusals are messages with one part. */
function inMessage({ type, field, beside, besideEvent }: MessagePart): Form {
  const part = (text: string, annotations?: readonly JsonObject[]): JsonObject => ({
    type,
    [field]: text,
    ...beside,
    ...(annotations === undefined ? {} : { annotations }),
  })
  const at = ({ item_id, output_index }: Place): JsonObject => ({ item_id, output_index, content_index: 0 })
  return {
    idPrefix: 'msg_',
    object: ({ id, text, annotations }, isDone) => ({
      id,
      type: 'message',
      status: isDone ? 'completed' : 'in_progress',
      role: 'assistant',
      content: isDone ? [part(text, annotations)] : [],
    }),
    begin: (place) => [['response.content_part.added', { ...at(place), part: part('') }]],
    delta: (place, delta) => [`response.${type}.delta`, { ...at(place), delta, ...besideEvent }],
    finish: (place, { text, annotations }) => [
      [`response.${type}.done`, { ...at(place), [field]: text, ...besideEvent }],
      ['response.content_part.done', { ...at(place), part: part(text, annotations) }],
    ],
  }
}

const summary = (text: string): JsonObject => ({ type: 'summary_text', text })
const inSummary = (place: Place): JsonObject => ({ ...place, summary_index: 0 })

/** OpenAI API reference, "Responses" and its streaming events, read 2026-11-21. */
const forms: Readonly<Record<ItemKind, Form>> = {
  text: inMessage({ type: 'output_text', field: 'text', beside: { annotations: [], logprobs: [] }, besideEvent: { logprobs: [] } }),
  refusal: inMessage({ type: 'refusal', field: 'refusal', beside: {}, besideEvent: {} }),
  reasoning: {
    idPrefix: 'rs_',
    object: ({ id, text, encrypted }, isDone) => ({
      id,
      type: 'reasoning',
      summary: isDone ? [summary(text)] : [],
      ...(isDone && encrypted !== undefined ? { encrypted_content: encrypted } : {}),
    }),
    begin: (place) => [['response.reasoning_summary_part.added', { ...inSummary(place), part: summary('') }]],
    delta: (place, delta) => ['response.reasoning_summary_text.delta', { ...inSummary(place), delta }],
    finish: (place, { text }) => [
      ['response.reasoning_summary_text.done', { ...inSummary(place), text }],
      ['response.reasoning_summary_part.done', { ...inSummary(place), part: summary(text) }],
    ],
  },
  call: {
    idPrefix: 'fc_',
    object: ({ id, callId, name, namespace, text, extra }, isDone) => ({
      id,
      type: 'function_call',
      status: isDone ? 'completed' : 'in_progress',
      call_id: callId,
      name,
      ...(namespace === undefined ? {} : { namespace }),
      arguments: isDone ? text : '',
      ...(extra === undefined ? {} : { extra_content: extra }),
    }),
    begin: () => [],
    delta: (place, delta) => ['response.function_call_arguments.delta', { ...place, delta }],
    finish: (place, { name, text }) => [['response.function_call_arguments.done', { ...place, name, arguments: text }]],
  },
  custom: {
    idPrefix: 'ctc_',
    object: ({ id, callId, name, namespace, text }, isDone) => ({
      id,
      type: 'custom_tool_call',
      status: isDone ? 'completed' : 'in_progress',
      call_id: callId,
      name,
      ...(namespace === undefined ? {} : { namespace }),
      input: isDone ? text : '',
    }),
    begin: () => [],
    delta: (place, delta) => ['response.custom_tool_call_input.delta', { ...place, delta }],
    finish: (place, { text }) => [['response.custom_tool_call_input.done', { ...place, input: text }]],
  },
  search: {
    idPrefix: 'tsc_',
    object: ({ id, callId, text }, isDone) => ({
      ...{ id, type: 'tool_search_call', status: isDone ? 'completed' : 'in_progress' },
      ...{ execution: 'client', call_id: callId, arguments: argumentsIn(text) },
    }),
    begin: () => [],
    delta: () => null,
    finish: () => [],
  },
  image: {
    idPrefix: 'ig_',
    object: ({ id, text, mediaType, extra }, isDone) => ({
      ...{ id, type: 'image_generation_call', status: isDone ? 'completed' : 'in_progress', result: isDone ? text : null },
      ...(mediaType === undefined ? {} : { output_format: mediaType.split('/').at(-1) }),
      ...(extra === undefined ? {} : { extra_content: extra }),
    }),
    begin: () => [],
    delta: () => null,
    finish: () => [],
  },
}

export function itemId(kind: ItemKind, responseId: string, index: number): string {
  return `${forms[kind].idPrefix}${responseId.replace(/^resp_/, '')}_${index}`
}

export function itemObject(item: Item): JsonObject {
  return forms[item.kind].object(item, true)
}

const placeOf = ({ id }: Item, index: number): Place => ({ item_id: id, output_index: index })

export function openingEvents(item: Item, index: number): readonly Event[] {
  const form = forms[item.kind]
  return [['response.output_item.added', { output_index: index, item: form.object(item, false) }], ...form.begin(placeOf(item, index))]
}

export function deltaEvent(item: Item, index: number, delta: string): Event | null {
  return forms[item.kind].delta(placeOf(item, index), delta)
}

/** Each page that a text cites, as it becomes known. */
export function annotationEvents(item: Item, index: number, annotations: readonly JsonObject[]): readonly Event[] {
  const before = item.annotations?.length ?? 0
  return annotations.map((annotation, at) => [
    'response.output_text.annotation.added',
    { ...placeOf(item, index), content_index: 0, annotation_index: before + at, annotation },
  ])
}

export function closingEvents(item: Item, index: number): readonly Event[] {
  const form = forms[item.kind]
  return [...form.finish(placeOf(item, index), item), ['response.output_item.done', { output_index: index, item: form.object(item, true) }]]
}
