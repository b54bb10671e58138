import { storage } from './storage.ts'

const methods = ['password', 'passkey', 'github', 'google', 'oidc', 'lark', 'wechat'] as const
/** A way to log in. */
export type LoginMethod = (typeof methods)[number]

/** The way of the last successful login in this browser. */
export function lastLoginMethod(): LoginMethod | null {
  const stored = storage.readJson('ui-login')
  return methods.find((method) => method === stored) ?? null
}

export function rememberLoginMethod(method: LoginMethod): void {
  storage.writeJson('ui-login', method)
}
