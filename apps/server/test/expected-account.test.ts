import { afterAll, beforeAll, expect, test } from 'bun:test'
import { en, expectedAccountHeader } from '@sluice/contract'
import { nobody, type Session, type TestApp, testApp } from './app.ts'
import { endpoints, sendRaw, stored } from './endpoints.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())

const expecting = ({ headers }: Session, id: number | string): Session => ({ headers: { ...headers, [expectedAccountHeader]: String(id) } })

for (const [name, endpoint] of endpoints.filter(([, { knowsCaller }]) => knowsCaller)) {
  test(`${name} is refused for another account than the page's, and changes nothing`, async () => {
    const ann = await app.make.user({ role: 100 })
    const bob = await app.make.user()
    for (const as of [expecting(bob, ann.id), expecting(ann, bob.id), expecting(ann, ''), expecting(ann, `${ann.id}x`)]) {
      const before = await stored(app, ['sessions'])
      const response = await sendRaw(app, endpoint, { as })
      expect(response.status).toBe(412)
      expect(await response.json()).toEqual({ success: false, message: en.account_changed })
      expect(await stored(app, ['sessions'])).toBe(before)
    }
  })
}

test('the own account is let in, and a page without a session is sent to the login', async () => {
  const ann = await app.make.user()
  const self = (as: Session) => app.request('/api/user/self', { headers: as.headers })
  expect(await (await self(expecting(ann, ann.id))).json()).toMatchObject({ success: true, data: { id: ann.id } })
  expect((await self(expecting(nobody, ann.id))).status).toBe(401)
})

test('a logout for another account leaves the session', async () => {
  const ann = await app.make.user()
  const bob = await app.make.user()
  const logOut = (as: Session) =>
    app.request('/api/user/logout', { headers: { ...as.headers, 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' } })
  const isIn = async () => (await app.request('/api/user/self', { headers: bob.headers })).status === 200
  expect((await logOut(expecting(bob, ann.id))).status).toBe(412)
  expect(await isIn()).toBe(true)
  expect((await logOut(expecting(bob, bob.id))).status).toBe(200)
  expect(await isIn()).toBe(false)
})
