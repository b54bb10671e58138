import { afterAll, beforeAll, expect, test } from 'bun:test'
import { contract, en } from '@sluice/contract'
import { nobody, rootPassword, type TestApp, testApp } from './app.ts'

const console1 = 'https://console.example.com'

let app: TestApp
beforeAll(async () => {
  app = await testApp({ env: { CONSOLE_ORIGINS: `${console1}, http://localhost:4173` } })
})
afterAll(() => app.close())

/** What a browser sends with a call that a script of the origin makes. */
const from = (origin: string): Record<string, string> => ({
  origin,
  'sec-fetch-site': 'cross-site',
  'sec-fetch-mode': 'cors',
  'sec-fetch-dest': 'empty',
})

const login = (headers: Readonly<Record<string, string>>) =>
  app.request('/api/user/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ username: 'root', password: rootPassword }),
  })

/** Logs in from the console's origin. @returns the cookie as a browser sends it back */
async function cookieOfConsole(): Promise<string> {
  const [cookie = ''] = ((await login(from(console1))).headers.get('set-cookie') ?? '').split(';')
  return cookie
}

const cors = ({ headers }: Response) => ({
  origin: headers.get('access-control-allow-origin'),
  credentials: headers.get('access-control-allow-credentials'),
})
const allowed = (origin: string) => ({ origin, credentials: 'true' })
const notAllowed = { origin: null, credentials: null }

test('a preflight request gets what each console may send, and nothing for other origins', async () => {
  const ask = (origin: string, path = '/api/user/login') =>
    app.request(path, {
      method: 'OPTIONS',
      headers: { ...from(origin), 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' },
    })
  for (const origin of [console1, 'http://localhost:4173']) {
    const response = await ask(origin)
    expect([response.status, cors(response)]).toEqual([204, allowed(origin)])
    expect(response.headers.get('access-control-allow-methods')).toBe('GET, POST, PUT, DELETE')
    expect(response.headers.get('access-control-allow-headers')).toContain('content-type')
    expect(response.headers.get('vary')).toBe('origin')
  }
  for (const origin of [
    `${console1}.evil.example`,
    `${console1}:8443`,
    'http://console.example.com',
    'https://CONSOLE.example.com',
    'null',
  ]) {
    const response = await ask(origin)
    expect([origin, response.status, cors(response), response.headers.get('vary')]).toEqual([origin, 404, notAllowed, 'origin'])
  }
  // Programs with tokens in their pages may call `/v1` from everywhere, but never with a session.
  expect(cors(await ask(console1, '/v1/chat/completions'))).toEqual({ origin: '*', credentials: null })
})

test('a login from a console of another site gets a cookie that browsers send from there, others one for this site only', async () => {
  const crossSite = await login(from(console1))
  expect(await crossSite.json()).toMatchObject({ success: true })
  expect(crossSite.headers.get('set-cookie')).toMatch(
    /^__Host-console-session=[\w-]+; Path=\/; Max-Age=2592000; HttpOnly; SameSite=None; Secure; Partitioned$/,
  )
  const own = await login({})
  expect(own.headers.get('set-cookie')).toMatch(/^session=[\w-]+; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict$/)
  const elsewhere = await login(from('https://evil.example'))
  expect([elsewhere.status, await elsewhere.json(), cors(elsewhere), elsewhere.headers.get('set-cookie')]).toEqual([
    403,
    { success: false, message: en.cross_site_request },
    notAllowed,
    null,
  ])
})

test('a session of such a console reads, writes and receives files and refusals, all readable by its page', async () => {
  const headers = { ...from(console1), cookie: await cookieOfConsole() }
  const self = await app.request('/api/user/self', { headers })
  expect([await self.json(), cors(self)]).toMatchObject([{ success: true, data: { username: 'root' } }, allowed(console1)])
  const response = await app.request('/api/token/', {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'made elsewhere', remain_quota: 1 }),
  })
  expect(await response.json()).toMatchObject({ success: true })
  const refused = await app.request('/api/token/999999', { headers })
  expect([await refused.json(), cors(refused)]).toMatchObject([{ success: false }, allowed(console1)])
  const unknown = await app.request('/api/nothing', { headers })
  expect([unknown.status, cors(unknown)]).toEqual([404, allowed(console1)])
  const file = await app.request('/api/log/export', { headers })
  expect([file.status, cors(file), file.headers.get('access-control-expose-headers')]).toEqual([
    200,
    allowed(console1),
    'content-disposition, retry-after, x-request-id',
  ])
  await file.text()
})

test('the cookie of such a console counts with its own origin only, and the cookie of this site not there', async () => {
  const ofConsole = await cookieOfConsole()
  const plain = ofConsole.replace('__Host-console-', '')
  const isLoggedIn = async (headers: Readonly<Record<string, string>>): Promise<boolean> =>
    (await app.request('/api/user/self', { headers })).status === 200
  expect(await isLoggedIn({ ...from(console1), cookie: ofConsole })).toBe(true)
  // Browsers send a SameSite=None cookie with requests of every site.
  expect(await isLoggedIn({ ...from('https://evil.example'), cookie: ofConsole })).toBe(false)
  expect(await isLoggedIn({ cookie: ofConsole })).toBe(false)
  expect(await isLoggedIn({ cookie: ofConsole, 'sec-fetch-site': 'same-origin' })).toBe(false)
  expect(await isLoggedIn({ cookie: plain })).toBe(true)
  expect(await isLoggedIn({ ...from(console1), cookie: plain })).toBe(false)
  expect(await isLoggedIn({ ...from(console1), cookie: plain.replace('session', '__Host-session') })).toBe(false)
})

test('a logout there ends its session and removes its cookie', async () => {
  const cookie = await cookieOfConsole()
  const response = await app.request('/api/user/logout', { headers: { ...from(console1), cookie } })
  expect(response.headers.get('set-cookie')).toBe(
    '__Host-console-session=; Path=/; Max-Age=0; HttpOnly; SameSite=None; Secure; Partitioned',
  )
  expect((await app.request('/api/user/self', { headers: { ...from(console1), cookie } })).status).toBe(401)
})

test('a form of that origin, and an address with a side effect opened as a page, are refused', async () => {
  const cookie = await cookieOfConsole()
  const form = await app.request('/api/token/', {
    method: 'POST',
    headers: { ...from(console1), cookie, 'content-type': 'text/plain' },
    body: JSON.stringify({ name: 'by a form' }),
  })
  expect(form.status).toBe(403)
  const page = { ...from(console1), 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document', cookie }
  expect((await app.request('/api/user/logout', { headers: page })).status).toBe(403)
})

test('without such consoles no response says anything about origins', async () => {
  const alone = await testApp()
  try {
    const response = await alone.request('/api/status', { headers: from(console1) })
    expect([response.headers.get('vary'), cors(response)]).toEqual([null, notAllowed])
    expect((await alone.call(contract.account.self, {}, nobody)).success).toBe(false)
  } finally {
    await alone.close()
  }
})
