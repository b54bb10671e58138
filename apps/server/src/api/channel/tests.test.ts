import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { contract, en } from '@sluice/contract'
import { type TestApp, testApp } from '../../../test/app.ts'
import { removeAll, runOver, type SetClock, setClock, setOptions, setStatus, statusOf, until } from '../../../test/channel-scene.ts'
import { chatResponse, json, type Script } from '../../../test/fake-upstream.ts'

let app: TestApp
let clock: SetClock
beforeAll(async () => {
  clock = setClock()
  app = await testApp({ clock })
})
afterAll(() => app.close())
beforeEach(async () => {
  await removeAll(app)
  await setOptions(app, { AutomaticDisableChannelEnabled: false, AutomaticEnableChannelEnabled: false, ChannelDisableThreshold: 5 })
})

const badKey = json({ error: { message: 'Incorrect API key provided', code: 'invalid_api_key' } }, 401)
const noMoney = json({ error: { message: 'You exceeded your current quota', type: 'insufficient_quota' } }, 429)
const closed = json({ error: { message: 'The account is gone', code: 'account_deactivated' } }, 401)

async function testAll(scope: 'all' | 'disabled' = 'all') {
  await app.data(contract.channel.testAll, { scope })
  return await runOver(app)
}

/** A response that is sent after the clock was moved. */
const late = (name: string): Script => [{ do: 'wait', name }, ...json(chatResponse())]

/** Makes the channel under test respond after this time. */
async function responseAfter(name: string, ms: number): Promise<void> {
  const before = app.upstream.received.length
  app.upstream.script(late(name))
  await app.data(contract.channel.testAll, {})
  await until(
    () => app.data(contract.channel.progress, {}),
    () => app.upstream.received.length > before,
  )
  clock.advance(ms)
  app.upstream.release(name)
  await runOver(app)
}

async function testLogs() {
  await app.app.ledger.drain()
  return (await app.data(contract.log.list, { type: 4 })).filter(({ event }) => event === 'channel_test')
}

describe('the test of one channel', () => {
  test('is written to the log and to its history, and charges no account', async () => {
    const id = await app.make.channel({ models: 'gpt-4o,gpt-4o-mini', mapping: { 'gpt-4o-mini': 'cheap-one' } })
    const before = (await app.data(contract.account.self, {})).quota
    const response = await app.call(contract.channel.test, { id, model: 'gpt-4o-mini' })
    expect(response).toMatchObject({ success: true, model: 'gpt-4o-mini', modelName: 'gpt-4o-mini', time: 0.001 })
    expect(JSON.parse(app.upstream.received.at(-1)?.body ?? '')).toMatchObject({ model: 'cheap-one' })
    const [row] = await testLogs()
    expect(row).toMatchObject({
      type: 4,
      event: 'channel_test',
      channel: id,
      model_name: 'gpt-4o-mini',
      upstream_model: 'cheap-one',
      quota: 0,
      username: 'root',
    })
    expect(row).toMatchObject({ prompt_tokens: 10, completion_tokens: 5, elapsed_time: 1 })
    expect(await app.data(contract.channel.tests, { ids: String(id) })).toEqual([
      { channel: id, created_time: 1_800_000_000, model: 'gpt-4o-mini', passed: true, elapsed_time: 1, message: '' },
    ])
    expect((await app.data(contract.account.self, {})).quota).toBe(before)
  })

  test('needs the full name of a model: a part of a name is not configured', async () => {
    const id = await app.make.channel({ models: 'gpt-4o-mini,gpt-3.5-turbo-16k' })
    expect(await app.data(contract.channel.test, { id, model: 'gpt-4o' })).toMatchObject({ model: 'gpt-4o-mini' })
    expect(await app.data(contract.channel.test, { id, model: '' })).toMatchObject({ model: 'gpt-4o-mini' })
    const other = await app.make.channel({ models: 'gpt-4o,gpt-3.5-turbo' })
    expect(await app.data(contract.channel.test, { id: other, model: '' })).toMatchObject({ model: 'gpt-3.5-turbo' })
  })

  test('never changes the status, whatever its result is', async () => {
    await setOptions(app, { AutomaticDisableChannelEnabled: true, AutomaticEnableChannelEnabled: true })
    const id = await app.make.channel()
    app.upstream.script(badKey)
    expect(await app.call(contract.channel.test, { id })).toMatchObject({
      success: false,
      message: 'Test failed: Incorrect API key provided',
      time: 0,
      model: 'gpt-4o-mini',
    })
    expect(await statusOf(app, id)).toBe(1)
    await setStatus(app, id, 3)
    await app.data(contract.channel.test, { id })
    expect(await statusOf(app, id)).toBe(3)
  })

  test('is stored among the last twenty, newest first, and deleted with its channel', async () => {
    const [id, other] = [await app.make.channel(), await app.make.channel()]
    for (let number = 0; number < 23; number++) {
      clock.advance(1_000)
      await app.data(contract.channel.test, { id })
    }
    app.upstream.script(badKey)
    await app.call(contract.channel.test, { id: other })
    const rows = await app.data(contract.channel.tests, { ids: ` ${id} ,${other},,x,-1,${id}` })
    const times = rows.filter(({ channel }) => channel === id).map(({ created_time }) => created_time)
    expect(times).toHaveLength(20)
    expect(times).toEqual(times.toSorted((a, b) => b - a))
    expect(rows.find(({ channel }) => channel === other)).toMatchObject({ passed: false, message: 'Incorrect API key provided' })
    await app.data(contract.channel.remove, { id })
    expect((await app.data(contract.channel.tests, { ids: `${id},${other}` })).map(({ channel }) => channel)).toEqual([other])
    expect(await app.data(contract.channel.tests, {})).toEqual([])
  })

  test('of an unknown type is refused with a message, where other servers crashed', async () => {
    const id = await app.make.channel()
    await app.app.store.db.updateTable('channels').set({ type: 4_711 }).where('id', '=', id).execute()
    await app.data(contract.channel.update, { id, priority: 1 })
    expect(await app.call(contract.channel.test, { id })).toMatchObject({ success: false, message: en.channel_unusable })
    expect(await app.call(contract.channel.test, { id: 99_999 })).toMatchObject({ success: false, message: 'Channel not found' })
    expect(await testAll()).toMatchObject({ total: 1, done: 1, failed: 1, disabled: 0 })
  })

  test('never shows the key that the vendor repeats', async () => {
    const id = await app.make.channel({ key: 'canary-of-this-channel' })
    app.upstream.script(json({ error: { message: 'no such key: canary-of-this-channel' } }, 401))
    const response = await app.call(contract.channel.test, { id })
    expect(response).toMatchObject({ success: false })
    app.upstream.script(json({ error: { message: 'no such key: canary-of-this-channel', code: 'invalid_api_key' } }))
    expect(await app.call(contract.channel.test, { id })).toMatchObject({ success: false, message: 'Test failed: no such key: ***' })
    const output = JSON.stringify([response, await testLogs(), await app.data(contract.channel.tests, { ids: String(id) })])
    expect(output).toContain('no such key')
    expect(output).not.toContain('canary')
  })
})

describe('a run over many channels', () => {
  test('tests all, newest first, and reports its progress', async () => {
    const ids = [await app.make.channel(), await app.make.channel({ models: 'o3,gpt-3.5-turbo' }), await app.make.channel()]
    await setStatus(app, ids[0] ?? 0, 2)
    app.upstream.script(json({}, 500))
    expect(await app.data(contract.channel.testAll, {})).toMatchObject({ work: 'test', scope: 'all', running: true, total: 3 })
    expect(await runOver(app)).toEqual({
      work: 'test',
      scope: 'all',
      running: false,
      total: 3,
      done: 3,
      failed: 1,
      disabled: 0,
      enabled: 0,
      started_time: Math.floor(clock.nowMs() / 1000),
      ended_time: Math.floor(clock.nowMs() / 1000),
    })
    const logs = await testLogs()
    expect(logs.slice(0, 3).map(({ channel }) => channel)).toEqual(ids)
    expect(logs.slice(0, 3).map(({ model_name }) => model_name)).toEqual(['gpt-4o-mini', 'gpt-3.5-turbo', 'gpt-4o-mini'])
  })

  test('tests only the disabled ones on request, and refuses other scopes', async () => {
    const ids = [await app.make.channel(), await app.make.channel(), await app.make.channel()]
    await setStatus(app, ids[0] ?? 0, 2)
    await setStatus(app, ids[1] ?? 0, 3)
    expect(await testAll('disabled')).toMatchObject({ scope: 'disabled', total: 2, done: 2 })
    const nonsense = await app.request('/api/channel/test?scope=nonsense', { headers: app.root.headers })
    expect(await nonsense.json()).toEqual({ success: false, message: 'Invalid parameter: scope', field: 'scope' })
    const empty = await app.request('/api/channel/test/?scope=', { headers: app.root.headers })
    expect(await empty.json()).toMatchObject({ success: true, data: { scope: 'all', total: 3 } })
    await runOver(app)
  })

  test('excludes a second run, also one for balances, and continues if a channel is removed meanwhile', async () => {
    const [removedId] = [await app.make.channel(), await app.make.channel()]
    app.upstream.script(late('held'))
    await app.data(contract.channel.testAll, {})
    for (const second of [await app.call(contract.channel.testAll, {}), await app.call(contract.channel.updateBalances, {})]) {
      expect(second).toEqual({ success: false, message: en.channel_job_running })
    }
    await app.data(contract.channel.remove, { id: removedId ?? 0 })
    app.upstream.release('held')
    expect(await runOver(app)).toMatchObject({ total: 2, done: 2, failed: 0 })
    expect(await testAll()).toMatchObject({ total: 1, done: 1 })
  })

  test('is started by only one of many concurrent calls', async () => {
    await app.make.channel()
    app.upstream.script(late('one of many'))
    const responses = await Promise.all(Array.from({ length: 30 }, () => app.call(contract.channel.testAll, {})))
    expect(responses.filter(({ success }) => success)).toHaveLength(1)
    app.upstream.release('one of many')
    expect(await runOver(app)).toMatchObject({ total: 1, done: 1, failed: 0 })
  })

  test('disables a channel whose key is refused or has no credit or account, if the option is on, and logs the reason', async () => {
    await setOptions(app, { AutomaticDisableChannelEnabled: true })
    for (const [response, reason] of [
      [badKey, 'Incorrect API key provided'],
      [noMoney, 'You exceeded your current quota'],
      [closed, 'The account is gone'],
    ] as const) {
      await removeAll(app)
      const id = await app.make.channel()
      app.upstream.script(response)
      expect(await testAll()).toMatchObject({ failed: 1, disabled: 1 })
      expect(await statusOf(app, id)).toBe(3)
      await app.app.ledger.drain()
      const [row] = await app.data(contract.log.list, { type: 4, channel: id })
      expect(row?.content).toContain(`was disabled automatically: ${reason}`)
    }
  })

  test('leaves it enabled if the option is off', async () => {
    const id = await app.make.channel()
    app.upstream.script(badKey)
    expect(await testAll()).toMatchObject({ failed: 1, disabled: 0 })
    expect(await statusOf(app, id)).toBe(1)
  })

  test('disables nothing for words like "credit" and "balance" in an error, nor for a busy or broken vendor or a bad request', async () => {
    await setOptions(app, { AutomaticDisableChannelEnabled: true })
    const id = await app.make.channel()
    for (const response of [
      json({ error: { message: 'the load balancer has no credit for this balance', type: 'invalid_request_error' } }, 400),
      json({ error: { message: 'permission denied: credit balance too low' } }, 500),
      json({ error: { message: 'slow down' } }, 429),
      json({ error: { message: 'no such model', code: 'model_not_found' } }, 404),
      json('nonsense'),
      [{ do: 'cut' }] satisfies Script,
    ]) {
      app.upstream.script(response)
      expect(await testAll()).toMatchObject({ failed: 1, disabled: 0 })
      expect(await statusOf(app, id)).toBe(1)
    }
  })

  test('disables a channel that takes longer than the threshold, if the option is on', async () => {
    const id = await app.make.channel()
    await responseAfter('slow, option off', 6_000)
    expect(await statusOf(app, id)).toBe(1)
    await setOptions(app, { AutomaticDisableChannelEnabled: true })
    await responseAfter('quick enough', 5_000)
    expect(await statusOf(app, id)).toBe(1)
    await setOptions(app, { ChannelDisableThreshold: 0 })
    await responseAfter('no limit', 100_000)
    expect(await statusOf(app, id)).toBe(1)
    await setOptions(app, { ChannelDisableThreshold: 2.5 })
    await responseAfter('too slow', 2_600)
    expect(await statusOf(app, id)).toBe(3)
    await app.app.ledger.drain()
    const [row] = await app.data(contract.log.list, { type: 4, channel: id })
    expect(row?.content).toContain('took 2.60 s; the limit is 2.5 s')
  })

  test('enables channels that the server disabled, if the option is on, and never ones that a person disabled', async () => {
    const [byProgram, byPerson] = [await app.make.channel(), await app.make.channel()]
    await setStatus(app, byProgram, 3)
    await setStatus(app, byPerson, 2)
    expect(await testAll('disabled')).toMatchObject({ done: 2, enabled: 0 })
    expect(await statusOf(app, byProgram)).toBe(3)
    await setOptions(app, { AutomaticEnableChannelEnabled: true })
    app.upstream.script(json(chatResponse()), json({}, 500))
    expect(await testAll('disabled')).toMatchObject({ done: 2, enabled: 0, failed: 1 })
    expect(await testAll('disabled')).toMatchObject({ done: 2, enabled: 1 })
    expect(await statusOf(app, byProgram)).toBe(1)
    expect(await statusOf(app, byPerson)).toBe(2)
  })

  test('does not enable a channel that passes too slowly', async () => {
    await setOptions(app, { AutomaticEnableChannelEnabled: true })
    const id = await app.make.channel()
    await setStatus(app, id, 3)
    await responseAfter('slow return', 6_000)
    expect(await statusOf(app, id)).toBe(3)
  })

  test('does not undo a change that a person made while the test ran', async () => {
    await setOptions(app, { AutomaticDisableChannelEnabled: true, AutomaticEnableChannelEnabled: true })
    const during = async (name: string, status: number, response: Script, change: object): Promise<number> => {
      await removeAll(app)
      const id = await app.make.channel()
      await setStatus(app, id, status)
      const before = app.upstream.received.length
      app.upstream.script([{ do: 'wait', name }, ...response])
      await app.data(contract.channel.testAll, {})
      await until(
        () => app.data(contract.channel.progress, {}),
        () => app.upstream.received.length > before,
      )
      await app.data(contract.channel.update, { id, ...change })
      app.upstream.release(name)
      expect(await runOver(app)).toMatchObject({ disabled: 0, enabled: 0 })
      return await statusOf(app, id)
    }
    expect(await during('disabled by hand', 1, badKey, { status: 2 })).toBe(2)
    expect(await during('given a new key', 1, badKey, { key: 'another' })).toBe(1)
    expect(await during('disabled for good', 3, json(chatResponse()), { status: 2 })).toBe(2)
  })

  test('that cannot start does not block the next one, as it did on other servers', async () => {
    const { db } = app.app.store
    await db.schema.alterTable('channels').renameTo('channels_elsewhere').execute()
    expect((await app.call(contract.channel.testAll, {})).success).toBe(false)
    await db.schema.alterTable('channels_elsewhere').renameTo('channels').execute()
    expect(await testAll()).toMatchObject({ total: 0, running: false })
  })
})

test('a server that stops does not wait for the rest of a run', async () => {
  const other = await testApp({ env: { CHANNEL_PAUSE_MS: '600000' } })
  await other.make.channel()
  await other.make.channel()
  await other.data(contract.channel.testAll, {})
  await until(
    () => other.data(contract.channel.progress, {}),
    ({ done }) => done === 1,
  )
  await other.close()
})
