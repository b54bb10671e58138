import { json, type Received, type Script } from '../../fake-upstream.ts'
import type { AnyDouble } from '../task-stage.ts'
import { addWork, begun, type DoubleWork, resultOf, type TaskDouble, wordsAbout } from './task-double.ts'

const key = 'sk-suno-relay-0001'

/** A relay of Suno in the form of Suno-API. */
export interface SunoDouble extends AnyDouble, Pick<TaskDouble, 'elsewhere' | 'took'> {
  readonly wrongKey: Script
  readonly wrongContent: Script
}

export function sunoDouble(): SunoDouble {
  const double: SunoDouble = {
    ...begun(),
    type: 45,
    key,
    models: 'suno_music,suno_lyrics',
    contentType: 'audio/mpeg',
    wrongKey: json({ code: 'invalid_token', message: `wrong token ${key}`, data: null }, 401),
    wrongContent: json({ code: 'sensitive_words_detected', message: 'sensitive', data: null }, 400),
    isAuthorized: ({ headers }) => headers['authorization'] === `Bearer ${key}`,
    response: (request, origin) => respond(request, double, origin),
  }
  return double
}

/** sunoapi.org, which a channel recognizes by the name of its host. */
export function sunoapiDouble(): SunoDouble {
  const double: SunoDouble = {
    ...sunoDouble(),
    publicName: 'api.sunoapi.org',
    wrongKey: json({ code: 401, msg: `wrong token ${key}`, data: null }),
    wrongContent: json({ code: 413, msg: 'sensitive', data: null }),
    response: (request, origin) => recordOf(request, double, origin),
  }
  return double
}

const stages: Readonly<Record<string, string>> = {
  queued: 'PENDING',
  running: 'TEXT_SUCCESS',
  done: 'SUCCESS',
  moderated: 'SENSITIVE_WORD_ERROR',
}

function recordOf({ method, path }: Received, double: SunoDouble, origin: string): Script {
  const { pathname, searchParams } = new URL(path, origin)
  if (method === 'POST')
    return json({ code: 200, msg: 'success', data: { taskId: addWork(double, `sunoapi-work-${double.works.length + 1}`).id } })
  const work = double.works.find(({ id }) => id === searchParams.get('taskId'))
  if (work === undefined || pathname !== '/api/v1/generate/record-info') return json({ code: 404, msg: 'unknown', data: null })
  const audioUrl = `${resultOf(work, double, origin)}.mp3`
  const response = work.stage === 'done' ? { sunoData: [{ id: 'clip-1', audioUrl, title: 'Rain', tags: 'calm', duration: 99 }] } : null
  const status = stages[work.stage] ?? 'GENERATE_AUDIO_FAILED'
  return json({ code: 200, msg: 'success', data: { taskId: work.id, status, errorMessage: wordsAbout(work, key), response } })
}

const states: Readonly<Record<string, string>> = { queued: 'QUEUED', running: 'IN_PROGRESS', done: 'SUCCESS' }

const success = (data: unknown): Script => json({ code: 'success', message: '', data })

function respond({ method, path, body }: Received, double: SunoDouble, origin: string): Script {
  const [, , what = '', name = ''] = path.split('/')
  if (what === 'submit') return success(addWork(double, `suno-work-${name}-${double.works.length + 1}`).id)
  const ids = method === 'POST' ? (JSON.parse(body) as { readonly ids: readonly string[] }).ids : [name]
  const tasks = double.works.filter(({ id }) => ids.includes(id)).map((work) => taskOf(work, double, origin))
  return success(method === 'POST' ? tasks : (tasks[0] ?? null))
}

function taskOf(work: DoubleWork, double: SunoDouble, origin: string): object {
  const { id, stage } = work
  const reason = stage === 'moderated' ? `Your words were flagged by moderation. ${wordsAbout(work, key)}` : wordsAbout(work, key)
  return {
    task_id: id,
    action: id.includes('LYRICS') ? 'LYRICS' : 'MUSIC',
    status: states[stage] ?? 'FAILURE',
    progress: stage === 'running' ? '40%' : '0%',
    fail_reason: states[stage] === undefined ? reason : '',
    data: stage === 'done' ? outcomeOf(work, double, origin) : null,
  }
}

function outcomeOf(work: DoubleWork, double: SunoDouble, origin: string): object {
  if (work.id.includes('LYRICS')) return { id: 'words-1', status: 'complete', title: 'Rain', text: 'It rains.' }
  const audio = (index: number): string => `${resultOf(work, double, origin)}-${index}.mp3`
  return [1, 2].map((index) => ({ id: `clip-${index}`, title: 'Rain', audio_url: audio(index) }))
}
