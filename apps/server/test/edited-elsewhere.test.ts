import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { contract, en } from '@sluice/contract'
import { type TestApp, testApp } from './app.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())

type Row = Readonly<Record<string, unknown>>
type Edit = Row & { readonly id: number }

interface Field {
  readonly theirs: unknown
  readonly mine: unknown
}

/** A noun whose forms say what they showed. */
interface Noun {
  readonly make: () => Promise<number>
  readonly get: (id: number) => Promise<Row>
  readonly update: (edit: Edit) => Promise<{ readonly success: boolean; readonly message: string }>
  /** Two fields, each with a value that somebody else sets and one that the form sets. */
  readonly fields: readonly [readonly [string, Field], readonly [string, Field]]
}

const nouns: Readonly<Record<string, Noun>> = {
  channel: {
    make: () => app.make.channel({ models: 'gpt-4o-mini' }),
    get: (id) => app.data(contract.channel.get, { id }),
    update: (edit) => app.call(contract.channel.update, edit),
    fields: [
      ['name', { theirs: 'theirs', mine: 'mine' }],
      ['test_model', { theirs: 'gpt-4o', mine: 'gpt-4o-mini' }],
    ],
  },
  redemption: {
    async make() {
      await app.data(contract.redemption.create, { name: 'gift', quota: 1_000, count: 1 })
      return (await app.data(contract.redemption.list, {}))[0]?.id ?? 0
    },
    get: (id) => app.data(contract.redemption.get, { id }),
    update: (edit) => app.call(contract.redemption.update, edit),
    fields: [
      ['name', { theirs: 'theirs', mine: 'mine' }],
      ['quota', { theirs: 2_000, mine: 3_000 }],
    ],
  },
  user: {
    make: async () => (await app.make.user({})).id,
    get: (id) => app.data(contract.user.get, { id }),
    update: (edit) => app.call(contract.user.update, { password: '', current_password: '', ...edit }),
    fields: [
      ['display_name', { theirs: 'theirs', mine: 'mine' }],
      ['group', { theirs: 'vip', mine: 'svip' }],
    ],
  },
  token: {
    make: async () => (await app.make.token(app.root, {})).id,
    get: (id) => app.data(contract.token.get, { id }),
    update: (edit) => app.call(contract.token.update, edit),
    fields: [
      ['name', { theirs: 'theirs', mine: 'mine' }],
      ['requests_per_minute', { theirs: 60, mine: 30 }],
    ],
  },
}

describe.each(Object.entries(nouns))('a form of a %s that was opened before another change', (_noun, { make, get, update, fields }) => {
  const [[first, ofFirst], [second, ofSecond]] = fields
  const baselineOf = (row: Row, ...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, row[name]]))

  test('does not overwrite a field that was changed meanwhile, and changes nothing else either', async () => {
    const id = await make()
    const original = await get(id)
    expect((await update({ id, [first]: ofFirst.theirs })).success).toBe(true)
    const edit = { id, [first]: ofFirst.mine, [second]: ofSecond.mine, shown: baselineOf(original, first, second) }
    const refusal: object = await update(edit)
    expect(refusal).toEqual({ success: false, message: en.changed_elsewhere, changed_fields: first })
    expect(await get(id)).toMatchObject({ [first]: ofFirst.theirs, [second]: original[second] })
    // After it was read again, the same edit is made.
    expect((await update({ ...edit, shown: baselineOf(await get(id), first, second) })).success).toBe(true)
    expect(await get(id)).toMatchObject({ [first]: ofFirst.mine, [second]: ofSecond.mine })
  })

  test('changes its own fields beside those that were changed meanwhile', async () => {
    const id = await make()
    const original = await get(id)
    await update({ id, [first]: ofFirst.theirs })
    expect((await update({ id, [second]: ofSecond.mine, shown: baselineOf(original, second) })).success).toBe(true)
    expect(await get(id)).toMatchObject({ [first]: ofFirst.theirs, [second]: ofSecond.mine })
  })

  test('can be sent twice, and is not refused where both wanted the same', async () => {
    const id = await make()
    const edit = { id, [first]: ofFirst.mine, shown: baselineOf(await get(id), first) }
    expect((await update(edit)).success).toBe(true)
    expect((await update(edit)).success).toBe(true)
  })

  test('of two that are saved at once, one is refused', async () => {
    const id = await make()
    const baseline = baselineOf(await get(id), first)
    const responses = await Promise.all([
      update({ id, [first]: ofFirst.mine, shown: baseline }),
      update({ id, [first]: ofFirst.theirs, shown: baseline }),
    ])
    expect(responses.map(({ success }) => success).toSorted()).toEqual([false, true])
  })

  test('overwrites as before if it does not say what it showed', async () => {
    const id = await make()
    await update({ id, [first]: ofFirst.theirs })
    expect((await update({ id, [first]: ofFirst.mine })).success).toBe(true)
    expect(await get(id)).toMatchObject({ [first]: ofFirst.mine })
  })
})

test('edits of different settings of one channel at once are both kept', async () => {
  const id = await app.make.channel({ models: 'gpt-4o-mini' })
  await Promise.all([
    app.data(contract.channel.update, { id, system_prompt: 'Be brief.' }),
    app.data(contract.channel.update, { id, idle_seconds: 30 }),
  ])
  expect(await app.data(contract.channel.get, { id })).toMatchObject({ system_prompt: 'Be brief.', idle_seconds: 30 })
})

test('secrets of a channel that nobody sees are not compared', async () => {
  const id = await app.make.channel({ models: 'gpt-4o-mini' })
  await app.data(contract.channel.update, { id, headers: '{"x-a":"one"}' })
  const { headers } = await app.data(contract.channel.get, { id })
  expect(headers).toBe('{"x-a":""}')
  await app.data(contract.channel.update, { id, headers: '{"x-a":"two"}' })
  await app.data(contract.channel.update, { id, headers: '{"x-a":"","x-b":"three"}', shown: { headers } })
  const stored = await app.data(contract.channel.get, { id })
  expect(stored.headers).toBe('{"x-a":"","x-b":""}')
  const refused = await app.call(contract.channel.update, { id, headers: '', shown: { headers } })
  expect(refused).toMatchObject({ success: false, changed_fields: 'headers' })
})
