import { mp4File, silence } from './mp4.ts'
import type { TaskToInsert } from './task-rows.ts'

type Colour = readonly [red: number, green: number, blue: number]

interface Scene {
  readonly above: Colour
  readonly horizon: Colour
  readonly ground: Colour
}

const dusk: Scene = { above: [38, 46, 92], horizon: [232, 148, 96], ground: [52, 40, 48] }
const morning: Scene = { above: [168, 206, 226], horizon: [246, 236, 214], ground: [104, 134, 112] }
const night: Scene = { above: [10, 14, 34], horizon: [46, 72, 120], ground: [16, 20, 28] }
const meadow: Scene = { above: [92, 158, 222], horizon: [214, 236, 248], ground: [96, 158, 72] }

/** A landscape as a bitmap: a sky, a sun and hills. */
function landscape({ above, horizon, ground }: Scene, [width, height]: readonly [number, number]): string {
  const stride = Math.ceil((width * 3) / 4) * 4
  const image = Buffer.alloc(54 + stride * height)
  image.write('BM', 0)
  image.writeUInt32LE(image.length, 2)
  image.writeUInt32LE(54, 10)
  image.writeUInt32LE(40, 14)
  image.writeInt32LE(width, 18)
  image.writeInt32LE(height, 22)
  image.writeUInt16LE(1, 26)
  image.writeUInt16LE(24, 28)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const far = y / height
      const hill = 0.3 + 0.1 * Math.sin((x / width) * 5) + 0.04 * Math.sin((x / width) * 17)
      const isSun = Math.hypot(x - width * 0.7, y - height * 0.62) < height * 0.1
      const share = (far - hill) / (1 - hill)
      const [red, green, blue] = isSun && far > hill ? [255, 244, 214] : far < hill ? ground : blend(horizon, above, share)
      image.writeUIntBE((blue << 16) | (green << 8) | red, 54 + y * stride + x * 3, 3)
    }
  }
  return image.toString('base64')
}

function blend(from: Colour, to: Colour, share: number): Colour {
  const mixed = (index: 0 | 1 | 2) => Math.round(from[index] + (to[index] - from[index]) * share)
  return [mixed(0), mixed(1), mixed(2)]
}

const wide = [160, 90] as const
const square = [120, 120] as const

const videoOf = (scene: Scene) =>
  [
    { variant: 'video', contentType: 'video/webm', base64: mp4File },
    { variant: 'thumbnail', contentType: 'image/bmp', base64: landscape(scene, wide) },
  ] as const
const imageOf = (scene: Scene) => [{ variant: 'image', contentType: 'image/bmp', base64: landscape(scene, square) }] as const

type OfficeTask = Omit<TaskToInsert, 'userId' | 'channelId' | 'createdAt'> & { readonly minutesAgo: number }

/** The last is the newest. */
const tasks: readonly OfficeTask[] = [
  {
    ...{ kind: 'videos', model: 'sora-2', state: 'expired', quota: 400_000, minutesAgo: 9_400, took: 172_800, seconds: 8 },
    prompt: 'Timelapse of the new office being built, seen from the crane',
    error: { code: 'timed_out', message: 'The vendor did not finish it within two days.' },
  },
  {
    ...{ kind: 'songs', model: 'suno_lyrics', state: 'completed', quota: 5_000, minutesAgo: 4_310, took: 9 },
    prompt: 'Lyrics for a farewell song for Grace, who moves to Lisbon',
    results: [
      { variant: 'text', text: 'Suitcase by the door,\na harbour in your eyes,\nwe kept your coffee cup\nand all of your goodbyes.' },
    ],
  },
  {
    ...{ kind: 'pictures', model: 'flux-1.1-pro', state: 'completed', quota: 20_000, minutesAgo: 2_890, took: 14, size: '1024x1024' },
    prompt: 'حقل أخضر تحت سماء صافية، ألوان مائية، ضوء الصباح',
    results: imageOf(meadow),
  },
  {
    ...{
      kind: 'videos',
      model: 'sora-2-pro',
      state: 'failed',
      quota: 1_250_000,
      minutesAgo: 1_445,
      took: 38,
      seconds: 12,
      size: '1792x1024',
    },
    prompt: 'A famous actor walks into our shop and praises the new coffee machine',
    error: { code: 'moderation_blocked', message: 'The prompt was refused by the safety system: it names a real person.' },
  },
  {
    ...{ kind: 'pictures', model: 'flux-1.1-pro', state: 'cancelled', quota: 20_000, minutesAgo: 1_320, took: 5, size: '1024x1024' },
    prompt: 'Logo of the autumn fair, flat, two colours',
  },
  {
    ...{ kind: 'songs', model: 'suno_music', state: 'completed', quota: 50_000, minutesAgo: 610, took: 96 },
    prompt: 'An upbeat indie track with hand claps and a warm bass, for the opening of the autumn fair, without words',
    results: [
      { variant: 'audio', contentType: 'audio/wav', base64: silence().toString('base64') },
      { variant: 'thumbnail', contentType: 'image/bmp', base64: landscape(night, square) },
    ],
  },
  {
    ...{ kind: 'videos', model: 'sora-2', state: 'completed', quota: 400_000, minutesAgo: 184, took: 141, seconds: 8, size: '1280x720' },
    prompt: '清晨的江南水乡，薄雾笼罩着石桥，一只乌篷船缓缓划过，水面泛起涟漪，镜头缓慢向前推进',
    results: videoOf(morning),
  },
  {
    ...{ kind: 'videos', model: 'sora-2', state: 'completed', quota: 400_000, minutesAgo: 47, took: 118, seconds: 8, size: '1280x720' },
    prompt: 'A paper boat drifts down a rain-soaked street at dusk, slow dolly shot, warm shop windows reflected in the puddles, 35 mm',
    results: videoOf(dusk),
  },
  {
    ...{ kind: 'videos', model: 'sora-2-pro', state: 'in_progress', progress: 40, quota: 1_500_000, minutesAgo: 3, seconds: 12 },
    prompt: 'The same boat reaches the harbour and turns into a real sailing ship, one continuous shot',
    size: '1792x1024',
  },
  {
    ...{ kind: 'songs', model: 'suno_music', state: 'queued', quota: 50_000, minutesAgo: 1 },
    prompt: '为秋季展会写一首轻快的开场曲，带一点爵士',
  },
]

/** @param now seconds */
export function officeTasks(owners: readonly { readonly id: number }[], channelId: number, now: number): readonly TaskToInsert[] {
  return tasks.map(({ minutesAgo, ...task }, index) => ({
    ...task,
    userId: owners[(index * 3) % owners.length]?.id ?? 1,
    channelId,
    createdAt: now - minutesAgo * 60,
  }))
}
