import { setImmediate } from 'node:timers/promises'
import type { IncomingRequest } from '@sluice/http1/incoming-request'
import { isObject } from '@sluice/vendors/core/is-object'
import type { Json, JsonObject } from '@sluice/vendors/core/json'
import { bodyUseOf } from '@sluice/vendors/protocols/bodies/body-use'
import { AppError } from '../../lib/app-error.ts'
import { type ReadBody, type ReadBodyDeps, readJson } from '../../lib/read-json.ts'
import type { Multipart } from '../model/form.ts'
import type { FormRules, KindRules, PathParts } from '../model/kind-rules.ts'
import type { RelayLimits } from '../model/limits.ts'
import type { RequestParams } from '../model/request-params.ts'
import { withUnreadText } from '../pricing/unread-text.ts'
import { isInList, listsIn } from './form-lists.ts'
import { needJson } from './json-type.ts'
import { type FormDeps, readMultipart } from './multipart.ts'

/** The kind of call, and its path parameters. */
export interface CallRoute {
  readonly rules: KindRules
  readonly path: PathParts
}

/** A parsed and checked request. */
export interface ReadRequest {
  readonly rules: KindRules
  readonly params: RequestParams
  /** The JSON body, or the fields of the form. */
  readonly body: JsonObject
  /** See `Call`. */
  readonly clientHeaders?: Readonly<Record<string, string>> | undefined
  /** What the client itself sent, without what earlier responses added; for kinds that can be continued. */
  readonly turn?: { readonly input: Json; readonly previous: string | null } | undefined
  /** `null`: the request is not a form. The caller closes it. */
  readonly form: Multipart | null
  /** Called when the body will not be sent any more. */
  readonly close: () => void
}

export interface ReadDeps extends FormDeps, ReadBodyDeps {
  readonly limits: RelayLimits
}

/** Reads and checks a request: at once, where its body is there. Nothing in it is decoded. @throws AppError */
export function readRequest(request: IncomingRequest, route: CallRoute, deps: ReadDeps): ReadRequest | Promise<ReadRequest> {
  if (takesForm(route.rules, request)) return readForm(request, route, deps)
  needJson(request)
  const reading = readJson(request, deps.limits, deps)
  return reading instanceof Promise ? readLater(request, route, reading) : readBody(request, route, reading)
}

async function readLater(request: IncomingRequest, route: CallRoute, reading: Promise<ReadBody>): Promise<ReadRequest> {
  const body = await reading
  const read = readBody(request, route, body)
  // It is translated in another step.
  if (body.isLarge) await setImmediate()
  return read
}

function readBody(request: IncomingRequest, { rules: routeRules, path }: CallRoute, { value, close }: ReadBody): ReadRequest {
  try {
    if (!isObject(value)) throw new AppError('invalid_parameter', { params: { name: 'body' } })
    const { rules, body } = routeRules.insteadFor?.(value) ?? { rules: routeRules, body: value }
    const asking = rules.requestIn?.(body) ?? body
    const params = { ...withUnreadText(rules.read(body, path), rules.kind, asking), use: bodyUseOf(rules.kind, asking) }
    const clientHeaders = rules.clientHeaders === undefined ? undefined : headersIn(request, rules.clientHeaders)
    return { rules, params, body, clientHeaders, form: null, close }
  } catch (error) {
    close()
    throw error
  }
}

/** Longest header that is passed on, and its characters: lists of names and dates. */
const headerForm = /^[\w.,: -]{1,2000}$/

/** The headers that are passed on. @throws AppError for one that cannot be */
export function headersIn({ headers }: IncomingRequest, names: readonly string[]): Readonly<Record<string, string>> {
  const forwarded: Record<string, string> = {}
  for (const name of names) {
    const value = headers.get(name)
    if (value === null || value === '') continue
    if (!headerForm.test(value)) throw new AppError('invalid_parameter', { params: { name } })
    forwarded[name] = value
  }
  return forwarded
}

function takesForm({ form }: KindRules, { headers }: IncomingRequest): boolean {
  if (form === undefined) return false
  return form.isOnly || /^multipart\//i.test(headers.get('content-type') ?? '')
}

async function readForm(request: IncomingRequest, { rules, path }: CallRoute, { limits, ...deps }: ReadDeps): Promise<ReadRequest> {
  const form = await readMultipart(request, { ...limits, bodyBytesMax: limits.formBytesMax }, deps)
  try {
    if (rules.form !== undefined) assertFiles(form, rules.form)
    const body = { ...fieldsOf(form), ...(await listsIn(form)) }
    return {
      rules,
      params: { ...rules.read(body, path), ...rules.form?.inspect(form), use: bodyUseOf(rules.kind, body) },
      body,
      form,
      close: () => undefined,
    }
  } catch (error) {
    await form.close()
    throw error
  }
}

/** @throws AppError for a file that the call does not have, and for a second one or a text where it takes one file */
function assertFiles({ parts }: Multipart, { files }: FormRules): void {
  const seen = new Set<RegExp>()
  for (const { name, fileName } of parts) {
    const field = files.find((file) => file.name.test(name))
    if (field === undefined && fileName === null) continue
    if (field === undefined || fileName === null || (seen.has(field.name) && field.mayRepeat !== true)) {
      throw new AppError('invalid_parameter', { params: { name } })
    }
    seen.add(field.name)
  }
}

/** Form fields that are numbers in JSON. */
const numbers: ReadonlySet<string> = new Set(['n', 'partial_images'])
const flags: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
])

/** The fields of a form as JSON, without lists. */
function fieldsOf({ fields }: Multipart): JsonObject {
  const single = [...fields].filter(([name]) => !isInList(name))
  return Object.fromEntries(single.map(([name, text]): [string, Json] => [name, typedField(name, text)]))
}

function typedField(name: string, text: string): Json {
  if (name === 'stream') return flags.get(text.toLowerCase()) ?? text
  return numbers.has(name) && /^-?\d{1,15}$/.test(text) ? Number(text) : text
}
