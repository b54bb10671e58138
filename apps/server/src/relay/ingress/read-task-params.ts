import { mp4Facts } from '@sluice/contract'
import type { IncomingRequest } from '@sluice/http1/incoming-request'
import { isObject } from '@sluice/vendors/core/is-object'
import type { Json, JsonObject } from '@sluice/vendors/core/json'
import type { UploadedFile } from '@sluice/vendors/core/request'
import type { InputImage, InputVideo, TaskAction, TaskKind, TaskParams } from '@sluice/vendors/core/task'
import { AppError } from '../../lib/app-error.ts'
import { dataAddressOf } from '../../lib/data-address.ts'
import { tryParseJson } from '../../lib/parse-json.ts'
import { isPublicAddress } from '../../lib/public-address.ts'
import { readJson } from '../../lib/read-json.ts'
import type { Multipart, Part } from '../model/form.ts'
import { isInList, listsIn } from './form-lists.ts'
import { needJson } from './json-type.ts'
import { modelIn } from './kinds/fields.ts'
import { readMultipart } from './multipart.ts'
import type { ReadDeps } from './read-request.ts'

/** The client's task parameters, before a channel is chosen: `model` is the client's name. */
export type ClientTaskParams = Omit<TaskParams, 'source'>

/** How an order is read. */
export interface TaskForm {
  readonly kind: TaskKind
  readonly action: TaskAction
  /** The model if the client names none; missing: it must name one. */
  readonly model?: string
  /** The order may be without a prompt. */
  readonly mayBeWordless?: boolean
  /** The file `video` of a form is a video that is changed or continued. */
  readonly mayHaveVideo?: boolean
}

/** Longest prompt in characters (OpenAI API reference, "Create video", read 2026-11-23). */
const promptMax = 32_000
const imageBytesMax = 20 * 1024 * 1024
const imagesMax = 8
/** Vendors take videos of up to 50 MB (BFL, "FLUX Video Edit", read 2026-11-25). */
const videoBytesMax = 50 * 1024 * 1024
const videoType = 'video/mp4'
const imageTypes: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif'])

/** Members with a meaning of their own; all others are the vendor's. */
const known: ReadonlySet<string> = new Set(['model', 'prompt', 'seconds', 'size', 'input_reference', 'user'])

/** Reads the order of a request, as JSON or as a form. @throws AppError */
export async function readTaskParams(request: IncomingRequest, form: TaskForm, deps: ReadTaskDeps): Promise<ClientTaskParams> {
  const read = await readBody(request, form, deps)
  try {
    return taskParamsOf(read, form)
  } finally {
    await read.close()
  }
}

/** The files of an order, before they are read. */
export interface TaskFiles {
  /** The model that the order names, or the usual one. */
  readonly model: string
  /** A video goes along, which that model is to change. */
  readonly hasVideo: boolean
}

export interface ReadTaskDeps extends ReadDeps {
  /** Called before the files of an order are read. @throws AppError if it cannot be taken, whatever they are */
  readonly admitFiles: (files: TaskFiles) => Promise<void>
}

interface TaskParamParts {
  readonly body: JsonObject
  readonly files: readonly UploadedFile[]
  readonly video: InputVideo | null
}

interface TaskBody extends TaskParamParts {
  readonly close: () => unknown
}

/** @throws AppError */
async function readBody(request: IncomingRequest, taskForm: TaskForm, deps: ReadTaskDeps): Promise<TaskBody> {
  const { limits } = deps
  if (/^multipart\//i.test(request.headers.get('content-type') ?? '')) {
    const form = await readMultipart(request, { ...limits, bodyBytesMax: limits.formBytesMax }, deps)
    try {
      needOnce(form)
      const fields = { ...fieldsOf(form), ...(await listsIn(form)) }
      const videoPart = taskForm.mayHaveVideo === true ? form.parts.find(isVideo) : undefined
      if (form.parts.some(({ fileName }) => fileName !== null))
        await deps.admitFiles({ model: modelOf(fields, taskForm), hasVideo: videoPart !== undefined })
      const files = await readFiles(form.parts.filter((part) => part !== videoPart))
      return {
        body: { ...fields, ...namedFiles(files) },
        files: files.filter(({ name }) => isFirstFrame(name)),
        video: videoPart === undefined ? null : await readVideo(videoPart),
        close: form.close,
      }
    } catch (error) {
      await form.close()
      throw error
    }
  }
  needJson(request)
  const { value: body, close } = await readJson(request, limits, deps)
  if (isObject(body)) return { body, files: [], video: null, close }
  close()
  throw invalid('body')
}

/**
 * Fields that hold JSON are read as such; numbers and flags of a vendor's own parameters too. OpenAI's clients write a member of an object
 * as `input_reference[image_url]`.
 */
function fieldsOf({ fields }: Multipart): JsonObject {
  const body = new Map<string, Json>()
  for (const [name, text] of fields) {
    if (isInList(name)) continue
    const [, object = '', member = ''] = /^(\w{1,64})\[(\w{1,64})\]$/.exec(name) ?? []
    const held = body.get(object)
    if (object === '') body.set(name, known.has(name) ? text : typedValue(text))
    else body.set(object, { ...(isObject(held) ? held : {}), [member]: text })
  }
  return Object.fromEntries(body)
}

/** A parameter that is given twice, or in two forms, is refused: one of its values would be lost. @throws AppError */
function needOnce({ parts }: Multipart): void {
  const names = new Set<string>()
  const forms = new Map<string, string>()
  for (const part of parts) {
    const { name, fileName } = part
    if (fileName !== null && isFirstFrame(name)) continue
    const { parameter, form } = placeOf(part)
    const isRepeated = names.has(name) && !form.startsWith('list')
    if (isRepeated || (forms.get(parameter) ?? form) !== form) throw invalid(parameter)
    names.add(name)
    forms.set(parameter, form)
  }
}

/** The parameter that a part belongs to, and in which form it is given: as a whole, or by entries or members. */
function placeOf({ name, fileName }: Part): { readonly parameter: string; readonly form: string } {
  const [, parameter = name, rest = ''] = /^([^[]+)(\[.*)?$/s.exec(name) ?? []
  if (rest.startsWith('[]')) return { parameter, form: fileName === null ? 'list of texts' : 'list of files' }
  return { parameter, form: rest === '' ? 'whole' : 'object' }
}

/** Names of files that a video begins with, or an image is made from. */
function isFirstFrame(name: string): boolean {
  return /^(?:input_reference|images?)(?:\[\])?$/.test(name)
}

/** Files of the other parameters, such as `last_frame`, as data addresses; `names[]` is a list of them. */
function namedFiles(files: readonly UploadedFile[]): JsonObject {
  const named = new Map<string, Json>()
  for (const file of files) {
    if (isFirstFrame(file.name)) continue
    const name = file.name.replace(/\[\]$/, '')
    const held = named.get(name)
    named.set(name, name === file.name ? dataAddressOf(file) : [...(Array.isArray(held) ? held : []), dataAddressOf(file)])
  }
  return Object.fromEntries(named)
}

function typedValue(text: string): Json {
  if (!/^(?:-?\d{1,15}(?:\.\d{1,6})?|true|false|null|[[{].*[\]}])$/s.test(text)) return text
  const value = tryParseJson(text)
  // Holds: whatever is parsed from JSON is JSON.
  return value === undefined ? text : (value as Json)
}

/** The images of a form. @throws AppError for a file that is none, empty, or too large */
export async function readFiles(parts: readonly Part[]): Promise<readonly UploadedFile[]> {
  const files: UploadedFile[] = []
  for (const { name, fileName, contentType, byteLength, read } of parts) {
    if (fileName === null) continue
    if (byteLength > imageBytesMax) throw new AppError('body_too_large', { params: { limit: imageBytesMax } })
    if (files.length === imagesMax || byteLength === 0) throw invalid(name)
    files.push({ name, fileName, contentType: imageType(name, contentType), bytes: await read(0, byteLength) })
  }
  return files
}

function isVideo({ name, fileName }: Part): boolean {
  return name === 'video' && fileName !== null
}

/** @throws AppError for a file that is no video, or too large */
async function readVideo({ name, fileName, byteLength, read }: Part): Promise<InputVideo> {
  if (byteLength > videoBytesMax) throw new AppError('body_too_large', { params: { limit: videoBytesMax } })
  const video = videoIn({ name, fileName: fileName ?? name, contentType: videoType, bytes: await read(0, byteLength) })
  if (video === null) throw invalid(name)
  return video
}

/** `null`: the file is no video. */
export function videoIn(file: UploadedFile): InputVideo | null {
  const facts = mp4Facts(file.bytes)
  return facts === null ? null : { file, ...facts }
}

/** @throws AppError for a file that is no image */
function imageType(name: string, contentType: string | null): string {
  const type = (contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
  if (!imageTypes.has(type)) throw invalid(name)
  return type
}

/** Reads the parts of an order. @throws AppError */
export function taskParamsOf({ body, files, video }: TaskParamParts, form: TaskForm): ClientTaskParams {
  const { kind, action, mayBeWordless = false } = form
  const extra = Object.fromEntries(
    Object.entries(body).filter(([name, value]) => !known.has(name) && value !== null && value !== undefined),
  )
  return {
    kind,
    action,
    model: modelOf(body, form),
    prompt: promptIn(body, mayBeWordless),
    seconds: secondsIn(body['seconds']),
    size: sizeIn(body['size']),
    images: [...files.map((file): InputImage => ({ file })), ...imagesIn(body['input_reference'], 'input_reference')],
    video: video,
    extra: withCheckedAddresses(extra),
  }
}

/** @throws AppError */
function modelOf(body: JsonObject, { model }: TaskForm): string {
  return modelIn(model === undefined || body['model'] !== undefined ? body : { model })
}

function promptIn({ prompt }: JsonObject, mayBeWordless: boolean): string {
  if (prompt === undefined && mayBeWordless) return ''
  if (typeof prompt !== 'string' || (prompt.trim() === '' && !mayBeWordless) || prompt.length > promptMax) throw invalid('prompt')
  return prompt
}

/** A number, or a text that is one, as OpenAI's clients send it. */
function secondsIn(value: Json | undefined): number | null {
  if (value === undefined || value === null || value === '') return null
  const seconds = typeof value === 'string' && /^\d{1,4}(?:\.\d{1,3})?$/.test(value) ? Number(value) : value
  if (typeof seconds !== 'number' || !(seconds > 0) || seconds > 3_600) throw invalid('seconds')
  return seconds
}

/** @throws AppError */
export function sizeIn(value: Json | undefined): ClientTaskParams['size'] {
  if (value === undefined || value === null || value === '' || value === 'auto') return null
  const [, width, height] = (typeof value === 'string' ? /^([1-9]\d{1,4})x([1-9]\d{1,4})$/.exec(value) : null) ?? []
  if (width === undefined || height === undefined) throw invalid('size')
  return { width: Number(width), height: Number(height) }
}

/** An address, an object with one, or a list of these. Ids of files belong to one account of a vendor, so there are none here. */
export function imagesIn(value: Json | undefined, name: string): readonly InputImage[] {
  if (value === undefined || value === null || value === '') return []
  const list = Array.isArray(value) ? value : [value]
  if (list.length > imagesMax) throw invalid(name)
  return list.map((entry) => {
    const url = isObject(entry) ? (entry['image_url'] ?? entry['url']) : entry
    const address = isObject(url) ? url['url'] : url
    if (typeof address !== 'string' || !isImageAddress(address)) throw invalid(name)
    return { url: address }
  })
}

const dataAddress = /^data:(image\/[\w.+-]+);base64,[A-Za-z0-9+/]+={0,2}$/

function isImageAddress(address: string): boolean {
  if (address.length * 0.75 > imageBytesMax) return false
  const [, type] = dataAddress.exec(address) ?? []
  return type === undefined ? isPublicAddress(address) : imageTypes.has(type.toLowerCase())
}

/** Addresses of local networks are refused wherever a vendor would read one. @throws AppError */
function withCheckedAddresses(extra: JsonObject): JsonObject {
  for (const [name, value] of Object.entries(extra)) if (value !== undefined && !isHarmless(value)) throw invalid(name)
  return extra
}

function isHarmless(value: Json | undefined): boolean {
  if (typeof value === 'string') return !/^\s*(?:https?|ftp|file):/i.test(value) || isPublicAddress(value.trim())
  if (Array.isArray(value)) return value.every(isHarmless)
  return isObject(value) ? Object.values(value).every(isHarmless) : true
}

function invalid(name: string): AppError {
  return new AppError('invalid_parameter', { params: { name } })
}
