import { base64 } from '../../core/crypto-functions.ts'
import type { Failure } from '../../core/failure.ts'
import { messageMax } from '../../core/failure-parts.ts'
import { isObject, lookUp, parseJson, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { Rewrites } from '../../core/rewrites.ts'
import type { InputImage, TaskParams, TaskReport, TaskRequest, TaskResponse, TaskStep } from '../../core/task.ts'
import { omitUndefined } from '../shared/chat-parts.ts'
import { readFailure } from '../shared/openai-failure.ts'
import { writtenBody } from '../shared/request-text.ts'

// Parts that the dialects of tasks share.

const jsonType = { 'content-type': 'application/json' } as const

export function post(url: string, body: JsonObject, headers: Readonly<Record<string, string>> = {}): { readonly request: TaskRequest } {
  return { request: { method: 'POST', url, headers: { ...jsonType, ...headers }, body: writtenBody(body, new Rewrites()) } }
}

export function get(url: string, headers: Readonly<Record<string, string>> = {}): { readonly request: TaskRequest } {
  return { request: { method: 'GET', url, headers } }
}

export function isOk({ status }: TaskResponse): boolean {
  return status >= 200 && status < 300
}

/** The failure that a response reports, in the forms that most vendors use. */
export function failureOf({ status, text }: TaskResponse): Failure {
  return readFailure(status, text)
}

/** A response that is not one of the vendor's protocol. Its text may be a model's output, so the message only says what it is. */
export function unreadable({ status, text }: TaskResponse): { readonly failed: Failure } {
  const json = parseJson(text)
  const names = isObject(json)
    ? Object.keys(json)
        .slice(0, namesMax)
        .filter((name) => name.length <= nameMax && plainName.test(name))
    : []
  const what = names.length === 0 ? 'it is no JSON object' : `it has ${names.join(', ')}`
  const message = `the upstream service sent an unexpected response with status ${status}: ${what}`
  return { failed: { kind: 'unavailable', message, type: null, param: null, code: null } }
}

/** A text of a vendor about a task, as far as it is searched for what it means. */
export function wordsIn(value: Json | undefined): string {
  return textOr(value, '').slice(0, messageMax)
}

/** Members of an unexpected response that are named. */
const namesMax = 8
const nameMax = 32
const plainName = /^[\w-]+$/

/** Longest code of a vendor's error, in characters. */
const codeMax = 200

/** A task that failed, with the vendor's words. */
export function failedWith(code: string, message: string): { readonly done: TaskReport } {
  return {
    done: {
      state: 'failed',
      error: {
        code: code.slice(0, codeMax),
        message: message === '' ? 'the upstream service gave no reason' : message.slice(0, messageMax),
      },
    },
  }
}

interface StatusForm {
  /** The vendor's words for states; any other one is a task that is worked on. */
  readonly states: Readonly<Record<string, TaskReport['state']>>
  /** The failure of a response that is none about the task. */
  readonly refused: (response: TaskResponse) => Failure
  readonly failed: (task: JsonObject) => { readonly done: TaskReport }
  readonly completed: (task: JsonObject) => { readonly done: TaskReport }
}

/** What a response with a task and its `status` reports; 404: the vendor does not know the task. */
export function reportByStatus(response: TaskResponse, { states, refused, failed, completed }: StatusForm): TaskStep<TaskReport | null> {
  if (response.status === 404) return { done: null }
  if (!isOk(response)) return { failed: refused(response) }
  const { json } = response
  if (!isObject(json) || textOr(json['status'], '') === '') return unreadable(response)
  const state = lookUp(states, textOr(json['status'], '')) ?? 'in_progress'
  if (state === 'failed') return failed(json)
  return state === 'completed' ? completed(json) : { done: { state } }
}

/** An image as an address: of the web as it came, or a data address. */
export function addressOf(image: InputImage): string {
  if ('url' in image) return image.url
  const { contentType, bytes } = image.file
  return `data:${contentType};base64,${base64(bytes)}`
}

const dataAddress = /^data:([\w.+-]+\/[\w.+-]+);base64,(.+)$/s

/** The content of an image in base64, and its type; `null`: it is an address of the web, which only the vendor could read. */
export function contentOf(image: InputImage): { readonly contentType: string; readonly data: string } | null {
  if ('file' in image) return { contentType: image.file.contentType, data: base64(image.file.bytes) }
  const [, contentType = '', data = ''] = dataAddress.exec(image.url) ?? []
  return data === '' ? null : { contentType, data }
}

/** A parameter that is `null` is not given. */
export function withoutNull(params: TaskParams): TaskParams {
  return { ...params, extra: omitUndefined(params.extra) }
}

/** `720p` for an image of 1280 by 720: the shorter side. */
export function resolutionOf({ width, height }: { readonly width: number; readonly height: number }): string {
  return `${Math.min(width, height)}p`
}

/** The ratio, of a list such as `16:9`, that is nearest to a size. */
export function nearestRatio(size: { readonly width: number; readonly height: number }, ratios: readonly string[]): string {
  const target = Math.log(size.width / size.height)
  const distance = (ratio: string): number => {
    const [width = 1, height = 1] = ratio.split(':').map(Number)
    return Math.abs(Math.log(width / height) - target)
  }
  return ratios.reduce((best, ratio) => (distance(ratio) < distance(best) ? ratio : best))
}

/** The path segment of an id that a vendor gave. */
export const segment = encodeURIComponent

/** A step's result, or its first request as long as that has no response. */
export function firstStep<Done>(
  responses: readonly TaskResponse[],
  request: () => TaskStep<Done>,
  read: (response: TaskResponse) => TaskStep<Done>,
): TaskStep<Done> {
  const [response] = responses
  return response === undefined ? request() : read(response)
}
