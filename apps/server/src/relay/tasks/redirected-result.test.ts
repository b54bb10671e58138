import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Received, Script } from '../../../test/fake-upstream.ts'
import { apiErrorOf, closeConsistent, mp4File, type TaskScene, taskScene } from '../../../test/task-scene.ts'
import { isLocalAddress } from '../../lib/public-address.ts'

// A vendor responds to a request for a result with a redirect to another host. The fake upstream stands for all hosts of the internet.

const addresses: Readonly<Record<string, readonly string[]>> = {
  'results.example': ['127.0.0.1'],
  'inside.example': ['127.0.0.1', '10.0.0.1'],
  'metadata.example': ['127.0.0.1', '169.254.169.254'],
}

let scene: TaskScene
beforeAll(async () => {
  scene = await taskScene({
    lookUp: async (host) => addresses[host] ?? [],
    isLocal: (address) => address !== '127.0.0.1' && isLocalAddress(address),
  })
})
afterAll(() => closeConsistent(scene))

const moved = (location: string): Script => [{ do: 'head', status: 302, headers: { location } }]

/** Orders a video whose content is at this host, by a redirect. */
async function videoAt(host: string): Promise<string> {
  const { client, vendor, app, poll } = scene
  const { port } = new URL(app.upstream.url)
  vendor.response = ({ path }: Received) => {
    if (path.endsWith('/content')) return moved(`http://${host}:${port}/film.mp4`)
    return path === '/film.mp4'
      ? [
          { do: 'head', status: 200, headers: { 'content-type': 'video/mp4' } },
          { do: 'send', bytes: mp4File },
        ]
      : null
  }
  const { id } = await client.videos.create({ model: 'sora-2', prompt: 'A cat', seconds: '4' })
  for (const video of vendor.videos.values()) video.status = 'completed'
  await poll()
  return id
}

const videosFetched = () => scene.app.upstream.received.filter(({ path }) => path === '/film.mp4')

test('a result at another public host is fetched there without the key', async () => {
  const response = await scene.client.videos.downloadContent(await videoAt('results.example'))
  expect(Buffer.from(await response.arrayBuffer()).equals(mp4File)).toBe(true)
  expect(videosFetched().map(({ headers }) => headers['authorization'])).toEqual([undefined])
})

test('a redirect to a name of which one address is in a local network, or of a metadata service, is not followed', async () => {
  const before = videosFetched().length
  for (const host of ['inside.example', 'metadata.example', '10.0.0.1', '169.254.169.254', '[::ffff:10.0.0.1]']) {
    const id = await videoAt(host)
    expect([410, 502]).toContain((await apiErrorOf(scene.client.videos.downloadContent(id))).status ?? 0)
  }
  expect(videosFetched().length).toBe(before)
})
