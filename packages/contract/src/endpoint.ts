import type * as z from 'zod/mini'
import type { SeparateScope } from './separate-scopes.ts'

/**
 * Who may call: `public` anybody; `user` any signed-in account; `admin` role 10 and up; `root` role 100 and up.
 * Which accounts a caller may act on is decided in the server's `authorize.ts`.
 */
export type Access = 'public' | 'user' | 'admin' | 'root'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** One call of the management API. The server implements it, the console calls it, the tests iterate over all. */
export interface Endpoint<Input extends z.ZodMiniType = z.ZodMiniType, Data extends z.ZodMiniType = z.ZodMiniType> {
  readonly method: Method
  /**
   * As in the specification; served with and without its final slash. `:name` is a part of the input.
   * `?flag` at the end: this row serves requests that have a non-empty query parameter of that name.
   */
  readonly path: string
  readonly access: Access
  /** Path parameters, query and JSON body, merged into one object. */
  readonly input: Input
  /** Schema of `data` in the envelope. Columns that it does not list are never sent. */
  readonly data: Data
  /** Changes state although its method is GET, as the specification requires; guarded against cross-site navigation. */
  readonly sideEffect: boolean
  /** HTTP status if the body is not JSON; every other refusal is a 200 with `success: false`. */
  readonly badJsonStatus: number
  /** The members of `data` are also beside it in the envelope, for compatible consoles. */
  readonly besideData: boolean
  /** Open to visitors, with different behaviour for signed-in callers. */
  readonly knowsCaller: boolean
  /** Open to visitors only if an option allows it; otherwise they are refused with 401. */
  readonly mayRefuseVisitors: boolean
  /** Refuses access tokens of both kinds: only a session may call it, or a visitor if it is open to all. */
  readonly needsSession: boolean
  /** The scope that opens the call to a personal access token; `null` = that of its noun. */
  readonly scope: SeparateScope | null
  /** Without this scope, a personal access token gets rows whose `key` is empty; `null` = no key that existed before is in the response. */
  readonly keyScope: SeparateScope | null
  /** Members of the input, or values of its `action` or `key`, that a personal access token may send only with `user:credentials` too. */
  readonly credentialParts: readonly string[]
  /** A success is a file instead of an envelope, sent while it is made; the handler returns a `FileStream`. */
  readonly isFile: boolean
  /** A row of that file in JSON; `null` = it is no file. */
  readonly fileRow: z.ZodMiniType | null
  /** Members that a POST or PUT sends in its query instead of its body, as the specification writes them. */
  readonly inQuery: readonly string[]
}

interface EndpointSpec<Input extends z.ZodMiniType, Data extends z.ZodMiniType> {
  readonly method: Method
  readonly path: string
  readonly access: Access
  readonly input: Input
  readonly data: Data
  readonly sideEffect?: boolean
  readonly badJsonStatus?: number
  readonly besideData?: boolean
  readonly knowsCaller?: boolean
  readonly mayRefuseVisitors?: boolean
  readonly needsSession?: boolean
  readonly scope?: SeparateScope
  readonly keyScope?: SeparateScope
  readonly credentialParts?: readonly string[]
  readonly fileRow?: z.ZodMiniType
  readonly inQuery?: readonly string[]
}

/** What most calls have. */
const usual = {
  badJsonStatus: 200,
  besideData: false,
  mayRefuseVisitors: false,
  needsSession: false,
  scope: null,
  keyScope: null,
  credentialParts: [],
  fileRow: null,
  inQuery: [],
} as const

export function endpoint<Input extends z.ZodMiniType, Data extends z.ZodMiniType>(spec: EndpointSpec<Input, Data>): Endpoint<Input, Data> {
  const isFile = spec.fileRow !== undefined
  return { sideEffect: spec.method !== 'GET', knowsCaller: spec.access !== 'public', isFile, ...usual, ...spec }
}

/** Method and path without the final slash: the key of a call in tables outside the contract. */
export function callOf({ method, path }: Pick<Endpoint, 'method' | 'path'>): string {
  return `${method} ${path.replace(/\/(?=$|\?)/, '')}`
}

/** What a caller of the endpoint passes. */
export type InputOf<E extends Endpoint> = z.input<E['input']>
/** What a handler of the endpoint receives. */
export type ParsedInputOf<E extends Endpoint> = z.output<E['input']>
/** What the endpoint returns. */
export type DataOf<E extends Endpoint> = z.output<E['data']>
