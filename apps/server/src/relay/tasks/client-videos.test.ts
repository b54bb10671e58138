import { afterAll, beforeAll, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { json } from '../../../test/fake-upstream.ts'
import { mp4Of } from '../../../test/mp4.ts'
import { apiErrorOf, balanceOf, clientFor, closeConsistent, holdsOf, type TaskScene, taskScene } from '../../../test/task-scene.ts'

// Videos that clients send: changed, continued, and made into characters.

let scene: TaskScene
beforeAll(async () => {
  scene = await taskScene()
})
afterAll(() => closeConsistent(scene))

const params = { model: 'sora-2', prompt: 'A cat', seconds: '8', size: '1280x720' } as const

/** The double finishes its last video, and the server asks about it. */
async function finish(): Promise<void> {
  const video = [...scene.vendor.videos.values()].at(-1)
  if (video !== undefined) video.status = 'completed'
  await scene.poll()
}

const mp4File = (facts: { seconds: number; width: number; height: number }) => new File([mp4Of(facts)], 'cat.mp4', { type: 'video/mp4' })

test('a video of the client is changed or continued, and costs what its file says', async () => {
  const { client, vendor, app, user } = scene
  const before = await balanceOf(app, user)
  const clip = mp4File({ seconds: 7.2, width: 1280, height: 720 })
  expect(await client.videos.edit({ prompt: 'At night', video: clip })).toMatchObject({ seconds: '8', size: '1280x720', model: 'sora-2' })
  expect(vendor.createRequests().at(-1)).toMatchObject({ path: '/v1/videos/edits', body: expect.stringContaining('filename="cat.mp4"') })
  await finish()
  // The vendor says four seconds.
  expect(before - (await balanceOf(app, user))).toBe(200_000)
  expect(await client.videos.extend({ prompt: 'And on', video: clip, seconds: '12' })).toMatchObject({ seconds: '12' })
  expect(vendor.createRequests().at(-1)?.path).toBe('/v1/videos/extensions')
  await finish()
  const createRequests = vendor.createRequests().length
  const page = new File(['<html></html>'], 'cat.mp4', { type: 'video/mp4' })
  expect(await apiErrorOf(client.videos.edit({ prompt: 'x', video: page }))).toMatchObject({ status: 400, param: 'video' })
  const odd = mp4File({ seconds: 4, width: 640, height: 480 })
  expect(await apiErrorOf(client.videos.edit({ prompt: 'x', video: odd }))).toMatchObject({ status: 400, param: 'video' })
  expect(vendor.createRequests().length).toBe(createRequests)
})

test('a character is made of a video, belongs to its account, and is named by later orders', async () => {
  const { client, vendor, app, user } = scene
  const before = await balanceOf(app, user)
  const video = mp4File({ seconds: 3, width: 1280, height: 720 })
  vendor.response = ({ path }) => (path === '/v1/videos/characters' ? json({ id: 'char_vendor', name: 'Luna', created_at: 1 }) : null)
  const character = await client.videos.createCharacter({ name: 'Luna', video })
  expect([character.name, character.id]).toEqual(['Luna', expect.stringMatching(/^char_[0-9a-f]{32}$/)])
  expect(await client.videos.getCharacter(character.id ?? '')).toEqual(character)
  const cast = { ...params, characters: [{ id: character.id }] }
  const { id } = await client.videos.create(cast)
  expect(JSON.parse(vendor.createRequests().at(-1)?.body ?? '{}')).toEqual({ ...params, characters: [{ id: 'char_vendor' }] })
  await finish()
  const row = (await app.data(contract.task.list, {})).find(({ public_id }) => public_id === id)
  const detail = JSON.stringify(await app.data(contract.task.get, { id: row?.id ?? 0 }))
  expect([detail.includes(String(character.id)), detail.includes('char_vendor')]).toEqual([true, false])
  const stranger = await app.make.user({ quota: 1_000_000 })
  const other = clientFor(app, (await app.make.token(stranger, { isUnlimited: true })).key)
  expect(await apiErrorOf(other.videos.getCharacter(character.id ?? ''))).toMatchObject({ status: 404 })
  expect(await apiErrorOf(other.videos.create(cast))).toMatchObject({ status: 400, param: 'characters' })
  // Nothing but the video of eight seconds was paid.
  expect(before - (await balanceOf(app, user))).toBe(400_000)
  vendor.response = ({ path }) =>
    path === '/v1/videos/characters' ? json({ error: { message: 'A person.', code: 'moderation_blocked' } }, 400) : null
  expect(await apiErrorOf(client.videos.createCharacter({ name: 'Tom', video }))).toMatchObject({ status: 400, code: 'moderation_blocked' })
  expect(await apiErrorOf(client.videos.createCharacter({ name: ' ', video }))).toMatchObject({ status: 400, param: 'name' })
  vendor.response = () => null
})

/** Every member in which a vendor would read an address, and every call that takes one. */
const addressFields = {
  input_reference: (url: string) => ({ image_url: url }),
  last_frame: (url: string) => url,
  reference_images: (url: string) => ['https://pictures.example/a.png', url],
  image_references: (url: string) => [{ type: 'subject', ref_name: 'cat', image_url: url }],
  keyframes: (url: string) => [[0, url]],
  start_video: (url: string) => url,
  video_url: (url: string) => url,
  mask: (url: string) => url,
}
const createPaths = [
  '/v1/videos',
  '/v1/tasks',
  '/v1/tasks?kind=pictures',
  '/v1/videos/edits',
  '/v1/videos/extensions',
  '/v1/videos/video_1/remix',
]
const privateAddresses = ['http://127.0.0.1/x', 'http://169.254.169.254/x', 'http://[fd00::1]/x', 'http://intranet/x', 'file:///etc/passwd']

test('an address of a local network is refused by its name, whatever the call and the member are', async () => {
  const { vendor } = scene
  const createRequests = vendor.createRequests().length
  for (const path of createPaths)
    for (const [name, withAddress] of Object.entries(addressFields))
      for (const address of privateAddresses) {
        const body = JSON.stringify({ model: 'sora-2', prompt: 'A cat', [name]: withAddress(address) })
        expect([path, name, address, await refusal(path, { 'content-type': 'application/json' }, body)]).toEqual([
          ...[path, name, address],
          { status: 400, code: 'invalid_parameter', param: name },
        ])
      }
  expect(vendor.createRequests().length).toBe(createRequests)
})

test('an image of 100 MB is refused with 413 by every call that takes images', async () => {
  const { vendor } = scene
  const createRequests = vendor.createRequests().length
  const bytes = Buffer.alloc(100_000_000)
  for (const path of createPaths) {
    const form = new FormData()
    form.set('model', 'sora-2')
    form.set('prompt', 'A cat')
    form.set('input_reference', new File([bytes], 'cat.png', { type: 'image/png' }))
    expect([path, await refusal(path, {}, form)]).toEqual([path, { status: 413, code: 'body_too_large', param: null }])
  }
  expect(vendor.createRequests().length).toBe(createRequests)
})

test('a video of more than 50 MB is refused with 413 by every call that takes videos, and nothing is reserved', async () => {
  const { vendor, app, user } = scene
  const [createRequests, balance] = [vendor.createRequests().length, await balanceOf(app, user)]
  const large = new File([Buffer.alloc(50 * 1024 * 1024 + 1)], 'cat.mp4', { type: 'video/mp4' })
  for (const path of ['/v1/videos/edits', '/v1/videos/extensions', '/v1/videos/characters']) {
    const form = new FormData()
    form.set('model', 'sora-2')
    form.set(path.endsWith('characters') ? 'name' : 'prompt', 'A cat')
    form.set('video', large)
    expect([path, await refusal(path, {}, form)]).toEqual([path, { status: 413, code: 'body_too_large', param: null }])
  }
  expect([vendor.createRequests().length, await balanceOf(app, user), await holdsOf(app)]).toEqual([createRequests, balance, 0])
})

async function refusal(path: string, headers: Readonly<Record<string, string>>, body: string | FormData) {
  const response = await scene.app.request(path, { method: 'POST', headers: { authorization: `Bearer ${scene.key}`, ...headers }, body })
  const { error } = (await response.json()) as { readonly error: { readonly code: string; readonly param: string | null } }
  return { status: response.status, code: error.code, param: error.param }
}

test('files of a form are what they are called', async () => {
  const { app, user, key, vendor } = scene
  await app.make.channel({ type: 49, models: 'gemini-omni-1.1-flash' })
  const form = new FormData()
  for (const [name, value] of Object.entries({ model: 'gemini-omni-1.1-flash', prompt: 'A cat', seconds: '5' })) form.set(name, value)
  for (const name of ['input_reference', 'last_frame']) form.set(name, new File([name], 'cat.png', { type: 'image/png' }))
  vendor.response = () => json({ id: 'v1_1', status: 'in_progress' })
  const before = await balanceOf(app, user)
  const request = { method: 'POST', headers: { authorization: `Bearer ${key}` } }
  const taken = await app.request('/v1/videos', { ...request, body: form })
  expect(taken.status).toBe(200)
  const data = (name: string) => ({ type: 'image', mime_type: 'image/png', data: Buffer.from(name).toString('base64') })
  const { body } = app.upstream.received.findLast(({ path }) => path.includes('interactions')) ?? { body: '{}' }
  expect(JSON.parse(body).input).toEqual([data('input_reference'), data('last_frame'), { type: 'text', text: 'A cat' }])
  const { id } = (await taken.json()) as { readonly id: string }
  vendor.response = () => json({ id: 'v1_1', status: 'cancelled' })
  await app.request(`/v1/tasks/${id}/cancel`, request)
  await scene.poll()
  expect(await balanceOf(app, user)).toBe(before)
  const odd = new FormData()
  for (const [name, value] of Object.entries(params)) odd.set(name, value)
  odd.set('photo', new File(['x'], 'cat.png', { type: 'image/png' }))
  vendor.response = () => null
  expect(await refusal('/v1/videos', {}, odd)).toMatchObject({ status: 400, param: 'photo' })
})

const image = new File(['a cat'], 'cat.png', { type: 'image/png' })
const text = 'a text'

test.each([
  [
    'a file twice',
    [
      ['last_frame', image],
      ['last_frame', image],
    ],
    'last_frame',
  ],
  [
    'a file and a text',
    [
      ['last_frame', text],
      ['last_frame', image],
    ],
    'last_frame',
  ],
  [
    'a file and a list of files',
    [
      ['reference_images', image],
      ['reference_images[]', image],
    ],
    'reference_images',
  ],
  [
    'a list of texts and of files',
    [
      ['reference_images[]', text],
      ['reference_images[]', image],
    ],
    'reference_images',
  ],
  [
    'a text twice',
    [
      ['seconds', '4'],
      ['seconds', '8'],
    ],
    'seconds',
  ],
  [
    'a member of an object twice',
    [
      ['input_reference[image_url]', text],
      ['input_reference[image_url]', text],
    ],
    'input_reference',
  ],
  ['a file called __proto__', [['__proto__', image]], '__proto__'],
  ['a text called __proto__', [['__proto__', '{"toString": 1}']], '__proto__'],
  ['a list called __proto__', [['__proto__[]', text]], '__proto__'],
  ['a member of __proto__', [['__proto__[model]', text]], '__proto__'],
  ['a file called constructor', [['constructor', image]], 'constructor'],
  ['a text called constructor', [['constructor', text]], 'constructor'],
  [
    'a film twice',
    [
      ['video', image],
      ['video', image],
    ],
    'video',
  ],
] as const)('a form with %s is refused by the name of the parameter, and orders nothing', async (_, parts, param) => {
  const { vendor, app } = scene
  const createRequests = vendor.createRequests().length
  const form = new FormData()
  form.set('model', 'sora-2')
  form.set('prompt', 'A cat')
  for (const [name, value] of parts) form.append(name, value)
  expect(await refusal('/v1/videos', {}, form)).toMatchObject({ status: 400, param })
  expect([vendor.createRequests().length - createRequests, await holdsOf(app)]).toEqual([0, 0])
})

test.each(['__proto__', 'constructor'])('a parameter of JSON called %s is refused by its name', async (name) => {
  const body = JSON.stringify({ model: 'sora-2', prompt: 'A cat' }).replace('{', `{"${name}": {"model": "x"}, `)
  const json = { 'content-type': 'application/json' }
  expect(await refusal('/v1/videos', json, body)).toEqual({ status: 400, code: 'parameter_not_offered', param: name })
  expect(await holdsOf(scene.app)).toBe(0)
})
