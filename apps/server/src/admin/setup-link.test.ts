import { expect, test } from 'bun:test'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createServerPlace } from '../../test/server-place.ts'
import { runServer, type ServerProcess, startServer, until } from '../../test/server-process.ts'
import { openForChanges } from '../db/open-beside.ts'

/** An installation whose root gets no password from the environment. */
async function placeWithoutPassword(name: string) {
  const at = await createServerPlace(name)
  const { INITIAL_ROOT_PASSWORD: _, INITIAL_ROOT_ACCESS_TOKEN: __, ...variables } = at.variables
  const admin = (...words: readonly string[]) => runServer(['admin', ...words], variables)
  return { ...at, variables, admin, file: join(variables['DATA_DIR'] ?? '', 'setup-link') }
}

const linksIn = (text: string): readonly string[] => [...text.matchAll(/\/setup#([\w-]{43})\n/g)].map(([, secret = '']) => secret)

async function printedLink(server: ServerProcess): Promise<string> {
  await until(() => linksIn(server.printed()).length > 0)
  return linksIn(server.printed())[0] ?? ''
}

/** Calls with the cookie of a login. */
async function post(server: ServerProcess, path: string, body: object, { method = 'POST', cookie = '' } = {}) {
  const init = { method, headers: { 'content-type': 'application/json', cookie }, body: JSON.stringify(body) }
  const response = await fetch(server.url + path, init)
  const { success, message } = JSON.parse(await response.text())
  return { success, message, cookie: response.headers.get('set-cookie')?.split(';')[0] ?? '' }
}

const open = (server: ServerProcess, secret: string) => post(server, '/api/user/setup', { secret })

async function stop(server: ServerProcess): Promise<void> {
  server.signal('SIGTERM')
  expect(await server.exited).toBe(0)
}

test('a link is printed at each start until it is used, replaced by the command, and ends with the first password', async () => {
  const { variables, admin, file, remove } = await placeWithoutPassword('setup')
  const first = await startServer(variables)
  const link = await printedLink(first)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(linksIn(readFileSync(file, 'utf8'))).toEqual([link])
  await stop(first)

  const second = await startServer(variables)
  expect(await printedLink(second)).toBe(link)
  const replaced = await admin('setup-link')
  const [running = ''] = linksIn(replaced.text)
  expect(replaced.code).toBe(0)
  expect(await open(second, link)).toMatchObject({ success: false, message: expect.stringContaining('admin setup-link') })
  expect(await open(second, running)).toMatchObject({ success: true })
  await stop(second)

  const [stopped = ''] = linksIn((await admin('setup-link')).text)
  expect(linksIn(readFileSync(file, 'utf8'))).toEqual([stopped])
  const third = await startServer(variables)
  expect(await printedLink(third)).toBe(stopped)
  expect((await open(third, running)).success).toBe(false)
  const { cookie } = await open(third, stopped)
  const set = { username: 'root', display_name: 'Root', password: 'a password of root' }
  expect(await post(third, '/api/user/self', set, { method: 'PUT', cookie })).toMatchObject({ success: true })
  expect(existsSync(file)).toBe(false)
  expect((await open(third, stopped)).success).toBe(false)
  expect(await admin('setup-link')).toMatchObject({ code: 1, text: expect.stringContaining('reset-password root') })
  await stop(third)

  const fourth = await startServer(variables)
  await stop(fourth)
  expect(linksIn(fourth.printed())).toEqual([])
  await remove()
})

test('a password from the command ends the link, and its file is deleted', async () => {
  const { variables, admin, file, remove } = await placeWithoutPassword('setup-reset')
  const server = await startServer(variables)
  const link = await printedLink(server)
  expect((await admin('reset-password', 'root')).code).toBe(0)
  expect(existsSync(file)).toBe(false)
  expect((await open(server, link)).success).toBe(false)
  await stop(server)
  await remove()
})

test('a folder without the file of the link says how to print a new one', async () => {
  const { variables, remove } = await placeWithoutPassword('setup-lost')
  await stop(await startServer(variables))
  const { rmSync } = await import('node:fs')
  rmSync(join(variables['DATA_DIR'] ?? '', 'setup-link'))
  const server = await startServer(variables)
  await until(() => server.printed().includes('npm run admin -- setup-link'))
  expect(linksIn(server.printed())).toEqual([])
  await stop(server)
  await remove()
})

test('variables for the first start that come later are reported, and the same ones as before are not', async () => {
  const { place, variables, remove } = await createServerPlace('setup-late')
  await stop(await startServer(variables))
  const same = await startServer(variables)
  await stop(same)
  expect(same.printed()).not.toContain('has no effect')
  const late = { INITIAL_ROOT_PASSWORD: 'another password', INITIAL_ROOT_ACCESS_TOKEN: 'y'.repeat(40) }
  const other = await startServer({ ...variables, ...late })
  await until(() => /INITIAL_ROOT_PASSWORD has no effect.*npm run admin -- reset-password root/.test(other.printed()))
  await until(() => /INITIAL_ROOT_ACCESS_TOKEN has no effect.*GET \/api\/user\/token/.test(other.printed()))
  await stop(other)

  const { db, close } = await openForChanges(place)
  await db.updateTable('users').set({ username: 'boss', default_password: 1 }).where('id', '=', 1).execute()
  await close()
  const old = await startServer(variables)
  await until(() => /default password 123456, which is no longer accepted.*npm run admin -- reset-password boss/.test(old.printed()))
  await stop(old)
  await remove()
})
