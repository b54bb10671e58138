import { afterAll, beforeAll, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { json } from './fake-upstream.ts'
import { refuseText } from './refuse-text.ts'
import { balanceOf, type TaskScene, taskScene } from './task-scene.ts'
import { startWebhookReceiver } from './webhook-receiver.ts'

// Scheduled work goes over rows. One that cannot be worked on keeps no other from it.

let scene: TaskScene
const receiver = startWebhookReceiver()
const clips = [{ id: 'clip', title: 'Rain', audio_url: 'https://cdn.example.com/1.mp3', image_url: 'https://cdn.example.com/1.png' }]
/** The vendor's songs by its ids. */
const songs = new Map<string, object>()
beforeAll(async () => {
  scene = await taskScene()
  await scene.app.make.channel({ type: 45, models: 'suno_music' })
  scene.vendor.response = ({ path, body }) => {
    if (path.startsWith('/suno/submit/')) {
      const id = `suno-${songs.size + 1}`
      songs.set(id, { task_id: id, action: 'MUSIC', status: 'SUCCESS', progress: '100%', fail_reason: '', data: clips })
      return json({ code: 'success', message: '', data: id })
    }
    // Holds: it is a question about several songs.
    const { ids } = JSON.parse(body) as { readonly ids: readonly string[] }
    return json({ code: 'success', message: '', data: ids.flatMap((id) => songs.get(id) ?? []) })
  }
}, 60_000)
afterAll(async () => {
  await scene.app.close()
  await receiver.close()
})

const db = () => scene.app.app.store.db
const fullBalance = Number.MAX_SAFE_INTEGER

/** A user whose balance has no room for any more, and one whose balance has. */
async function fullAndOther() {
  const { make, app } = scene.app
  const [full, other] = [await make.user({ quota: 0 }), await make.user({ quota: 0 })]
  await app.ledger.post({ userId: full.id, kind: 'grant', ref: `full:${full.id}`, amount: fullBalance })
  return { full, other }
}

async function createSong(): Promise<string> {
  const headers = { authorization: `Bearer ${scene.key}`, 'content-type': 'application/json' }
  const response = await scene.app.request('/suno/submit/music', { method: 'POST', headers, body: JSON.stringify({ prompt: 'rain' }) })
  // Holds: the response about a song has its id.
  return ((await response.json()) as { readonly data: string }).data
}

/** By name of the job: one row that it cannot work on, and others that it can. */
const worked: Readonly<Record<string, () => Promise<void>>> = {
  async 'credit-claimed'() {
    const { full, other } = await fullAndOther()
    const keys = await scene.app.data(contract.redemption.create, { name: 'gift', quota: 7, count: 2 })
    expect(keys).toHaveLength(2)
    const codes = await db().selectFrom('redemptions').select('id').where('name', '=', 'gift').orderBy('id').execute()
    // As a server leaves them that is killed after a code was claimed. The newest is credited first.
    const claims = [
      [codes[0]?.id ?? 0, other.id, 10],
      [codes[1]?.id ?? 0, full.id, 20],
    ] as const
    for (const [id, used_user_id, redeemed_time] of claims)
      await db().updateTable('redemptions').set({ status: 3, used_user_id, redeemed_time }).where('id', '=', id).execute()
    await scene.run('credit-claimed')
    expect([await balanceOf(scene.app, full), await balanceOf(scene.app, other)]).toEqual([fullBalance, 7])
  },

  async 'evaluate-rules'() {
    const rule = { kind: 'balance', scope: 'own', threshold: 1_000_000_000_000_000, target: 'webhook', url: receiver.url } as const
    for (const name of ['refused', 'first', 'second']) await scene.app.data(contract.notification.create, { ...rule, name })
    const accept = await refuseText(scene.app.app.store, 'refused', { notification_deliveries: 'rule_name' })
    await scene.run('evaluate-rules')
    const names = async () =>
      (await db().selectFrom('notification_deliveries').select('rule_name').orderBy('id').execute()).map((row) => row.rule_name)
    expect(await names()).toEqual(['first', 'second'])
    await accept()
    await scene.run('evaluate-rules')
    expect(await names()).toEqual(['first', 'second', 'refused'])
  },

  async 'send-notifications'() {
    await db().updateTable('notification_rules').set({ url_sealed: 'v1.broken' }).where('name', '=', 'first').execute()
    await scene.run('send-notifications')
    const rows = await db().selectFrom('notification_deliveries').select(['rule_name', 'state', 'error']).orderBy('id').execute()
    expect(rows.map(({ rule_name, state, error }) => [rule_name, state, error !== ''])).toEqual([
      ['first', 'waiting', true],
      ['second', 'sent', false],
      ['refused', 'sent', false],
    ])
  },

  async 'poll-tasks'() {
    const [bad, ...others] = [await createSong(), await createSong(), await createSong()]
    await db().updateTable('tasks').set({ upstream_sealed: 'v1.broken' }).where('public_id', '=', bad).execute()
    await scene.poll()
    const states = async () =>
      new Map((await db().selectFrom('tasks').select(['public_id', 'state']).execute()).map((row) => [row.public_id, row.state]))
    const polled = await states()
    expect(others.map((id) => polled.get(id))).toEqual(['completed', 'completed'])
    // It is not given up at once: its data may be readable again with the right master key.
    expect(polled.get(bad)).toBe('queued')
    await db().updateTable('tasks').set({ give_up_at: 1, polls: 1_000, next_poll_ms: 1 }).where('public_id', '=', bad).execute()
    await scene.poll(3_600_000)
    expect((await states()).get(bad)).toBe('expired')
    expect(await db().selectFrom('holds').selectAll().execute()).toEqual([])
  },

  async 'copy-results'() {
    // No file has such a long name.
    const files = ['x'.repeat(5_000), 'one', 'two'].map((task_id) => ({ task_id, place: 0, state: 'dropped', next_try_ms: null }))
    await db().insertInto('task_files').values(files).execute()
    const left = async () => (await db().selectFrom('task_files').select('task_id').execute()).map(({ task_id }) => task_id.length)
    for (let round = 0; round < 2; round++) {
      scene.clock.advance(60_000)
      await scene.run('copy-results')
    }
    expect(await left()).toEqual([5_000])
  },

  async 'look-at-set-aside'() {
    const aside = { user_id: 1, token_id: 1, kind: 'settle', amount: 1, held: 1, task_id: '', error_code: '', error_message: '' } as const
    const decided = { created_at: 1, decision: 'retry', operation: '{' } as const
    const rows = ['a', 'b'].map((request_id) => ({ ...aside, ...decided, request_id }))
    await db().insertInto('ledger_set_aside').values(rows).execute()
    await scene.run('look-at-set-aside')
    expect(await db().selectFrom('ledger_set_aside').select(['decision', 'state']).execute()).toEqual([
      { decision: '', state: 'open' },
      { decision: '', state: 'open' },
    ])
  },
}

/** Jobs that need no such row. */
const others: Readonly<Record<string, string>> = {
  'claim-ownership': 'one row',
  'keep-channel-work': 'one row; a channel that fails only fails its own part of the work',
  reconcile: 'reads and compares numbers',
  'count-unreadable': 'counts the rows that it cannot read',
  'exchange-minutes': 'one statement about counts of this process',
  'roll-up-usage': 'sums by the database',
  'test-channels': 'a channel that fails only fails its own part of the work',
  'copy-log': 'rows that this server has made, in their order',
  'make-log-partitions': 'tables, not rows',
  'clean-log': 'statements about many rows',
  'clean-tasks': 'statements about many rows',
  'clean-sessions': 'statements about many rows',
  'clean-codes': 'statements about many rows',
  'clean-kept-answers': 'statements about many rows',
  'clean-changes': 'statements about many rows',
  'clean-notifications': 'statements about many rows',
  'clean-limits': 'statements about many rows',
  'back-up': 'files',
  warn: 'two questions',
  'reload-options': 'an option that cannot be read has its default',
  'follow-changes': 'ids of rows that are read later',
}

test('every scheduled job is in one of the tables', () => {
  expect([...Object.keys(worked), ...Object.keys(others)].toSorted()).toEqual([...scene.jobs].toSorted())
})

for (const [name, work] of Object.entries(worked)) test(`${name}: a row that cannot be worked on keeps no other from it`, work, 60_000)

test('a grant that cannot be posted keeps nobody from registering, and no other grant from being posted', async () => {
  const { full, other } = await fullAndOther()
  const due = { amount: 9, content: 'a gift', created_at: 1 }
  await db()
    .insertInto('grants_due')
    .values([
      { ...due, ref: 'bad', user_id: full.id },
      { ...due, ref: 'good', user_id: other.id },
    ])
    .execute()
  await scene.app.data(contract.user.create, { username: 'newcomer', password: 'a good password' })
  expect([await balanceOf(scene.app, full), await balanceOf(scene.app, other)]).toEqual([fullBalance, 9])
  expect((await db().selectFrom('grants_due').select('ref').execute()).map(({ ref }) => ref)).toEqual(['bad'])
})
