import type { Endpoint, InputOf } from '@sluice/contract'
import type { Session, TestApp } from './app.ts'
import { sendRaw } from './endpoints.ts'

/** The parts of a response that tests check. */
interface ApiResponse {
  readonly status: number
  readonly success: boolean
  readonly message: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into responses of any shape.
  readonly data: any
  readonly second_step?: string
  readonly authorize?: string
}

export interface CookieBrowser {
  readonly cookies: Map<string, string>
  call<E extends Endpoint>(endpoint: E, input: InputOf<E>, headers?: Readonly<Record<string, string>>): Promise<ApiResponse>
  /** The credentials of its session. */
  session(): Session
}

/** A client that keeps cookies as a browser does, at an address of its own. */
export function cookieBrowser(app: TestApp, { origin = app.url, address = '' } = {}): CookieBrowser {
  const cookies = new Map<string, string>()
  return {
    cookies,
    async call(endpoint, input, headers = {}) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const forwarded = address === '' ? {} : { 'x-forwarded-for': address }
      const response = await sendRaw(app, endpoint, {
        input: input as Readonly<Record<string, unknown>>,
        headers: { cookie, origin, 'sec-fetch-site': 'same-origin', ...forwarded, ...headers },
      })
      for (const line of response.headers.getSetCookie()) {
        const [name = '', value = ''] = line.split(';')[0]?.split('=') ?? []
        if (value === '') cookies.delete(name)
        else cookies.set(name, value)
      }
      // Holds: every response of the management API is an envelope.
      return { status: response.status, ...((await response.json()) as Omit<ApiResponse, 'status'>) }
    },
    session: () => ({ headers: { cookie: `session=${cookies.get('session') ?? ''}` } }),
  }
}

/** A browser that has logged in by password. */
export async function loggedIn(app: TestApp, user: { readonly username: string; readonly password: string }): Promise<CookieBrowser> {
  const { contract } = await import('@sluice/contract')
  const browser = cookieBrowser(app)
  const { success, message } = await browser.call(contract.account.login, user)
  if (!success) throw new Error(message)
  return browser
}
