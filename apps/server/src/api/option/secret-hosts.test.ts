import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { contract, en, type OptionKey, role } from '@sluice/contract'
import { type TestApp, testApp } from '../../../test/app.ts'
import { openTestStore } from '../../../test/stores.ts'
import type { Db, Store } from '../../db/connect.ts'
import { systemClock } from '../../lib/clock.ts'
import { createSeal } from '../../lib/seal.ts'
import { byOperator, openSettings, type SettingsStore } from './settings.ts'

// A secret of the options is sent only to the server for which it was entered.

const seal = createSeal(randomBytes(32))
const administrator = { role: role.admin } as const

let store: Store
let db: Db
let settings: SettingsStore
beforeEach(async () => {
  store = await openTestStore('sqlite')
  db = store.db
  settings = await openSettings({ db, seal, clock: systemClock })
})
afterEach(() => store.close())

const save = async (key: OptionKey, value: string, by: { readonly role: number } = byOperator) => await settings.save({ key, value, by })
const token = (): string => settings.current().MessagePusherToken
const address = 'https://push.example/push/root'

async function enter(): Promise<void> {
  await save('MessagePusherAddress', address)
  await save('MessagePusherToken', 'push-token')
}

const servers: readonly {
  readonly secret: 'SMTPToken' | 'MessagePusherToken' | 'WeChatServerToken'
  readonly first: Partial<Record<OptionKey, string>>
  readonly same: Partial<Record<OptionKey, string>>
  readonly other: Partial<Record<OptionKey, string>>
}[] = [
  {
    secret: 'SMTPToken',
    first: { SMTPServer: 'mail.example', SMTPPort: '587' },
    same: { SMTPServer: 'MAIL.example', SMTPFrom: 'a@mail.example' },
    other: { SMTPServer: 'evil.example' },
  },
  {
    secret: 'SMTPToken',
    first: { SMTPServer: 'mail.example', SMTPPort: '587' },
    same: { SMTPPort: '587' },
    other: { SMTPPort: '2525' },
  },
  {
    secret: 'MessagePusherToken',
    first: { MessagePusherAddress: 'https://push.example/a' },
    same: { MessagePusherAddress: 'https://push.example/b' },
    other: { MessagePusherAddress: 'http://push.example/b' },
  },
  {
    secret: 'WeChatServerToken',
    first: { WeChatServerAddress: 'https://wechat.example' },
    same: { WeChatServerAddress: 'https://wechat.example/path' },
    other: { WeChatServerAddress: 'https://wechat.example:8443' },
  },
]

describe('a secret', () => {
  test.each(servers)(
    'of the options ($secret) is not used after its address changes to another server, and is used again when the address returns',
    async (row) => {
      const { secret, first, same, other } = row
      const put = async (values: Partial<Record<OptionKey, string>>) => {
        const kept: OptionKey[] = []
        // Holds: the keys are those of options.
        for (const [key, value] of Object.entries(values)) kept.push(...(await save(key as OptionKey, value)).keptBack)
        return kept
      }
      await put(first)
      await save(secret, 'a-secret')
      expect(await put(same)).toEqual([])
      expect(settings.current()[secret]).toBe('a-secret')
      expect(await put(other)).toEqual([secret])
      expect(settings.current()[secret]).toBe('')
      expect(await put(first)).toEqual([])
      expect(settings.current()[secret]).toBe('a-secret')
    },
  )

  test('stays while its address is typed, and is needed again only if a complete address is another server', async () => {
    await enter()
    for (let length = 0; length < address.length; length++) {
      const typed = address.slice(0, length)
      const { keptBack } = await save('MessagePusherAddress', typed, administrator)
      const isWhole = /^https:\/\/./.test(typed)
      const isTheServer = typed.startsWith('https://push.example/') || typed === 'https://push.example'
      expect({ typed, token: token() }).toEqual({ typed, token: isTheServer ? 'push-token' : '' })
      if (!isWhole) expect(keptBack).toEqual([])
    }
    await save('MessagePusherAddress', address)
    expect(token()).toBe('push-token')
  })

  test('is not sent to the server of an administrator, who may set the address but not read the secret', async () => {
    await enter()
    for (const theirs of [
      'https://evil.example',
      'https://push.example.evil.example',
      'https://push.example@evil.example',
      'http://push.example',
      '',
    ]) {
      await save('MessagePusherAddress', theirs, administrator)
      await save('MessagePusherToken', '', administrator)
      expect({ theirs, token: token() }).toEqual({ theirs, token: '' })
      const reopened = await openSettings({ db, seal, clock: systemClock })
      expect(reopened.current().MessagePusherToken).toBe('')
    }
  })

  test('that is entered for a new server is sent there, and no longer to the old one', async () => {
    await enter()
    await save('MessagePusherAddress', 'https://other.example')
    await save('MessagePusherToken', 'other-token')
    expect(token()).toBe('other-token')
    await save('MessagePusherAddress', address)
    expect(token()).toBe('')
  })

  test('that an earlier version stored without its server belongs to the present address, also after a restart', async () => {
    await save('MessagePusherAddress', address)
    const stored = seal.seal('old-token', 'option:MessagePusherToken')
    await db.insertInto('options').values({ key: 'MessagePusherToken', value: stored, set_by_role: role.root }).execute()
    settings = await openSettings({ db, seal, clock: systemClock })
    expect(token()).toBe('old-token')
    await save('MessagePusherAddress', 'https://evil.example', administrator)
    expect(token()).toBe('')
    settings = await openSettings({ db, seal, clock: systemClock })
    expect(token()).toBe('')
    await save('MessagePusherAddress', 'https://push.example')
    expect(token()).toBe('old-token')
  })
})

describe('the response to a saved address', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await testApp()
  })
  afterAll(() => app.close())

  test('says that the secret must be entered again', async () => {
    const put = (key: string, value: string) => app.call(contract.option.update, { key, value })
    await put('MessagePusherAddress', address)
    await put('MessagePusherToken', 'push-token')
    const message = en.option_secret_kept_back.replace('{key}', 'MessagePusherToken')
    expect((await put('MessagePusherAddress', 'https://other.example')).message).toBe(message)
    expect((await put('MessagePusherAddress', 'https://other.example/path')).message).toBe('')
    expect((await put('MessagePusherAddress', 'https')).message).toBe('')
    expect((await put('MessagePusherAddress', address)).message).toBe('')
  })
})
