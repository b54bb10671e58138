import { type OrderKind, orderKinds, type TaskRow } from '@sluice/contract'
import type { Resolver } from 'react-hook-form'
import { t } from '../../lib/t.ts'

/** The form of a new task, as typed. Fields are named as on the wire. */
export interface OrderValues {
  /** Id of a token; empty = none is chosen. */
  readonly token: string
  readonly kind: OrderKind
  readonly model: string
  readonly prompt: string
  readonly seconds: string
  readonly size: string
  /** Address of a picture. */
  readonly input_reference: string
  /** Of songs. With both, the prompt is the words that are sung. */
  readonly title: string
  readonly tags: string
  /** JSON object text. */
  readonly parameters: string
}

export const newOrder: OrderValues = {
  token: '',
  kind: 'videos',
  model: '',
  prompt: '',
  seconds: '',
  size: '',
  input_reference: '',
  title: '',
  tags: '',
  parameters: '',
}

/** The order of a task, to be sent again. */
export function valuesOf({ kind, model, prompt, seconds, size, pictures, parameters }: TaskRow): OrderValues {
  const { [describing]: _described, title, tags, ...rest } = parameters
  return {
    ...newOrder,
    ...{ model, prompt, size },
    kind: orderKinds.find((name) => name === kind) ?? newOrder.kind,
    seconds: seconds === null ? '' : String(seconds),
    input_reference: pictures[0] ?? '',
    title: typeof title === 'string' ? title : '',
    tags: typeof tags === 'string' ? tags : '',
    parameters: Object.keys(rest).length === 0 ? '' : JSON.stringify(rest, null, 2),
  }
}

/** What describes a song whose words are not given. */
export const describing = 'gpt_description_prompt'

type Parameters = Readonly<Record<string, unknown>>

/** `null` = it is no JSON object. */
export function parametersOf(text: string): Parameters | null {
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    // Holds: an object that is no list can be read by string keys.
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Parameters) : null
  } catch {
    return null
  }
}

/** What the gateway would refuse for certain; the rest is its decision. */
export const orderResolver: Resolver<OrderValues> = (values) => {
  const wrong = {
    ...(values.token === '' && { token: t('task.add.token.required') }),
    ...(values.model.trim() === '' && values.kind !== 'songs' && { model: t('task.add.model.required') }),
    ...(values.prompt.trim() === '' && { prompt: t('task.add.prompt.required') }),
    ...(parametersOf(values.parameters) === null && { parameters: t('task.add.parameters.wrong', { example: '{"seed": 7}' }) }),
  }
  const errors = Object.fromEntries(Object.entries(wrong).map(([name, message]) => [name, { type: 'typed', message }]))
  return Object.keys(errors).length === 0 ? { values, errors: {} } : { values: {}, errors }
}

const paths: Readonly<Record<OrderKind, string>> = {
  videos: '/v1/videos',
  pictures: '/v1/tasks?kind=pictures',
  songs: '/suno/submit/music',
}

export interface OrderCall {
  readonly path: string
  readonly body: FormData | object
}

/** The call of the gateway that orders it; a file makes it a form. */
export function orderCall(values: OrderValues, file: File | null): OrderCall {
  const given = Object.entries(fieldsOf(values)).filter(([, value]) => value.trim() !== '')
  const typed = Object.fromEntries(given.map(([name, value]) => [name, isProse(name) ? value : value.trim()]))
  const fields = { ...parametersOf(values.parameters), ...typed }
  return { path: paths[values.kind], body: file === null || values.kind === 'songs' ? fields : formOf(fields, file) }
}

/** The fields that a kind has, by their names on the wire. */
function fieldsOf({ kind, model, prompt, seconds, size, input_reference, title, tags }: OrderValues): Readonly<Record<string, string>> {
  switch (kind) {
    case 'videos':
      return { model, prompt, seconds, size, input_reference }
    case 'pictures':
      return { model, prompt, size, input_reference }
    case 'songs':
      return title.trim() === '' && tags.trim() === '' ? { model, [describing]: prompt } : { model, prompt, title, tags }
  }
}

/** Line breaks of a prompt are its own. */
const isProse = (name: string): boolean => name === 'prompt' || name === describing

function formOf(fields: Readonly<Record<string, unknown>>, file: File): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields))
    if (name !== 'input_reference') form.set(name, typeof value === 'string' ? value : JSON.stringify(value))
  form.set('input_reference', file)
  return form
}

/** The id in the gateway's answer; songs have theirs in `data`. Empty = it names none. */
export function idOf({ id, data }: Readonly<Record<string, unknown>>): string {
  if (typeof id === 'string') return id
  return typeof data === 'string' ? data : ''
}
