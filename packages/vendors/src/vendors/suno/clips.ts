import { isObject, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { type TaskAction, type TaskFields, type TaskParams, type TaskReport, type TaskResult, wordsOnly } from '../../core/task.ts'
import type { Parameters } from '../../core/task-parameter.ts'
import { failedWith } from '../../protocols/tasks/step-parts.ts'

// Parts that both dialects of songs share.

/** A song, and the words of one. */
export type Work = 'music' | 'lyrics'

/** What a task makes; a task request that names no action of its own is recognized by its model. */
export function workOf({ action, model }: { readonly action: TaskAction; readonly model: string }): Work {
  if (action === 'music' || action === 'lyrics') return action
  return model.endsWith('lyrics') ? 'lyrics' : 'music'
}

const models: Readonly<Record<Work, string>> = { music: 'suno_music', lyrics: 'suno_lyrics' }

/** What an order may have beside its prompt. A model of words has no parameters. */
export function fieldsWith(model: string, parameters: Parameters): TaskFields {
  return workOf({ action: 'create', model }) === 'lyrics' ? { ...wordsOnly, makesWords: true } : { ...wordsOnly, parameters }
}

/** The parameter of an order that no song has, or the model of the other work, which has another price; `null`: none. */
export function foreignIn(params: TaskParams): string | null {
  const work = workOf(params)
  if (params.model !== models[work] && Object.values(models).includes(params.model)) return 'model'
  if (params.seconds !== null) return 'seconds'
  if (params.size !== null) return 'size'
  return params.images.length > 0 ? 'input_reference' : null
}

/** The names of a clip's parts: two dialects write them differently. */
export interface ClipNames {
  readonly audio: string
  readonly images: readonly string[]
  readonly video: string
}

/** What a finished task made: clips of a song, or texts. */
export function resultsIn(output: Json | undefined, names: ClipNames): TaskResult[] {
  const pieces = Array.isArray(output) ? output : [output]
  return pieces.filter(isObject).flatMap((piece) => resultsOf(piece, names))
}

function resultsOf(piece: JsonObject, { audio, images, video }: ClipNames): TaskResult[] {
  const image = images.map((name) => piece[name]).find(isAddress)
  return [
    ...(isAddress(piece[audio]) ? [{ variant: 'audio' as const, url: piece[audio] }] : []),
    ...(image === undefined ? [] : [{ variant: 'image' as const, url: image }]),
    ...(isAddress(piece[video]) ? [{ variant: 'video' as const, url: piece[video] }] : []),
    ...(typeof piece['text'] === 'string' && piece['text'] !== '' ? [{ variant: 'text' as const, text: piece['text'] }] : []),
  ]
}

function isAddress(value: Json | undefined): value is string {
  return typeof value === 'string' && /^https?:\/\//.test(value)
}

/** An image alone is no song. */
export function completed(results: readonly TaskResult[], data: Json): TaskReport {
  const hasWork = results.some(({ variant }) => variant === 'audio' || variant === 'text')
  if (!hasWork) return { ...failedWith('no_result', 'the upstream service made neither a song nor a text').done, data }
  return { state: 'completed', progress: 100, results, data }
}

const isModerated = /moderat|sensitive|flagged|copyright/i

/** @param isSensitive whether the vendor's state says so; else its message shows it */
export function failedBecause(reason: Json | undefined, data: Json, isSensitive = false): TaskReport {
  const message = textOr(reason, '')
  return { ...failedWith(isSensitive || isModerated.test(message) ? 'moderation_blocked' : 'task_failed', message).done, data }
}

/** `57` for `57%`; `undefined`: it is no percentage. */
export function percentOf(progress: Json | undefined): number | undefined {
  const percent = typeof progress === 'string' ? Number(/^(\d{1,3})(?:\.\d+)?%?$/.exec(progress)?.[1]) : progress
  return typeof percent === 'number' && percent >= 0 && percent <= 100 ? percent : undefined
}
