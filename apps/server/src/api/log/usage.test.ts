import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { contract, type DataOf, en, type InputOf, seriesLines, timeBandEnds } from '@sluice/contract'
import { nobody, type TestApp, type TestUser, testApp } from '../../../test/app.ts'
import { numbersFrom } from '../../../test/numbers-from.ts'
import type { LogEntry } from '../../ledger/log-entry.ts'
import { plainLog } from '../../ledger/log-entry.ts'
import { createLogRetention } from './retention.ts'
import { createUsage } from './usage.ts'

const hour = 3_600
const day = 24 * hour
/** The start of a day in UTC. */
const midnight = 1_800_000_000 - (1_800_000_000 % day)
const clock = { seconds: 0, nowMs: () => clock.seconds * 1000, monotonicMs: () => clock.seconds * 1000 }

let app: TestApp
let ann: TestUser
let bob: TestUser
beforeEach(async () => {
  clock.seconds = midnight + 12 * hour + 600
  app = await testApp({ clock })
  ann = await app.make.user()
  bob = await app.make.user()
})
afterEach(async () => {
  expect((await app.inconsistencies()).filter((line) => /^(?:hour|usage_)/.test(line))).toEqual([])
  await app.close()
})

/** Writes the log row of a relayed request. */
function used(user: TestUser, createdAt: number, more: Partial<LogEntry> = {}): Promise<void> {
  return app.app.ledger.writeLog(
    plainLog({
      userId: user.id,
      username: user.username,
      createdAt,
      type: 2,
      content: 'used',
      tokenName: 'default',
      modelName: 'gpt-4o',
      quota: 10,
      promptTokens: 3,
      completionTokens: 1,
      elapsedMs: 100,
      endReason: 'complete',
      ...more,
    }),
  )
}

const series = (params: InputOf<typeof contract.log.series>) => app.data(contract.log.series, params)
const brief = (points: DataOf<typeof contract.log.seriesSelf>) => points.map(({ time, name, quota }) => [time, name, quota] as const)
const clean = (target_timestamp: number, as = app.root) => app.data(contract.log.remove, { target_timestamp }, as)
const contents = async () => (await app.data(contract.log.list, {})).map(({ content }) => content)

describe('times', () => {
  const times = (params: InputOf<typeof contract.log.times>) => app.data(contract.log.times, params)
  const noEnds = { client_gone: 0, upstream_cut: 0, out_of_quota: 0, timed_out: 0, too_long: 0, shut_down: 0, failed: 0, crashed: 0 }
  const inBands = (...indexes: readonly number[]) => [...timeBandEnds, 0].map((_, at) => indexes.filter((index) => index === at).length)

  test('count requests by the band of their duration and first byte, and by how they ended', async () => {
    await used(ann, midnight + hour, { elapsedMs: 0 })
    await used(ann, midnight + hour, { elapsedMs: 250, firstByteMs: 1 })
    await used(bob, midnight + hour + 5, { elapsedMs: 251, firstByteMs: 250, endReason: 'client_gone' })
    await used(bob, midnight + hour + 5, { elapsedMs: 128_000, firstByteMs: 64_001 })
    await used(bob, midnight + 3 * hour, { elapsedMs: 128_001, firstByteMs: 999_999, endReason: 'timed_out' })
    await used(ann, midnight + 3 * hour, { type: 4 })
    expect(await times({})).toEqual([
      {
        time: midnight + hour,
        elapsed: inBands(0, 0, 1, 9),
        first_byte: inBands(0, 0, 9),
        ends: { ...noEnds, client_gone: 1 },
        errors: {},
      },
      { time: midnight + 3 * hour, elapsed: inBands(10), first_byte: inBands(10), ends: { ...noEnds, timed_out: 1 }, errors: {} },
    ])
    const ownTimes = await app.data(contract.log.timesSelf, {}, ann)
    expect(ownTimes.map(({ time, elapsed }) => [time, elapsed])).toEqual([[midnight + hour, inBands(0, 0)]])
  })

  test('count failures by their error code, of all and of one model, channel or account', async () => {
    const failed = { endReason: 'failed', quota: 0, isServed: false }
    await used(ann, midnight + hour, { ...failed, content: 'failed: upstream_timeout', modelName: 'o1', channelId: 7 })
    await used(ann, midnight + hour, { ...failed, content: 'failed: upstream_timeout' })
    await used(bob, midnight + hour, { ...failed, content: 'failed: channel_auth_failed', modelName: 'o1' })
    await used(bob, midnight + hour, { endReason: 'client_gone' })
    const errors = async (params: InputOf<typeof contract.log.times>) =>
      (await times({ bucket: 'day', ...params })).map((one) => one.errors)
    expect(await errors({})).toEqual([{ upstream_timeout: 2, channel_auth_failed: 1 }])
    expect(await errors({ of: 'model', name: 'o1' })).toEqual([{ upstream_timeout: 1, channel_auth_failed: 1 }])
    expect(await errors({ of: 'channel', name: '7' })).toEqual([{ upstream_timeout: 1 }])
    expect(await errors({ of: 'user', name: bob.username })).toEqual([{ channel_auth_failed: 1 }])
    expect((await app.data(contract.log.timesSelf, {}, ann)).map((one) => one.errors)).toEqual([{ upstream_timeout: 2 }])
  })

  test('are of one model or channel where it is named, and by the day of a zone', async () => {
    await used(ann, midnight - 1, { elapsedMs: 1, modelName: 'o1', channelId: 7 })
    await used(ann, midnight + hour, { elapsedMs: 300, modelName: 'o1' })
    await used(ann, midnight + hour, { elapsedMs: 600, channelId: 7 })
    const elapsed = async (params: InputOf<typeof contract.log.times>) =>
      (await times({ bucket: 'day', ...params })).map((one) => one.elapsed)
    expect(await elapsed({ of: 'model', name: 'o1' })).toEqual([inBands(0), inBands(1)])
    expect(await elapsed({ of: 'channel', name: '7' })).toEqual([inBands(0), inBands(2)])
    expect(await elapsed({ of: 'user', name: ann.username })).toEqual([inBands(0), inBands(1, 2)])
    expect(await elapsed({ of: 'user', name: 'nobody' })).toEqual([])
    expect(await elapsed({ zone: 'Europe/Berlin' })).toEqual([inBands(0, 1, 2)])
    expect(await elapsed({ of: 'model', name: 'none' })).toEqual([])
  })

  test('are not shown to users for others', async () => {
    expect((await app.call(contract.log.times, {}, ann)).success).toBe(false)
  })
})

describe('losses', () => {
  test('are the channels whose vendors charged more than their customers in the last seven days', async () => {
    await used(ann, clock.seconds - 60, { channelId: 7, quota: 10, cost: 12 })
    await used(bob, clock.seconds - 60, { channelId: 7, quota: 5, cost: 4 })
    await used(ann, clock.seconds - 60, { channelId: 8, quota: 10, cost: 9 })
    // Its cost is not known.
    await used(ann, clock.seconds - 60, { channelId: 9, quota: 0 })
    await used(ann, clock.seconds - 8 * 86_400, { channelId: 8, quota: 1, cost: 100 })
    expect(await app.data(contract.log.losses, {})).toEqual([{ channel: 7, cost: 16, costed_quota: 15 }])
  })

  test('are not shown to users', async () => {
    expect((await app.call(contract.log.losses, {}, ann)).success).toBe(false)
  })
})

describe('a series', () => {
  test('has a point for each hour with usage, with everything that a chart shows', async () => {
    await used(ann, midnight + hour + 5, { cost: 7 })
    await used(bob, midnight + 2 * hour - 1, { endReason: 'failed', quota: 0, cost: 0, completionTokens: 0 })
    await used(ann, midnight + 12 * hour, { type: 4 })
    await used(ann, midnight + 12 * hour, { endReason: 'client_gone' })
    expect(await series({})).toEqual([
      {
        ...{ time: midnight + hour, id: 0, name: '', is_other: false },
        ...{ requests: 2, failures: 1, quota: 10, prompt_tokens: 6, completion_tokens: 1, elapsed_time: 200, cost: 7, costed_quota: 10 },
      },
      {
        ...{ time: midnight + 12 * hour, id: 0, name: '', is_other: false },
        ...{ requests: 1, failures: 0, quota: 10, prompt_tokens: 3, completion_tokens: 1, elapsed_time: 100, cost: 0, costed_quota: 0 },
      },
    ])
  })

  test('is split by model, token, channel and user, the most expensive first', async () => {
    const channel = await app.make.channel()
    await used(ann, midnight, { quota: 1, channelId: channel, tokenName: 'ci' })
    await used(ann, midnight, { quota: 2, modelName: 'o1' })
    await used(bob, midnight, { quota: 4 })
    const { name } = await app.data(contract.channel.get, { id: channel })
    const lines = async (group: InputOf<typeof contract.log.series>['group']) =>
      (await series({ group })).map((point) => [point.id, point.name, point.quota] as const)
    expect(await lines('model')).toEqual([
      [0, 'gpt-4o', 5],
      [0, 'o1', 2],
    ])
    expect(await lines('token')).toEqual([
      [bob.id, 'default', 4],
      [ann.id, 'default', 2],
      [ann.id, 'ci', 1],
    ])
    expect(await lines('channel')).toEqual([
      [0, '', 6],
      [channel, name, 1],
    ])
    expect(await lines('user')).toEqual([
      [bob.id, bob.username, 4],
      [ann.id, ann.username, 3],
    ])
  })

  test('sums days from the midnight of the reader, not of the database', async () => {
    await used(ann, midnight - hour)
    await used(ann, midnight + hour)
    const days = async (utc_offset: number) => (await series({ bucket: 'day', utc_offset })).map(({ time, requests }) => [time, requests])
    expect(await days(0)).toEqual([
      [midnight - day, 1],
      [midnight, 1],
    ])
    expect(await days(8 * 60)).toEqual([[midnight - 8 * hour, 2]])
    expect(await days(-3 * 60)).toEqual([[midnight - day + 3 * hour, 2]])
  })

  test('sums the days of a time zone whose clocks change, 23 and 25 hours long', async () => {
    // Berlin: 2026-03-29 has 23 hours and 2026-10-25 has 25; midnight is at 23:00 UTC before the one and at 22:00 UTC before the other.
    const spring = Date.UTC(2026, 2, 28, 23) / 1000
    const autumn = Date.UTC(2026, 9, 24, 22) / 1000
    const days = async (from: number, zone: string) => {
      clock.seconds = from + 5 * day
      const span = { start_timestamp: from, end_timestamp: from + 2 * day }
      return (await series({ bucket: 'day', zone, ...span })).map(({ time, requests }) => [time, requests])
    }
    for (const at of [0, 22 * hour, 23 * hour, 25 * hour]) await used(ann, spring + at)
    for (const at of [0, 23 * hour, 24 * hour, 25 * hour]) await used(ann, autumn + at)
    expect(await days(spring, 'Europe/Berlin')).toEqual([
      [spring, 2],
      [spring + 23 * hour, 2],
    ])
    expect(await days(autumn, 'Europe/Berlin')).toEqual([
      [autumn, 3],
      [autumn + 25 * hour, 1],
    ])
    expect((await app.call(contract.log.series, { bucket: 'day', zone: 'Mars/Olympus' })).message).toBe(en.zone_unknown)
  })

  // Midnight is at 18:30 UTC in India, and at 18:15 in Nepal.
  test.each([
    ['Asia/Kolkata', 330, 1_800],
    ['Asia/Kathmandu', 345, 900],
    ['Australia/Eucla', 525, 900],
    ['America/St_Johns', -210, 1_800],
  ])('divides the hour in which a day of %s begins', async (zone, minutes, into) => {
    const start = midnight - minutes * 60
    expect(start % hour).toBe(into)
    for (const at of [-day, -1, 0, 10]) await used(ann, start + at, { quota: 100 + at })
    await used(bob, start - 1, { endReason: 'failed', content: 'request failed: upstream_failed' })
    await used(bob, start + day, { tokenName: 'later' })
    clock.seconds = start + 2 * day
    const span = { bucket: 'day', start_timestamp: start - day, end_timestamp: start + 2 * day - 1 } as const
    const days = [
      [start - day, 3],
      [start, 2],
      [start + day, 1],
    ]
    for (const params of [{ zone }, { utc_offset: minutes }, { zone, group: '' } as const])
      expect((await series({ ...span, ...params })).map(({ time, requests }) => [time, requests])).toEqual(days as [number, number][])
    for (const group of ['user', 'token', 'model', 'channel'] as const) {
      const points = await series({ ...span, zone, group })
      const sums = Map.groupBy(points, ({ time }) => time)
      expect([...sums].map(([time, lines]) => [time, lines.reduce((sum, { requests }) => sum + requests, 0)])).toEqual(days as never)
      expect(points.every(({ requests }) => requests > 0)).toBe(true)
    }
    const own = await app.data(contract.log.seriesSelf, { ...span, zone }, ann)
    expect(own.map(({ time, requests, quota }) => [time, requests, quota])).toEqual([
      [start - day, 2, 199 - day],
      [start, 2, 210],
    ])
    const times = await app.data(contract.log.times, { ...span, zone })
    expect(times.map((one) => [one.time, one.elapsed.reduce((sum, count) => sum + count, 0), one.ends.failed])).toEqual([
      [start - day, 3, 1],
      [start, 2, 0],
      [start + day, 1, 0],
    ])
    expect(Object.values(times[0]?.errors ?? {})).toEqual([1])
    // One day alone has nothing of its neighbours.
    const one = await series({ ...span, zone, start_timestamp: start, end_timestamp: start + day - 1 })
    expect(one.map(({ time, requests }) => [time, requests])).toEqual([[start, 2]])
  })

  test('is the same whichever table it is read from', async () => {
    const seed = Date.now() % 100_000
    console.log(`SEED=${seed}`)
    const random = numbersFrom(seed)
    const pick = <One>(all: readonly One[]): One => all[Math.floor(random() * all.length)] as One
    const rows = Array.from({ length: 300 }, (_, index) => ({
      user: pick([ann, bob]),
      at: midnight + Math.floor(random() * 11 * hour),
      ...{ modelName: pick(['a', 'b', 'c']), tokenName: pick(['default', 'ci', '']), channelId: pick([0, 4, 7]), quota: index + 1 },
    }))
    for (const { user, at, ...row } of rows) await used(user, at, row)
    // Every set of filters, so that every query runs in every test run.
    for (let set = 0; set < 16; set++) {
      const some = pick(rows.filter(({ tokenName, channelId }) => tokenName !== '' && channelId !== 0))
      const filters = {
        ...((set & 1) > 0 ? { model_name: some.modelName } : {}),
        ...((set & 2) > 0 ? { token_name: some.tokenName } : {}),
        ...((set & 4) > 0 ? { channel: some.channelId } : {}),
        ...((set & 8) > 0 ? { username: some.user.username } : {}),
      }
      const { model_name = '', token_name = '', channel = 0, username = '' } = filters
      const expected = rows.filter(
        (row) =>
          (model_name === '' || row.modelName === model_name) &&
          (token_name === '' || row.tokenName === token_name) &&
          (channel === 0 || row.channelId === channel) &&
          (username === '' || row.user.username === username),
      )
      const total = expected.reduce((sum, row) => sum + row.quota, 0)
      for (const group of ['', 'model', 'token', 'channel', 'user'] as const) {
        for (const bucket of ['hour', 'day'] as const) {
          const points = await series({ ...filters, group, bucket })
          expect(points.reduce((sum, { quota }) => sum + quota, 0)).toBe(total)
        }
      }
      expect((await app.data(contract.log.stat, filters)).quota).toBe(total)
    }
  })

  test('of months is the same by user and token whichever spans it is read from', async () => {
    const seed = Date.now() % 100_000
    console.log(`SEED=${seed}`)
    const random = numbersFrom(seed)
    const rows = Array.from({ length: 200 }, (_, index) => ({
      user: random() < 0.5 ? ann : bob,
      at: midnight - Math.floor(random() * 80 * day),
      ...{ tokenName: random() < 0.5 ? 'default' : 'ci', modelName: random() < 0.5 ? 'a' : 'b', channelId: 7, quota: index + 1 },
    }))
    for (const { user, at, ...row } of rows) await used(user, at, row)
    for (let round = 0; round < 20; round++) {
      const start_timestamp = midnight - Math.floor(random() * 80 * day)
      const end_timestamp = Math.min(midnight, start_timestamp + Math.floor(random() * 60 * day))
      const from = start_timestamp - (start_timestamp % hour)
      const to = end_timestamp - (end_timestamp % hour) + hour
      const expected = (is: (row: (typeof rows)[number]) => boolean): number =>
        rows.reduce((sum, row) => sum + (row.at >= from && row.at < to && is(row) ? row.quota : 0), 0)
      for (const token_name of ['', 'ci']) {
        const isWanted = (row: (typeof rows)[number]) => token_name === '' || row.tokenName === token_name
        const params = { start_timestamp, end_timestamp, token_name, bucket: 'day', zone: 'Asia/Kolkata' } as const
        for (const group of ['user', 'token'] as const) {
          const points = await series({ ...params, group })
          for (const user of [ann, bob])
            expect(points.reduce((sum, point) => sum + (point.id === user.id ? point.quota : 0), 0)).toBe(
              expected((row) => row.user === user && isWanted(row)),
            )
        }
      }
      const stat = await app.data(contract.log.stat, { token_name: 'ci', model_name: 'a', start_timestamp: from, end_timestamp: to - 1 })
      expect(stat.quota).toBe(expected((row) => row.tokenName === 'ci' && row.modelName === 'a'))
      const own = await app.data(contract.log.seriesSelf, { start_timestamp, end_timestamp, bucket: 'day', group: 'token' }, ann)
      expect(own.reduce((sum, { quota }) => sum + quota, 0)).toBe(expected((row) => row.user === ann))
    }
  })

  test('by a name counts all usage under it, whichever accounts had it and whatever other names they had', async () => {
    await used(ann, midnight, { quota: 1, username: 'first' })
    await used(ann, midnight, { quota: 2, username: 'second' })
    await used(bob, midnight, { quota: 4, username: 'second' })
    await used(bob, midnight, { quota: 8, username: 'second', modelName: 'b' })
    const carl = await app.make.user()
    await used(carl, midnight, { quota: 16 })
    for (const [filters, quota] of [
      [{ username: 'first' }, 1],
      [{ username: 'second' }, 14],
      [{ username: 'second', model_name: 'b' }, 8],
      [{ username: carl.username }, 16],
      [{ username: carl.username, model_name: 'gpt-4o' }, 16],
      [{ username: 'nobody' }, 0],
    ] as const) {
      expect((await app.data(contract.log.stat, filters)).quota).toBe(quota)
      for (const group of ['', 'model', 'user', 'token', 'channel'] as const)
        expect((await series({ ...filters, group })).reduce((sum, point) => sum + point.quota, 0)).toBe(quota)
    }
  })

  test('shows the busiest lines separately and all others as one', async () => {
    for (let number = 0; number < seriesLines + 5; number++) await used(ann, midnight, { modelName: `m${number}`, quota: 100 - number })
    const points = await series({ group: 'model' })
    expect(points).toHaveLength(seriesLines + 1)
    expect(points[0]).toMatchObject({ name: 'm0', quota: 100, is_other: false })
    expect(points.at(-1)).toMatchObject({ name: '', is_other: true, requests: 5, quota: 80 + 79 + 78 + 77 + 76, elapsed_time: 500 })
    const few = await series({ group: 'model', lines: 5 })
    expect(few.map(({ name, is_other: isOther }) => [name, isOther])).toEqual([
      ...['m0', 'm1', 'm2', 'm3', 'm4'].map((name) => [name, false]),
      ['', true],
    ])
    expect(few.reduce((sum, { quota }) => sum + quota, 0)).toBe(points.reduce((sum, { quota }) => sum + quota, 0))
    expect(await series({ group: 'model', lines: 50 })).toHaveLength(seriesLines + 5)
    // Anything else is the usual number.
    const wrong: object = { group: 'model', lines: 1_000_000 }
    expect(await series(wrong)).toHaveLength(seriesLines + 1)
    expect(await app.data(contract.log.seriesSelf, { group: 'model', lines: 5 }, ann)).toHaveLength(6)
  })

  test('covers the requested time span in whole hours, and at most a month of hours', async () => {
    for (const at of [midnight - 40 * day, midnight - 2 * day, midnight + 90, midnight + 11 * hour]) await used(ann, at)
    expect(brief(await series({}))).toHaveLength(2)
    expect(brief(await series({ start_timestamp: midnight + 60, end_timestamp: midnight + 90 }))).toEqual([[midnight, '', 10]])
    expect(brief(await series({ start_timestamp: 1 }))).toHaveLength(3)
    expect(brief(await series({ start_timestamp: 1, bucket: 'day' }))).toHaveLength(3)
    expect(await series({ start_timestamp: midnight, end_timestamp: midnight - day })).toEqual([])
  })

  test('filters like the log, and the call for the own usage returns only that', async () => {
    await used(ann, midnight, { quota: 1, channelId: 4 })
    await used(bob, midnight, { quota: 2, tokenName: 'ci' })
    const quota = async (params: InputOf<typeof contract.log.series>) => (await series(params)).map((point) => point.quota)
    expect(await quota({ username: ann.username })).toEqual([1])
    expect(await quota({ token_name: 'ci' })).toEqual([2])
    expect(await quota({ channel: 4 })).toEqual([1])
    expect(await quota({ model_name: 'none' })).toEqual([])
    const filters: object = { username: ann.username, channel: 4, group: 'user' }
    expect(brief(await app.data(contract.log.seriesSelf, filters, bob))).toEqual([[midnight, '', 2]])
    expect(brief(await app.data(contract.log.seriesSelf, { group: 'token' }, bob))).toEqual([[midnight, 'ci', 2]])
    expect((await app.call(contract.log.series, {}, bob)).success).toBe(false)
    const [own] = await app.data(contract.log.seriesSelf, {}, bob)
    expect(Object.keys(own ?? {})).not.toContain('cost')
    expect(Object.keys(own ?? {})).not.toContain('costed_quota')
    expect((await app.request('/api/log/self/series')).status).toBe(401)
  })
})

describe('the totals', () => {
  test('count whole hours and the two ends of a span to the second', async () => {
    for (const [index, at] of [0, 1, hour - 1, hour, 2 * hour, 3 * hour - 1, 3 * hour, 3 * hour + 1].entries())
      await used(ann, midnight + at, { quota: 10 ** index })
    const quota = async (from: number, to: number) =>
      (await app.data(contract.log.stat, { start_timestamp: midnight + from, end_timestamp: midnight + to })).quota
    expect(await quota(0, 3 * hour + 1)).toBe(11_111_111)
    expect(await quota(1, 3 * hour)).toBe(1_111_110)
    expect(await quota(2, hour)).toBe(1_100)
    expect(await quota(hour, 3 * hour - 1)).toBe(111_000)
    expect(await quota(5, 6)).toBe(0)
    expect((await app.data(contract.log.stat, {})).quota).toBe(11_111_111)
    expect((await app.data(contract.log.stat, { username: bob.username })).quota).toBe(0)
  })

  test('contain the rates of the last minute', async () => {
    await used(ann, clock.seconds - 60)
    await used(ann, clock.seconds - 59)
    await used(bob, clock.seconds)
    expect(await app.data(contract.log.stat, { start_timestamp: 1, end_timestamp: 2 })).toEqual({ quota: 0, token: 0, rpm: 2, tpm: 8 })
    expect(await app.data(contract.log.statSelf, {}, bob)).toEqual({ quota: 10, token: 4, rpm: 1, tpm: 4 })
    expect(await app.data(contract.log.stat, { model_name: 'o1' })).toEqual({ quota: 0, token: 0, rpm: 0, tpm: 0 })
  })

  test('of the own usage are those of the account, not of a name that others had or will have', async () => {
    await used(ann, midnight, { username: 'old name', quota: 1 })
    await used(bob, midnight, { username: ann.username, quota: 2 })
    expect((await app.data(contract.log.statSelf, {}, ann)).quota).toBe(1)
  })
})

describe('a search', () => {
  test('finds a type by its number and texts by a part, newest first; wildcards are ordinary characters', async () => {
    await used(ann, midnight, { type: 4, content: 'gift of 100%' })
    await used(bob, midnight, { type: 3, content: 'Gift_2' })
    const searchContents = async (keyword: string) => (await app.data(contract.log.search, { keyword })).map(({ content }) => content)
    expect(await searchContents('gift')).toEqual(['Gift_2', 'gift of 100%'])
    expect(await searchContents('%')).toEqual(['gift of 100%'])
    expect(await searchContents('t_')).toEqual(['Gift_2'])
    expect(await searchContents('4')).toEqual(['gift of 100%'])
    expect((await app.data(contract.log.searchSelf, { keyword: 'gift' }, bob)).map(({ content }) => content)).toEqual(['Gift_2'])
  })
})

describe('cleaning up', () => {
  test('deletes older rows and returns their number', async () => {
    await used(ann, midnight - 2, { content: 'old' })
    await used(ann, midnight - 1, { content: 'old too' })
    await used(ann, midnight, { content: 'new' })
    expect(await clean(midnight)).toBe(2)
    const before = new Date(midnight * 1000).toISOString()
    expect((await contents()).slice(0, 3)).toEqual([
      `root deleted 2 log entries from before ${before}`,
      `root started deleting log entries from before ${before}`,
      'new',
    ])
    expect(await contents()).not.toContain('old')
    expect(await clean(midnight)).toBe(0)
  })

  test('is refused without a time', async () => {
    await used(ann, midnight)
    for (const query of [
      '',
      '?target_timestamp=',
      '?target_timestamp=NaN',
      '?target_timestamp=0',
      '?target_timestamp=-5',
      '?target_timestamp=x',
    ]) {
      const response = await app.request(`/api/log/${query}`, { method: 'DELETE', headers: app.root.headers })
      expect(await response.json()).toEqual({ success: false, message: en.target_timestamp_required, field: 'target_timestamp' })
    }
    expect((await app.call(contract.log.remove, { target_timestamp: midnight + 1 }, ann)).success).toBe(false)
    expect((await app.call(contract.log.remove, { target_timestamp: midnight + 1 }, nobody)).success).toBe(false)
    expect(await contents()).toContain('used')
  })

  test('deletes more rows than one step, and other calls are served meanwhile', async () => {
    await Promise.all(Array.from({ length: 1_700 }, (_, index) => used(ann, midnight + (index % 7))))
    const other = app.data(contract.log.stat, {})
    expect(await clean(midnight + 6)).toBe(1_458)
    await other
    expect((await app.data(contract.log.stat, {})).quota).toBe(2_420)
  })

  test('does not delete ledger entries and charts of the deleted time', async () => {
    const admin = await app.make.user({ role: 10 })
    await used(ann, midnight - hour)
    await app.make.channel()
    const { key } = await app.make.token(bob)
    const body = JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }] })
    await app.request('/v1/chat/completions', { method: 'POST', headers: { authorization: `Bearer ${key}` }, body })
    const { used_quota } = await app.data(contract.account.self, {}, bob)
    // 10 × 0.075 + 5 × 0.3, rounded up.
    expect(used_quota).toBe(3)
    clock.seconds += 1
    expect(await clean(clock.seconds, admin)).toBe(2)
    expect(await app.inconsistencies()).toEqual([])
    expect(brief(await series({}))).toEqual([
      [midnight - hour, '', 10],
      [midnight + 12 * hour, '', used_quota],
    ])
    expect((await app.data(contract.log.stat, {})).quota).toBe(0)
  })

  test('runs automatically if an option sets the days that rows are kept', async () => {
    const { db } = app.app.store
    const days = async () => Number((await app.data(contract.option.list, {})).find(({ key }) => key === 'LogRetentionDays')?.value)
    const retentionDays = await days()
    await used(ann, clock.seconds - 30 * day - 1, { content: 'old' })
    await used(ann, clock.seconds - 30 * day - 1, { content: 'a deed', type: 3 })
    await used(ann, clock.seconds - 30 * day, { content: 'kept' })
    const usage = createUsage(db, clock)
    const logCopies = { copiedUpTo: async () => Number.MAX_SAFE_INTEGER }
    await createLogRetention({ db, clock, usage, logCopies, days: () => retentionDays })()
    expect(await contents()).toContain('old')
    await app.data(contract.option.update, { key: 'LogRetentionDays', value: '30' })
    const changed = await days()
    await createLogRetention({ db, clock, usage, logCopies, days: () => changed })()
    expect((await contents()).filter((content) => ['old', 'a deed', 'kept'].includes(content))).toEqual(['kept', 'a deed'])
    expect((await series({ bucket: 'day', start_timestamp: clock.seconds - 40 * day })).reduce((sum, { quota }) => sum + quota, 0)).toBe(20)
  })

  test('by an admin does not delete audit events; root may delete them too', async () => {
    const admin = await app.make.user({ role: 10 })
    await used(ann, midnight, { type: 3, content: 'a deed' })
    await clean(midnight + 1, admin)
    expect(await contents()).toContain('a deed')
    await clean(midnight + 1)
    expect(await contents()).not.toContain('a deed')
  })

  test('of all rows does not affect the sums of later ones', async () => {
    await used(ann, midnight)
    clock.seconds += 1
    await clean(9_999_999_999)
    await used(ann, clock.seconds)
    await used(ann, clock.seconds)
    expect((await app.data(contract.log.stat, {})).quota).toBe(20)
    expect((await series({})).map(({ quota }) => quota)).toEqual([10, 20])
  })
})
