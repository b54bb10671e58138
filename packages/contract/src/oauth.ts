import * as z from 'zod/mini'
import { loginUser } from './account.ts'
import { endpoint } from './endpoint.ts'
import { emailAddress, nothing, says, textOf } from './parts.ts'

/** What an account can be unlinked from: the ways to log in or to recover a password besides the password itself. */
export const bindings = ['email', 'github', 'google', 'oidc', 'lark', 'wechat'] as const
export type Binding = (typeof bindings)[number]

/** The column of an account that holds each. */
export const bindingColumns = {
  email: 'email',
  github: 'github_id',
  google: 'google_id',
  oidc: 'oidc_id',
  lark: 'lark_id',
  wechat: 'wechat_id',
} as const satisfies Record<Binding, string>

export const bindingName = z.enum(bindings, says('invalid_parameter'))

/** Codes and states that other services issue: any text of a limited length. */
const short = textOf(2_048, 'invalid_input')

/** `turnstile` is required after a few failed tries if the bot check is on. */
const wechatCode = z.object({ code: short, turnstile: short })

const callback = z.object({ code: short, state: short })

/** Providers of OpenID Connect: the server makes the address of their page. */
export const oidcServices = ['google', 'oidc'] as const
export type OidcService = (typeof oidcServices)[number]

/** `iss` names the issuer, where the provider sends it (RFC 9207). */
const oidcCallback = z.extend(callback, { iss: short })

/** The account after a login; `null` with the message `bind` after a binding. */
const callbackData = z.nullable(loginUser)

/** Login and binding by other services. */
export const oauth = {
  /**
   * A state for one authorization, bound to this browser, and to the account if one is signed in.
   * With `pkce=S256` the response also has a `code_challenge`, for the authorization address. For a service of OpenID Connect it has the
   * whole address, as `authorize`.
   */
  state: endpoint({
    method: 'GET',
    path: '/api/oauth/state',
    access: 'public',
    input: z.object({ pkce: short, service: z._default(z.enum(['', ...oidcServices], says('invalid_parameter')), '') }),
    data: z.string(),
    sideEffect: true,
    knowsCaller: true,
    needsSession: true,
  }),
  github: endpoint({
    method: 'GET',
    path: '/api/oauth/github',
    access: 'public',
    input: callback,
    data: callbackData,
    sideEffect: true,
    knowsCaller: true,
    needsSession: true,
  }),
  google: endpoint({
    method: 'GET',
    path: '/api/oauth/google',
    access: 'public',
    input: oidcCallback,
    data: callbackData,
    sideEffect: true,
    knowsCaller: true,
    needsSession: true,
  }),
  oidc: endpoint({
    method: 'GET',
    path: '/api/oauth/oidc',
    access: 'public',
    input: oidcCallback,
    data: callbackData,
    sideEffect: true,
    knowsCaller: true,
    needsSession: true,
  }),
  lark: endpoint({
    method: 'GET',
    path: '/api/oauth/lark',
    access: 'public',
    input: callback,
    data: callbackData,
    sideEffect: true,
    knowsCaller: true,
    needsSession: true,
  }),
  wechat: endpoint({
    method: 'GET',
    path: '/api/oauth/wechat',
    access: 'public',
    input: wechatCode,
    data: loginUser,
    sideEffect: true,
  }),
  bindWechat: endpoint({
    method: 'GET',
    path: '/api/oauth/wechat/bind',
    access: 'user',
    input: wechatCode,
    data: nothing,
    sideEffect: true,
    needsSession: true,
  }),
  bindEmail: endpoint({
    method: 'GET',
    path: '/api/oauth/email/bind',
    access: 'user',
    input: z.object({ email: emailAddress, code: short }),
    data: nothing,
    sideEffect: true,
    needsSession: true,
  }),
  /** Removes a binding of the own account. Needs a login of the last ten minutes; the last way to log in is refused. */
  unbind: endpoint({
    method: 'POST',
    path: '/api/oauth/unbind',
    access: 'user',
    input: z.object({ way: bindingName }),
    data: nothing,
    needsSession: true,
  }),
}
