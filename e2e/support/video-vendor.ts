import type { TestApp } from '../../apps/server/test/app.ts'
import { json, type Received, type Script } from '../../apps/server/test/fake-upstream.ts'
import { film, silence, still } from './film.ts'

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

/** A vendor of OpenAI's videos, and of songs in the form of Suno-API, on the scripted upstream. @returns a function that sets the state of the videos that have not ended */
export function startVideoVendor({ upstream }: Pick<TestApp, 'upstream'>): (state: VideoState) => void {
  const videos = new Map<string, Video>()
  const songs = new Map<string, { state: VideoState }>()
  upstream.always((request) => {
    if (request.path.startsWith('/v1/videos')) return answer(request, videos)
    if (request.path === '/sound.wav')
      return [
        { do: 'head', status: 200, headers: { 'content-type': 'audio/wav' } },
        { do: 'send', bytes: silence() },
      ]
    return request.path.startsWith('/suno/') ? songAnswer(request, songs, `${upstream.url}/sound.wav`) : null
  })
  return (state) => {
    for (const video of [...videos.values(), ...songs.values()])
      if (video.state.status === 'queued' || video.state.status === 'in_progress') video.state = state
  }
}

function answer({ method, path, body }: Received, videos: Map<string, Video>): Script {
  const { pathname, searchParams } = new URL(path, 'http://vendor')
  const [, , , id = '', below] = pathname.split('/')
  if (method === 'POST') {
    const { seconds = '4', size = '1280x720', model = 'sora-2' } = fieldsOf(body)
    const video: Video = { id: `video-${videos.size + 1}`, seconds, size, model, state: { status: 'queued', progress: 0 } }
    videos.set(video.id, video)
    return json(shown(video))
  }
  const video = videos.get(id)
  if (video === undefined) return json({ error: { message: 'no such video', type: 'invalid_request_error' } }, 404)
  if (method === 'DELETE') {
    videos.delete(id)
    return json({ id, object: 'video.deleted', deleted: true })
  }
  if (below !== 'content') return json(shown(video))
  const isFilm = (searchParams.get('variant') ?? 'video') === 'video'
  return [
    { do: 'head', status: 200, headers: { 'content-type': isFilm ? 'video/webm' : 'image/webp' } },
    { do: 'send', bytes: Buffer.from(isFilm ? film : still, 'base64') },
  ]
}

const shown = ({ state, ...video }: Video) => ({ object: 'video', created_at: 1, error: null, ...video, ...state })

/** Of an order in JSON; a form has the defaults. */
function fieldsOf(body: string): { readonly seconds?: string; readonly size?: string; readonly model?: string } {
  try {
    return JSON.parse(body)
  } catch {
    return {}
  }
}

const songStates = { queued: 'QUEUED', in_progress: 'IN_PROGRESS', completed: 'SUCCESS', failed: 'FAILURE' } as const

function songAnswer({ method, path, body }: Received, songs: Map<string, { state: VideoState }>, sound: string): Script {
  const told = (id: string) => {
    const state = songs.get(id)?.state
    if (state === undefined) return null
    const data = state.status === 'completed' ? [{ id: `clip-${id}`, title: 'Rain', audio_url: sound }] : null
    const reason = state.error?.message ?? ''
    return { task_id: id, action: 'MUSIC', status: songStates[state.status], progress: `${state.progress}%`, fail_reason: reason, data }
  }
  const success = (data: unknown) => json({ code: 'success', message: '', data })
  if (path.startsWith('/suno/submit/')) {
    const id = `song-${songs.size + 1}`
    songs.set(id, { state: { status: 'queued', progress: 0 } })
    return success(id)
  }
  if (method !== 'POST') return success(told(path.split('/')[3] ?? ''))
  const { ids }: { readonly ids: readonly string[] } = JSON.parse(body)
  return success(ids.map(told).filter((task) => task !== null))
}
