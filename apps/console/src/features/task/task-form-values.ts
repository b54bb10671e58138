import {
  type CreatableTaskKind,
  type CreateAction,
  creatableTaskKinds,
  type TaskFields,
  type TaskRow,
  type VideoChange,
} from '@sluice/contract'
import type { Resolver } from 'react-hook-form'
import { t } from '../../lib/t.ts'
import { filledParameters, linesOf } from './parameter-text.ts'

/** The form of a new task, as typed. Fields are named as on the wire. */
export interface TaskFormValues {
  /** Id of a token; empty = none is chosen. */
  readonly token: string
  readonly kind: CreatableTaskKind
  readonly model: string
  readonly prompt: string
  readonly seconds: string
  readonly size: string
  /** Addresses of images, one a line. */
  readonly input_reference: string
  /** Of songs. With both, the prompt is the words that are sung. */
  readonly title: string
  readonly tags: string
  /** Texts of the fields of the model's own parameters. Those of another model stay, and are not sent. */
  readonly own: Readonly<Record<string, string>>
  /** JSON object text. */
  readonly parameters: string
}

export const newTaskValues: TaskFormValues = {
  token: '',
  kind: 'videos',
  model: '',
  prompt: '',
  seconds: '',
  size: '',
  input_reference: '',
  title: '',
  tags: '',
  own: {},
  parameters: '',
}

/** The order of a task, to be sent again. */
export function valuesOf({ kind, model, prompt, seconds, size, pictures: images, parameters }: TaskRow): TaskFormValues {
  const { [describing]: _described, title, tags, ...rest } = parameters
  return {
    ...newTaskValues,
    ...{ model, prompt, size },
    kind: creatableTaskKinds.find((name) => name === kind) ?? newTaskValues.kind,
    seconds: seconds === null ? '' : String(seconds),
    input_reference: images.join('\n'),
    title: typeof title === 'string' ? title : '',
    tags: typeof tags === 'string' ? tags : '',
    parameters: textOfParameters(rest),
  }
}

/** A video that is changed, and how. */
export interface Change {
  readonly action: VideoChange
  /** `public_id` of its task. */
  readonly id: string
}

/** The order of what changes the video of a task. */
export const changeValuesOf = ({ model }: TaskRow): TaskFormValues => ({ ...newTaskValues, model })

/** JSON object text; empty = there are none. */
export function textOfParameters(parameters: Parameters): string {
  return Object.keys(parameters).length === 0 ? '' : JSON.stringify(parameters, null, 2)
}

/** What describes a song whose words are not given. */
export const describing = 'gpt_description_prompt'

type Parameters = TaskRow['parameters']

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
export const taskResolver: Resolver<TaskFormValues> = (values) => {
  const wrong = {
    ...(values.token === '' && { token: t('task.add.token.required') }),
    ...(values.model.trim() === '' && values.kind !== 'songs' && { model: t('task.add.model.required') }),
    ...(values.prompt.trim() === '' && { prompt: t('task.add.prompt.required') }),
    ...(parametersOf(values.parameters) === null && { parameters: t('task.add.parameters.wrong', { example: '{"seed": 7}' }) }),
  }
  const errors = Object.fromEntries(Object.entries(wrong).map(([name, message]) => [name, { type: 'typed', message }]))
  return Object.keys(errors).length === 0 ? { values, errors: {} } : { values: {}, errors }
}

const paths: Readonly<Record<CreatableTaskKind, string>> = {
  videos: '/v1/videos',
  pictures: '/v1/tasks?kind=pictures',
  songs: '/suno/submit/music',
}

/** Where a video is changed that is sent along, or a video that exists. */
const changePaths: Readonly<Record<VideoChange, (id: string) => string>> = {
  remix: (id) => `/v1/videos/${id}/remix`,
  edit: () => '/v1/videos/edits',
  extend: () => '/v1/videos/extensions',
}

/** Words of songs have a call of their own. */
const wordsPath = '/suno/submit/lyrics'

export interface CreateCall {
  readonly path: string
  readonly body: FormData | object
}

/** What goes along as files, what the model takes (`null` = that is not known), and the video that is changed (`null` = none). */
export interface TaskFormParts {
  readonly files: readonly File[]
  readonly fields: TaskFields | null
  readonly change: Change | null
}

/** What a task request does. */
export function actionOf({ fields, change }: Pick<TaskFormParts, 'fields' | 'change'>): CreateAction {
  if (change !== null) return change.action
  if (fields?.makes_words === true) return 'lyrics'
  return fields?.needs_film === true ? 'edit' : 'create'
}

/** The call of the gateway that orders it; a file makes it a form. */
export function createCall(values: TaskFormValues, parts: TaskFormParts): CreateCall {
  const { files, change } = parts
  const body = createBody(values, parts)
  const path = pathOf(values.kind, actionOf(parts), change?.id ?? '')
  if (files.length === 0 || values.kind === 'songs' || change !== null) return { path, body }
  return { path, body: formOf(body, { name: actionOf(parts) === 'edit' ? 'video' : 'input_reference', files }) }
}

function pathOf(kind: CreatableTaskKind, action: CreateAction, id: string): string {
  if (action === 'create') return paths[kind]
  return action === 'lyrics' ? wordsPath : changePaths[action](id)
}

/** The order as JSON, without its files. */
export function createBody(values: TaskFormValues, { files, fields, change }: TaskFormParts): Parameters {
  const video: Parameters = change === null || change.action === 'remix' ? {} : { video: { id: change.id } }
  const filled = Object.entries(textsOf(values, fields)).filter(([, value]) => value.trim() !== '')
  const typed = Object.fromEntries(filled.map(([name, value]) => [name, isProse(name) ? value : value.trim()]))
  return {
    ...parametersOf(values.parameters),
    ...filledParameters(values.own, fields),
    ...typed,
    ...imagesOf(values, { files, fields }),
    ...video,
  }
}

/** The fields that a kind has, by their names on the wire, if the model has them. */
function textsOf(
  { kind, model, prompt, seconds, size, title, tags }: TaskFormValues,
  fields: TaskFields | null,
): Readonly<Record<string, string>> {
  if (fields?.makes_words === true) return { model, prompt }
  if (kind === 'songs') return title.trim() === '' && tags.trim() === '' ? { model, [describing]: prompt } : { model, prompt, title, tags }
  const shape = { seconds: kind === 'videos' && hasLength(fields) ? seconds : '', size: hasSize(fields) ? size : '' }
  return { model, prompt, ...shape }
}

/** Whether the length can be chosen; it may be if nothing is known of the model. */
export function hasLength(fields: TaskFields | null): boolean {
  return fields === null || fields.seconds.length > 0 || fields.seconds_range !== null
}

export function hasSize(fields: TaskFields | null): boolean {
  return fields === null || fields.sizes.length > 0
}

/** Most images that a task request may have. */
export function imagesMax(kind: CreatableTaskKind, fields: TaskFields | null): number {
  return kind === 'songs' ? 0 : (fields?.pictures.most ?? 1)
}

/** Files stand in place of addresses. */
function imagesOf({ kind, input_reference }: TaskFormValues, { files, fields }: Omit<TaskFormParts, 'change'>): Parameters {
  const addresses = files.length > 0 || imagesMax(kind, fields) === 0 ? [] : linesOf(input_reference)
  if (addresses.length === 0) return {}
  return { input_reference: addresses.length === 1 ? (addresses[0] ?? '') : [...addresses] }
}

/** Line breaks of a prompt are its own. */
const isProse = (name: string): boolean => name === 'prompt' || name === describing

function formOf(fields: Parameters, { name, files }: { readonly name: string; readonly files: readonly File[] }): FormData {
  const form = new FormData()
  for (const [field, value] of Object.entries(fields)) form.set(field, typeof value === 'string' ? value : JSON.stringify(value))
  for (const file of files) form.append(name, file)
  return form
}

/** The id in the gateway's response; songs have theirs in `data`. Empty = it has none. */
export function idOf({ id, data }: Readonly<Record<string, unknown>>): string {
  if (typeof id === 'string') return id
  return typeof data === 'string' ? data : ''
}
