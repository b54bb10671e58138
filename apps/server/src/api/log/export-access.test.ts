import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { contract } from '@sluice/contract'
import { type Session, type TestApp, type TestUser, testApp } from '../../../test/app.ts'
import { plainLog } from '../../ledger/log-entry.ts'

// A client that takes no bytes holds an export open as long as it likes. It must not read on after its right to the log has ended.

let app: TestApp
/** More than all buffers between server and client can hold. */
const rowCount = 4_000
const contentLength = 10_000
beforeAll(async () => {
  app = await testApp()
  const content = 'x'.repeat(contentLength)
  const row = plainLog({ userId: app.root.id, username: 'root', createdAt: 1_760_000_000, type: 2, content, modelName: 'gpt-4o' })
  for (let index = 0; index < rowCount; index += 500) await Promise.all(Array.from({ length: 500 }, () => app.app.ledger.writeLog(row)))
})
afterAll(() => app.close())

/** An export whose client has read the head of the response and a little more. */
async function opened({ headers }: Session): Promise<Socket> {
  const { hostname, port, host } = new URL(app.url)
  const socket = connect(Number(port), hostname)
  const fields = Object.entries({ ...headers, host }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`GET ${contract.log.export.path}?columns=detail HTTP/1.1\r\n${fields.join('')}\r\n`)
  await new Promise<void>((resolve) => socket.once('data', () => resolve(void socket.pause())))
  return socket
}

/** Reads what is left. @returns whether the response has its end, and how many bytes came */
async function readOn(socket: Socket): Promise<{ readonly isWhole: boolean; readonly bytes: number }> {
  let bytes = 0
  let tail = ''
  return await new Promise((resolve) => {
    const done = (): void => {
      socket.destroy()
      resolve({ isWhole: tail.endsWith('0\r\n\r\n'), bytes })
    }
    socket.on('data', (data: Buffer) => {
      bytes += data.length
      tail = (tail + data.subarray(-8).toString('latin1')).slice(-8)
      if (tail.endsWith('\r\n0\r\n\r\n')) done()
    })
    socket.on('error', done)
    socket.on('close', done)
    socket.resume()
  })
}

const losses: Readonly<Record<string, (admin: TestUser) => Promise<unknown>>> = {
  'was made an ordinary user': ({ username }) => app.data(contract.user.manage, { username, action: 'demote' }),
  'was disabled': ({ username }) => app.data(contract.user.manage, { username, action: 'disable' }),
  'has logged out': (admin) => app.data(contract.account.logout, {}, admin),
  'got a new password': ({ id }) => app.data(contract.user.update, { id, password: 'a new long password' }),
}

describe('an open export of the log', () => {
  test('is read to its end by whoever may', async () => {
    const { isWhole, bytes } = await readOn(await opened(await app.make.user({ role: 10 })))
    expect([isWhole, bytes > 0.9 * rowCount * contentLength]).toEqual([true, true])
  })

  for (const [loss, lose] of Object.entries(losses))
    test(`breaks off after the administrator ${loss}`, async () => {
      const admin = await app.make.user({ role: 10 })
      const socket = await opened(admin)
      await lose(admin)
      const { isWhole, bytes } = await readOn(socket)
      expect([isWhole, bytes < 0.9 * rowCount * contentLength]).toEqual([false, true])
    })

  test('breaks off after the access token was revoked', async () => {
    const admin = await app.make.user({ role: 10 })
    const socket = await opened(await app.make.personalToken(admin, ['log:read']))
    const { rows } = await app.data(contract.accessToken.list, {}, admin)
    await app.data(contract.accessToken.remove, { id: rows[0]?.id ?? 0 }, admin)
    expect((await readOn(socket)).isWhole).toBe(false)
  })
})
