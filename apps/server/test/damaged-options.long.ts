import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { contract, type OptionKey, optionKeys, optionRow } from '@sluice/contract'
import { nobody, testApp } from './app.ts'
import { damagedText, damagedTexts, damageOption, isDamage } from './damaged-options.ts'
import { type DamagedScene, damagedScene, readEverything, relayEverything, runEverything } from './damaged-scene.ts'
import { damagedSeal } from './damaged-seal.ts'
import { endpoints, sendRaw } from './endpoints.ts'

// Every option is stored damaged, one at a time and in each way: no call, no job, no request and no start fails because of it, the option is
// marked and has its default, and takes a new value.

let scene: DamagedScene
beforeAll(async () => {
  scene = await damagedScene()
}, 60_000)
afterAll(() => scene.app.close())

/** A value that refuses everything to administrators without a second factor, as it should. */
const locksOut = (key: OptionKey, text: string): boolean => key === 'AdminSecondFactorRequired' && text === 'true'

/**
 * All that the option takes as a value, of free texts the odd ones, and two damaged texts: whichever it is, the default applies, as the test of all
 * options at once shows.
 */
function textsFor(key: OptionKey): readonly string[] {
  const isFree = !isDamage(key, damagedText)
  const isUseful = (text: string): boolean => (isFree ? isOdd(text) : !isDamage(key, text)) || text === damagedText || text === damagedSeal
  return damagedTexts(scene.app.app.store.db).filter((text) => isUseful(text) && !locksOut(key, text))
}

/** Empty, long, or with characters that few texts have. */
const isOdd = (text: string): boolean => text.trim() === '' || text.length > 60_000 || /[^\x20-\x7e]/.test(text)

const store = (key: OptionKey, text: string | null) => damageOption(scene.app.app.store.db, key, text)

const shorten = (text: string): string => JSON.stringify(text.length > 60 ? `${text.slice(0, 40)}...${text.length}` : text)

async function detailOf(key: OptionKey) {
  const { options } = await scene.app.data(contract.option.details, {}, scene.admin)
  return options.find((one) => one.key === key)
}

const readValue = async (key: OptionKey) =>
  (await scene.app.data(contract.option.list, {}, scene.admin)).find((one) => one.key === key)?.value

/** Signals the server that another process has changed an option. */
const reload = () => scene.run('reload-options')

/** @returns what is wrong with how the option is shown */
async function marksOf(key: OptionKey, text: string): Promise<readonly string[]> {
  const isUnreadable = (await detailOf(key))?.is_unreadable
  if (isUnreadable !== isDamage(key, text)) return [`is_unreadable is ${isUnreadable}`]
  const value = optionRow(key).secret || !isUnreadable ? undefined : await readValue(key)
  return value === undefined || value === optionRow(key).fallback || value === (await defaultOf(key))
    ? []
    : [`has the value ${shorten(value)}`]
}

const defaults = new Map<OptionKey, string | undefined>()

/** As the settings show it: tables are filled in with the built-in prices. */
async function defaultOf(key: OptionKey): Promise<string | undefined> {
  if (!defaults.has(key)) {
    const { db } = scene.app.app.store
    const stored = await db.selectFrom('options').select('value').where('key', '=', key).executeTakeFirst()
    await store(key, null)
    await reload()
    defaults.set(key, await readValue(key))
    await store(key, stored?.value ?? null)
    await reload()
  }
  return defaults.get(key)
}

/** Sets the option as its form does. @returns what is wrong after that */
async function renew(key: OptionKey): Promise<readonly string[]> {
  const { secret, fallback } = optionRow(key)
  const input = { key, value: secret ? 'entered again' : fallback }
  const response = await sendRaw(scene.app, contract.option.update, { as: scene.admin, input })
  const body = await response.text()
  if (!body.includes('"success":true')) return [`takes no new value: ${response.status} ${body.slice(0, 300)}`]
  return (await detailOf(key))?.is_unreadable === false ? [] : ['is still marked after it was set']
}

/**
 * With a damaged text the default applies, so that every request succeeds as before and one round of all calls is enough. A valid value may
 * refuse requests.
 */
async function failuresNow(key: OptionKey, text: string): Promise<readonly string[]> {
  const isDamaged = isDamage(key, text)
  const refused = await relayEverything(scene)
  const faults = [...refused.filter((fault) => isDamaged || !/: 4\d\d /.test(fault)), ...(await runEverything(scene))]
  const responses = isDamaged && text !== damagedText ? [] : await readEverything(scene)
  return [...faults, ...responses.filter(({ status }) => status >= 500).map(({ call, status, text }) => `${call}: ${status} ${text}`)]
}

describe.each([...optionKeys])('the option %s', (key) => {
  test('fails nothing while it is damaged, is marked, and takes a new value', async () => {
    const faults: string[] = []
    for (const text of textsFor(key)) {
      await store(key, text)
      const problems: string[] = []
      await reload().catch((error: unknown) => problems.push(`the job reload-options: ${error}`))
      problems.push(...(await marksOf(key, text)))
      problems.push(...(await failuresNow(key, text)))
      problems.push(...(await renew(key)))
      await store(key, null)
      await reload()
      faults.push(...problems.map((fault) => `${key} = ${shorten(text)}: ${fault}`))
    }
    if (faults.length > 0) console.log(faults.join('\n'))
    expect(faults.slice(0, 20)).toEqual([])
  }, 600_000)
})

test('a server starts with all options damaged alike, counts them, and its pages are there', async () => {
  for (const text of damagedTexts(scene.app.app.store.db)) {
    const started = await testApp({
      storedOptions: Object.fromEntries(optionKeys.filter((key) => !locksOut(key, text)).map((key) => [key, text])),
    })
    const { options } = await started.data(contract.option.details, {})
    const marked = options.flatMap(({ key, is_unreadable }) => (is_unreadable ? [key] : []))
    expect([shorten(text), marked.sort()]).toEqual([shorten(text), optionKeys.filter((key) => isDamage(key, text)).toSorted()])
    for (const path of ['/api/status', '/api/notice', '/api/about', '/api/home_page_content', '/livez', '/readyz'])
      expect([shorten(text), path, (await started.request(path)).status]).toEqual([shorten(text), path, 200])
    await started.close()
  }
}, 600_000)

test('with every switch on and all else damaged, no call that reads or needs no login fails', async () => {
  for (const text of [damagedText, '', damagedSeal, 'http://[']) {
    const entries = optionKeys.map((key): [OptionKey, string] => [key, optionRow(key).control === 'switch' ? 'true' : text])
    const started = await testApp({ storedOptions: Object.fromEntries(entries.filter(([key, value]) => !locksOut(key, value))) })
    const input = { username: 'somebody', password: 'a password', email: 'a@b.example', code: 'abc', state: 'x', model: 'gpt-4o-mini' }
    const failed: string[] = []
    for (const [name, endpoint] of endpoints) {
      if (endpoint.access !== 'public' && (endpoint.method !== 'GET' || endpoint.sideEffect)) continue
      for (const as of [nobody, started.root]) {
        const response = await sendRaw(started, endpoint, { as, input })
        const body = await response.text()
        if (response.status >= 500) failed.push(`${name}: ${response.status} ${body.slice(0, 300)}`)
      }
    }
    expect([shorten(text), failed]).toEqual([shorten(text), []])
    await started.close()
  }
}, 600_000)
