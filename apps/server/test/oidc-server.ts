import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider, { type Configuration } from 'oidc-provider'

export interface OidcServer {
  readonly issuer: string
  /** Does what a person does on the provider's pages: logs in, agrees, and is sent back. @returns the address that the browser opens */
  agree(authorize: string, login: string): Promise<URL>
  close(): Promise<void>
}

/** A client as the provider knows it. */
interface Client {
  readonly id: string
  readonly secret: string
  readonly redirect: string
  readonly method?: 'client_secret_post' | 'client_secret_basic'
  /** What the provider says about a person, beside the name. `hd` is in the identity token. */
  readonly claimsOf?: (login: string) => Readonly<Record<string, unknown>>
  readonly hasGroupsScope?: boolean
}

function signatureKey() {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return { ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'test-key' }
}

/** A certified OpenID provider on loopback, with its own pages for login and consent. */
export async function startOidcServer({
  id,
  secret,
  redirect,
  method = 'client_secret_basic',
  claimsOf = () => ({}),
  hasGroupsScope = false,
}: Client): Promise<OidcServer> {
  let handle: ReturnType<Provider['callback']> | undefined
  const server = createServer((request, response) => handle?.(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // Holds: it listens on a port.
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const configuration: Configuration = {
    clients: [{ client_id: id, client_secret: secret, redirect_uris: [redirect], token_endpoint_auth_method: method }],
    clientAuthMethods: [method],
    jwks: { keys: [signatureKey()] },
    cookies: { keys: ['a key for cookies of the test'] },
    claims: {
      ...{ openid: ['sub', 'hd', 'roles'], profile: ['name'], email: ['email', 'email_verified'] },
      ...(hasGroupsScope && { groups: ['groups'] }),
    },
    // Without it, as at Google, what the scope allows is in the identity token, too.
    conformIdTokenClaims: hasGroupsScope,
    pkce: { required: () => true },
    findAccount: async (_context, sub) => ({
      accountId: sub,
      claims: async () => ({ sub, name: `${sub} at the provider`, ...claimsOf(sub) }),
    }),
  }
  const provider = new Provider(issuer, configuration)
  handle = provider.callback()
  return {
    issuer,
    agree: (authorize, login) => walkPages(authorize, login),
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      await closed
    },
  }
}

/** Pages and redirects of one login, in the end the redirect address of the client. */
const stepsMax = 12

async function walkPages(authorize: string, login: string): Promise<URL> {
  const cookies = new Map<string, string>()
  const { origin } = new URL(authorize)
  let page: Page = { address: new URL(authorize), form: null }
  for (let step = 0; step < stepsMax; step++) {
    if (page.address.origin !== origin) return page.address
    page = await nextPage(page, { cookies, login })
  }
  throw new Error('the provider sent the browser around')
}

interface Page {
  readonly address: URL
  /** What is posted to it; `null` = it is opened. */
  readonly form: URLSearchParams | null
}

interface Person {
  readonly cookies: Map<string, string>
  readonly login: string
}

/** Opens a page or sends its form. */
async function nextPage({ address, form }: Page, { cookies, login }: Person): Promise<Page> {
  const response = await fetch(address, {
    redirect: 'manual',
    headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    ...(form === null ? {} : { method: 'POST', body: form }),
  })
  for (const line of response.headers.getSetCookie()) {
    const [name = '', ...value] = line.split(';')[0]?.split('=') ?? []
    cookies.set(name, value.join('='))
  }
  const to = response.headers.get('location')
  if (to !== null) return { address: new URL(to, address), form: null }
  const text = await response.text()
  const [prompt, action] = [/name="prompt" value="(\w+)"/, /action="([^"]+)"/].map((form) => form.exec(text)?.[1])
  if (prompt === undefined || action === undefined) throw new Error(`the provider answered ${response.status}: ${text.slice(0, 500)}`)
  return { address: new URL(action, address), form: new URLSearchParams({ prompt, login, password: 'any' }) }
}
