import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setOptions, until } from '../../../test/channel-scene.ts'
import { json, type Received, type Script } from '../../../test/fake-upstream.ts'
import { type S3Store, startS3Store } from '../../../test/s3-store.ts'
import { clientFor, mp4File, type TaskScene, taskScene } from '../../../test/task-scene.ts'

// Copies of results: kept on the disk and in a store that speaks S3, for hours, within a number of bytes.

const params = { model: 'sora-2', prompt: 'A cat', seconds: '4', size: '1280x720' } as const

let s3: S3Store
beforeAll(async () => {
  s3 = await startS3Store()
})
afterAll(() => s3.close())

describe.each(['disk', 's3'] as const)('on %s', (place) => {
  let scene: TaskScene
  let folder: string
  /** Responses of the vendor to content requests; `null`: the video. */
  let contentResponse: ((request: Received) => Script | null) | null

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-copies-'))
    scene = await taskScene({ env: { DATA_DIR: folder, ...(place === 's3' ? s3.env : {}) } })
    scene.vendor.response = (request) => (request.path.includes('/content') ? (contentResponse?.(request) ?? null) : null)
  })
  beforeEach(async () => {
    contentResponse = null
    const options = { TaskResultHours: 24, TaskResultGigabytes: 10, AccountStoragePercent: 100, TaskResultDelivery: 'proxy' }
    await setOptions(scene.app, options)
  })
  afterAll(async () => {
    await scene.app.close()
    rmSync(folder, { recursive: true, force: true })
  })

  function files(): readonly string[] {
    const results = join(folder, 'results')
    return place === 's3' ? s3.names() : existsSync(results) ? readdirSync(results) : []
  }

  /** Lets the server copy what is wanted, after some time. */
  async function copy(ms = 6_000): Promise<void> {
    scene.clock.advance(ms)
    // Holds: this job returns what it has started.
    const { done } = (await scene.run('copy-results')) as { readonly done: Promise<unknown> }
    await done
  }

  async function createVideo(): Promise<string> {
    const { id } = await scene.client.videos.create(params)
    for (const video of scene.vendor.videos.values()) video.status = 'completed'
    await scene.poll()
    return id
  }

  const get = (id: string, init: RequestInit = {}, query = ''): Promise<Response> =>
    scene.app.request(`/v1/videos/${id}/content${query}`, {
      ...init,
      headers: { authorization: `Bearer ${scene.key}`, ...init.headers },
      redirect: 'manual',
    })

  const contentRequests = (): number => scene.app.upstream.received.filter(({ path }) => path.includes('/content')).length

  /** Entries of the ledger that charge something. */
  async function charges(): Promise<number> {
    const { ledger, store } = scene.app.app
    await ledger.drain()
    return (await store.db.selectFrom('ledger').select('amount').where('kind', '=', 'consume').execute()).length
  }

  const expired = (): Script => json({ error: { message: 'expired' } }, 404)

  test('a result is copied once, and fetched whole and in ranges after its vendor has deleted it', async () => {
    const id = await createVideo()
    await copy()
    expect(
      files()
        .filter((name) => name.startsWith(id))
        .toSorted(),
    ).toEqual([`${id}-0`, `${id}-1`, `${id}-2`])
    const before = contentRequests()
    contentResponse = expired
    const whole = await get(id)
    const headerValues = ['content-type', 'content-length', 'accept-ranges'].map((name) => whole.headers.get(name))
    expect([whole.status, ...headerValues]).toEqual([200, 'video/mp4', String(mp4File.length), 'bytes'])
    expect(Buffer.from(await whole.arrayBuffer()).equals(mp4File)).toBe(true)
    const part = await get(id, { headers: { range: 'bytes=100-199' } })
    expect([part.status, part.headers.get('content-range'), part.headers.get('content-length')]).toEqual([
      206,
      `bytes 100-199/${mp4File.length}`,
      '100',
    ])
    expect(Buffer.from(await part.arrayBuffer()).equals(mp4File.subarray(100, 200))).toBe(true)
    expect((await get(id, { headers: { range: `bytes=${mp4File.length}-` } })).status).toBe(416)
    const head = await get(id, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(mp4File.length)])
    // Nobody else sees it.
    const stranger = await scene.app.make.token(await scene.app.make.user(), {})
    expect((await get(id, { headers: { authorization: `Bearer ${stranger.key}` } })).status).toBe(404)
    await copy()
    expect(contentRequests()).toBe(before)
  })

  test('a long video is copied whole', async () => {
    // More than any client may send.
    const long = Buffer.alloc(51 * 1024 * 1024 + 17, 'a film that goes on and on. ')
    contentResponse = ({ path }) =>
      path.includes('variant')
        ? expired()
        : [
            { do: 'head', status: 200, headers: { 'content-type': 'video/mp4', 'content-length': String(long.length) } },
            { do: 'send', bytes: long },
          ]
    const before = await charges()
    const id = await createVideo()
    await copy()
    contentResponse = expired
    const whole = await get(id)
    expect(Buffer.from(await whole.arrayBuffer()).equals(long)).toBe(true)
    expect((await charges()) - before).toBe(1)
  })

  test('a result at an address that leads to another one is copied from there', async () => {
    contentResponse = ({ path }) => (path.includes('?') ? null : [{ do: 'head', status: 302, headers: { location: `${path}?moved=1` } }])
    const before = await charges()
    const id = await createVideo()
    await copy()
    contentResponse = expired
    expect(Buffer.from(await (await get(id)).arrayBuffer()).equals(mp4File)).toBe(true)
    expect((await charges()) - before).toBe(1)
  })

  test('a result that is gone before it is copied was charged once, and is reported as gone', async () => {
    contentResponse = expired
    const before = await charges()
    const id = await createVideo()
    await copy()
    await copy(40 * 60_000)
    const response = await get(id)
    expect([response.status, ((await response.json()) as { readonly error: { readonly code: string } }).error.code]).toEqual([
      410,
      'task_result_gone',
    ])
    expect([(await charges()) - before, await scene.app.inconsistencies()]).toEqual([1, []])
  })

  test('a clock that is put back before a video is copied, or while it is, delays no copy', async () => {
    const month = 30 * 86_400_000
    const { clock } = scene
    clock.jump(month)
    const early = await createVideo()
    clock.jump(-month)
    await copy()
    contentResponse = ({ path }) => (path.includes('variant') ? expired() : slow)
    const late = await createVideo()
    clock.advance(6_000)
    const before = contentRequests()
    // Holds: this job returns what it has started.
    const { done } = (await scene.run('copy-results')) as { readonly done: Promise<unknown> }
    while (contentRequests() === before) await Bun.sleep(1)
    clock.jump(-month)
    scene.app.upstream.release(`half of ${place}`)
    await done
    contentResponse = expired
    for (const id of [early, late]) expect(Buffer.from(await (await get(id)).arrayBuffer()).equals(mp4File)).toBe(true)
    clock.jump(month)
  })

  /** A video whose second half comes when the test lets it. */
  const slow: Script = [
    { do: 'head', status: 200, headers: { 'content-type': 'video/mp4', 'content-length': String(mp4File.length) } },
    { do: 'send', bytes: mp4File.subarray(0, 2_000) },
    { do: 'wait', name: `half of ${place}` },
    { do: 'send', bytes: mp4File.subarray(2_000) },
  ]

  test('a copy is deleted after its hours, and with its task', async () => {
    const [id, other] = [await createVideo(), await createVideo()]
    await copy()
    await copy()
    await copy()
    expect(files().filter((name) => name.startsWith(other))).not.toEqual([])
    expect((await scene.client.videos.delete(other)).deleted).toBe(true)
    await copy()
    expect(files().filter((name) => name.startsWith(other))).toEqual([])
    expect(files().filter((name) => name.startsWith(id))).not.toEqual([])
    await copy(25 * 3_600_000)
    expect(files().filter((name) => name.startsWith(id))).toEqual([])
    contentResponse = expired
    expect((await get(id)).status).toBe(410)
  })

  test('the oldest copies make room, and what is larger than everything is not copied', async () => {
    // Two videos of this size fit, three do not.
    const large = Buffer.alloc(400_000_000 / 1_000, 1)
    await setOptions(scene.app, { TaskResultGigabytes: 1 })
    contentResponse = ({ path }) =>
      path.includes('variant')
        ? expired()
        : [
            { do: 'head', status: 200, headers: { 'content-type': 'video/mp4' } },
            { do: 'send', bytes: large },
          ]
    // Copied one after the other, so that one of them is older.
    const first = await createVideo()
    await copy()
    const second = await createVideo()
    for (let count = 0; count < 3; count += 1) await copy()
    // The clock of the rows is what decides, and their sizes are what the database says.
    const { db } = scene.app.app.store
    await db.updateTable('task_files').set({ bytes: 400_000_000 }).where('task_id', 'in', [first, second]).execute()
    const third = await createVideo()
    contentResponse = ({ path }) =>
      path.includes('variant')
        ? expired()
        : [
            { do: 'head', status: 200, headers: { 'content-type': 'video/mp4', 'content-length': '300000000' } },
            { do: 'send', bytes: large },
            { do: 'cut' },
          ]
    await copy()
    const names = files()
    expect([first, second].map((id) => names.some((name) => name.startsWith(id)))).toEqual([false, true])
    expect(names.some((name) => name.startsWith(third))).toBe(false)
    contentResponse = ({ path }) =>
      path.includes('variant')
        ? expired()
        : [
            { do: 'head', status: 200, headers: { 'content-type': 'video/mp4', 'content-length': '1000000001' } },
            { do: 'send', bytes: large },
            { do: 'cut' },
          ]
    const huge = await createVideo()
    await copy()
    const rows = await db.selectFrom('task_files').selectAll().where('task_id', '=', huge).where('place', '=', 0).execute()
    expect(rows.filter(({ state }) => state !== 'dropped')).toEqual([])
    expect(files().some((name) => name.startsWith(second))).toBe(true)
  })

  test('copies that are made at the same time have at most the bytes of the option together', async () => {
    await setOptions(scene.app, { TaskResultGigabytes: 1 })
    const first = await createVideo()
    for (let count = 0; count < 3; count += 1) await copy()
    // A hundred thousand bytes are left: enough for either of two copies, and not for both.
    const { db } = scene.app.app.store
    await db.updateTable('task_files').set({ bytes: 0 }).where('state', '=', 'kept').execute()
    await db.updateTable('task_files').set({ bytes: 999_900_000 }).where('task_id', '=', first).where('place', '=', 0).execute()
    contentResponse = ({ path }) =>
      path.includes('spritesheet')
        ? expired()
        : [
            { do: 'head', status: 200, headers: { 'content-type': 'video/mp4', 'content-length': '60000' } },
            { do: 'wait', name: 'both' },
            { do: 'send', bytes: Buffer.alloc(60_000, 1) },
          ]
    const second = await createVideo()
    const before = contentRequests()
    const copied = copy()
    await until(
      async () => contentRequests(),
      (count) => count >= before + 2,
    )
    scene.app.upstream.release('both')
    await copied
    const kept = await db.selectFrom('task_files').selectAll().where('state', '=', 'kept').execute()
    expect(kept.reduce((sum, { bytes }) => sum + Number(bytes), 0)).toBeLessThanOrEqual(1_000_000_000)
    expect(kept.filter(({ task_id: id }) => id === second).length).toBeGreaterThan(0)
    expect(files().filter((name) => name.startsWith(second))).toHaveLength(kept.filter(({ task_id: id }) => id === second).length)
  })

  test('a vendor that fails is called again later, and a page is no result', async () => {
    contentResponse = () => json({ error: { message: 'busy' } }, 503)
    const id = await createVideo()
    await copy()
    expect(files().filter((name) => name.startsWith(id))).toEqual([])
    contentResponse = null
    await copy(61_000)
    await copy()
    expect(files().filter((name) => name.startsWith(id))).toContain(`${id}-0`)
    contentResponse = () => [
      { do: 'head', status: 200, headers: { 'content-type': 'text/html' } },
      { do: 'send', bytes: Buffer.from('<script>') },
    ]
    const page = await createVideo()
    for (let count = 0; count < 10; count += 1) await copy(40 * 60_000)
    expect(files().filter((name) => name.startsWith(page))).toEqual([])
  })

  test('a copy that was lost is passed on from the vendor again', async () => {
    const id = await createVideo()
    await copy()
    if (place === 's3') await new Bun.S3Client(clientOptions()).delete(`${id}-0`)
    else rmSync(join(folder, 'results', `${id}-0`))
    expect(Buffer.from(await (await get(id)).arrayBuffer()).equals(mp4File)).toBe(true)
  })

  function clientOptions() {
    const { env } = s3
    return {
      endpoint: s3.url,
      bucket: env['RESULTS_S3_BUCKET'] ?? '',
      accessKeyId: env['RESULTS_S3_ACCESS_KEY_ID'] ?? '',
      secretAccessKey: env['RESULTS_S3_SECRET_ACCESS_KEY'] ?? '',
    }
  }

  test('nothing is copied unless an administrator wants it', async () => {
    await copy()
    await setOptions(scene.app, { TaskResultHours: 0 })
    const before = contentRequests()
    const id = await createVideo()
    await copy()
    expect([files().filter((name) => name.startsWith(id)), contentRequests()]).toEqual([[], before])
  })

  test('an address that needs the key is never sent to a client', async () => {
    await setOptions(scene.app, { TaskResultHours: 0, TaskResultDelivery: 'redirect' })
    const id = await createVideo()
    const response = await get(id)
    expect([response.status, response.headers.get('location')]).toEqual([200, null])
    expect(Buffer.from(await response.arrayBuffer()).equals(mp4File)).toBe(true)
  })

  test('a copy in a store is fetched there by clients that may be redirected', async () => {
    await setOptions(scene.app, { TaskResultDelivery: 'redirect' })
    const id = await createVideo()
    await copy()
    const response = await get(id)
    expect(response.status).toBe(place === 's3' ? 302 : 200)
    const content = place === 's3' ? await fetch(response.headers.get('location') ?? '') : response
    expect(Buffer.from(await content.arrayBuffer()).equals(mp4File)).toBe(true)
  })
})

test('a copy that is missing, cut short, a folder or not readable is passed on from the vendor, and can be deleted', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-damaged-copies-'))
  const scene = await taskScene({ env: { DATA_DIR: folder } })
  await setOptions(scene.app, { TaskResultHours: 24, TaskResultGigabytes: 10, AccountStoragePercent: 100, TaskResultDelivery: 'proxy' })
  const damages: Readonly<Record<string, (path: string) => void>> = {
    missing: (path) => rmSync(path),
    'cut short': (path) => truncateSync(path, 10),
    'a folder': (path) => {
      rmSync(path)
      mkdirSync(join(path, 'inside'), { recursive: true })
    },
    // Tests may run as root, who may read everything: a link to nowhere cannot be opened by anybody.
    'not readable': (path) => {
      rmSync(path)
      symlinkSync(join(folder, 'nowhere'), path)
    },
  }
  const copy = async (): Promise<void> => {
    scene.clock.advance(6_000)
    // Holds: this job returns what it has started.
    await ((await scene.run('copy-results')) as { readonly done: Promise<unknown> }).done
  }
  for (const [name, damage] of Object.entries(damages)) {
    const { id } = await scene.client.videos.create(params)
    for (const video of scene.vendor.videos.values()) video.status = 'completed'
    await scene.poll()
    await copy()
    damage(join(folder, 'results', `${id}-0`))
    const whole = await scene.app.request(`/v1/videos/${id}/content`, { headers: { authorization: `Bearer ${scene.key}` } })
    expect([name, whole.status, Buffer.from(await whole.arrayBuffer()).equals(mp4File)]).toEqual([name, 200, true])
    await scene.client.videos.delete(id)
    await copy()
    expect([name, readdirSync(join(folder, 'results')).filter((file) => file.startsWith(id))]).toEqual([name, []])
  }
  await scene.app.close()
  rmSync(folder, { recursive: true, force: true })
}, 60_000)

test('what a killed process had begun to copy is deleted at the next copy', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-copies-'))
  const scene = await taskScene({ env: { DATA_DIR: folder } })
  await setOptions(scene.app, { TaskResultHours: 1 })
  const { mkdirSync } = await import('node:fs')
  mkdirSync(join(folder, 'results'))
  writeFileSync(join(folder, 'results', 'video_0-0.part'), 'half')
  const client = clientFor(scene.app, scene.key)
  await client.videos.create(params)
  for (const video of scene.vendor.videos.values()) video.status = 'completed'
  await scene.poll()
  scene.clock.advance(6_000)
  // Holds: this job returns what it has started.
  const { done } = (await scene.run('copy-results')) as { readonly done: Promise<unknown> }
  await done
  const names = readdirSync(join(folder, 'results'))
  expect([names.includes('video_0-0.part'), names.length > 0]).toEqual([false, true])
  await scene.app.close()
  rmSync(folder, { recursive: true, force: true })
})
