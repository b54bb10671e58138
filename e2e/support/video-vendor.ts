import type { TestApp } from '../../apps/server/test/app.ts'
import { json, type Received, type Script } from '../../apps/server/test/fake-upstream.ts'
import { mp4File, silence, still } from './mp4.ts'

/** What the double says of every video that it has. */
export interface VideoState {
  readonly status: 'queued' | 'in_progress' | 'completed' | 'failed'
  readonly progress: number
  readonly error?: { readonly code: string; readonly message: string }
}

interface Video {
  readonly id: string
  readonly seconds: string
  readonly size: string
  readonly model: string
  state: VideoState
}

/** A vendor of OpenAI's videos, of songs in the form of Suno-API, and of Flux's images, on the scripted upstream. @returns a function that sets the state of the videos that have not ended */
export function startVideoVendor({ upstream }: Pick<TestApp, 'upstream'>): (state: VideoState) => void {
  const videos = new Map<string, Video>()
  const songs = new Map<string, { state: VideoState }>()
  const images = new Map<string, { state: VideoState }>()
  upstream.always((request) => {
    if (request.path.startsWith('/v1/videos')) return response(request, videos)
    if (/^\/v1\/(?:flux-|get_result)/.test(request.path)) return imageResponse(request, images, upstream.url)
    if (request.path === '/picture.webp')
      return [
        { do: 'head', status: 200, headers: { 'content-type': 'image/webp' } },
        { do: 'send', bytes: Buffer.from(still, 'base64') },
      ]
    if (request.path === '/sound.wav')
      return [
        { do: 'head', status: 200, headers: { 'content-type': 'audio/wav' } },
        { do: 'send', bytes: silence() },
      ]
    return request.path.startsWith('/suno/') ? songResponse(request, songs, `${upstream.url}/sound.wav`) : null
  })
  return (state) => {
    for (const video of [...videos.values(), ...songs.values(), ...images.values()])
      if (video.state.status === 'queued' || video.state.status === 'in_progress') video.state = state
  }
}

function response({ method, path, body }: Received, videos: Map<string, Video>): Script {
  const { pathname, searchParams } = new URL(path, 'http://vendor')
  const [, , , id = '', below] = pathname.split('/')
  if (method === 'POST') {
    const { seconds = '4', size = '1280x720', model = 'sora-2' } = fieldsOf(body)
    const video: Video = { id: `video-${videos.size + 1}`, seconds, size, model, state: { status: 'queued', progress: 0 } }
    videos.set(video.id, video)
    return json(videoObject(video))
  }
  const video = videos.get(id)
  if (video === undefined) return json({ error: { message: 'no such video', type: 'invalid_request_error' } }, 404)
  if (method === 'DELETE') {
    videos.delete(id)
    return json({ id, object: 'video.deleted', deleted: true })
  }
  if (below !== 'content') return json(videoObject(video))
  const isVideo = (searchParams.get('variant') ?? 'video') === 'video'
  return [
    { do: 'head', status: 200, headers: { 'content-type': isVideo ? 'video/webm' : 'image/webp' } },
    { do: 'send', bytes: Buffer.from(isVideo ? mp4File : still, 'base64') },
  ]
}

const videoObject = ({ state, ...video }: Video) => ({ object: 'video', created_at: 1, error: null, ...video, ...state })

/** Of a task request in JSON; a form has the defaults. */
function fieldsOf(body: string): { readonly seconds?: string; readonly size?: string; readonly model?: string } {
  try {
    return JSON.parse(body)
  } catch {
    return {}
  }
}

const imageStates = { queued: 'Pending', in_progress: 'Generating', completed: 'Ready', failed: 'Error' } as const

function imageResponse({ method, path }: Received, images: Map<string, { state: VideoState }>, origin: string): Script {
  if (method === 'POST') {
    const id = `picture-${images.size + 1}`
    images.set(id, { state: { status: 'queued', progress: 0 } })
    return json({ id, polling_url: `${origin}/v1/get_result?id=${id}` })
  }
  const id = new URL(path, origin).searchParams.get('id') ?? ''
  const state = images.get(id)?.state
  if (state === undefined) return json({ id, status: 'Task not found', result: null })
  return json({
    id,
    status: imageStates[state.status],
    result: state.status === 'completed' ? { sample: `${origin}/picture.webp` } : null,
  })
}

const songStates = { queued: 'QUEUED', in_progress: 'IN_PROGRESS', completed: 'SUCCESS', failed: 'FAILURE' } as const

function songResponse({ method, path, body }: Received, songs: Map<string, { state: VideoState }>, audio: string): Script {
  const taskOf = (id: string) => {
    const state = songs.get(id)?.state
    if (state === undefined) return null
    const data = state.status === 'completed' ? [{ id: `clip-${id}`, title: 'Rain', audio_url: audio }] : null
    const reason = state.error?.message ?? ''
    return { task_id: id, action: 'MUSIC', status: songStates[state.status], progress: `${state.progress}%`, fail_reason: reason, data }
  }
  const success = (data: unknown) => json({ code: 'success', message: '', data })
  if (path.startsWith('/suno/submit/')) {
    const id = `song-${songs.size + 1}`
    songs.set(id, { state: { status: 'queued', progress: 0 } })
    return success(id)
  }
  if (method !== 'POST') return success(taskOf(path.split('/')[3] ?? ''))
  const { ids }: { readonly ids: readonly string[] } = JSON.parse(body)
  return success(ids.map(taskOf).filter((task) => task !== null))
}
