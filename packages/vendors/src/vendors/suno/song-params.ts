import type { Json, JsonObject } from '../../core/json.ts'
import type { RejectedTask, TaskFields, TaskParams } from '../../core/task.ts'
import { anyText, flag, jsonThat, numberBetween, oneOf, type Parameters, textIn, usually, wrongIn } from '../../core/task-parameter.ts'
import { omitUndefined } from '../../protocols/shared/chat-parts.ts'
import { fieldsWith, foreignIn, workOf } from './clips.ts'

// Orders of songs for sunoapi.org, in its own parameters or in those of Suno-API (docs.sunoapi.org, "Generate Music", "Extend Music" and
// "Generate Lyrics", read 2026-11-23).

/** A path and a body without the address of the callback. */
export interface Call {
  readonly path: string
  readonly body: JsonObject
}

const versions = ['V4', 'V4_5', 'V4_5PLUS', 'V4_5ALL', 'V5', 'V5_5']

/** Names of Suno's models, which Suno-API uses, and their versions. */
const namedVersions: Readonly<Record<string, string>> = {
  'chirp-v4': 'V4',
  'chirp-auk': 'V4_5',
  'chirp-bluejay': 'V4_5PLUS',
  'chirp-crow': 'V5',
}

/** The one that is sent if the client names none: there has to be one. */
const usualVersion = 'V5'

const share = numberBetween(0, 1)

/** Parameters that are sent as they come. */
const own: Parameters = {
  negativeTags: anyText,
  vocalGender: oneOf(['m', 'f']),
  styleWeight: share,
  weirdnessConstraint: share,
  audioWeight: share,
  personaId: anyText,
  personaModel: anyText,
}

const version = usually(usualVersion, oneOf([...versions, ...Object.keys(namedVersions)]))

const songParameters: Parameters = {
  ...own,
  customMode: flag,
  instrumental: flag,
  style: anyText,
  title: anyText,
  gpt_description_prompt: anyText,
  tags: anyText,
  negative_tags: anyText,
  mv: version,
  make_instrumental: flag,
  continue_clip_id: anyText,
  continue_at: jsonThat((value) => typeof value === 'number' && value > 0),
  notify_hook: oneOf(['']),
}

/** Beside title, tags and prompt. Further names of Suno-API mean the same as these. */
const fieldsOfSongs: Parameters = { ...own, instrumental: usually(false, flag), mv: version, continue_clip_id: anyText }

export function fieldsOf(model: string): TaskFields {
  return fieldsWith(model, fieldsOfSongs)
}

export function callFor(params: TaskParams): Call | RejectedTask {
  const isSong = workOf(params) === 'music'
  // The clip that is continued is enough for the vendor; the task that made it only decides the channel.
  const parameters = { ...(isSong ? songParameters : { notify_hook: oneOf(['']) }), ...(params.source !== null && { task_id: anyText }) }
  const refused = wrongIn(params, parameters) ?? foreignIn(params)
  if (refused !== null) return { refused }
  if (isSong) return songFor(params)
  return params.prompt === '' ? { refused: 'prompt' } : { path: '/api/v1/lyrics', body: { prompt: params.prompt } }
}

/** What a song is made of, with empty texts left out. */
interface Song {
  readonly prompt: string | undefined
  readonly description: string | undefined
  readonly style: string | undefined
  readonly title: string | undefined
  readonly instrumental: boolean
  readonly rest: JsonObject
}

function songFor(params: TaskParams): Call | RejectedTask {
  const { extra } = params
  const song = songOf(params)
  const clip = filled(textIn(extra, 'continue_clip_id'))
  if (clip !== undefined) return extensionOf(song, { audioId: clip, continueAt: extra['continue_at'] })
  if (extra['continue_at'] !== undefined && extra['continue_at'] !== null) return { refused: 'continue_clip_id' }
  const isCustom = extra['customMode'] ?? (song.style !== undefined || song.title !== undefined)
  return isCustom === true ? customOf(song) : describedOf(song)
}

function songOf({ prompt, extra }: TaskParams): Song {
  const version = textIn(extra, 'mv') ?? usualVersion
  const ownFields = Object.fromEntries(Object.keys(own).map((name) => [name, extra[name]]))
  return {
    prompt: filled(prompt),
    description: filled(textIn(extra, 'gpt_description_prompt')),
    style: filled(textIn(extra, 'style')) ?? filled(textIn(extra, 'tags')),
    title: filled(textIn(extra, 'title')),
    instrumental: (extra['instrumental'] ?? extra['make_instrumental']) === true,
    rest: omitUndefined({ model: namedVersions[version] ?? version, negativeTags: extra['negative_tags'], ...omitUndefined(ownFields) }),
  }
}

function filled(text: string | undefined): string | undefined {
  return text === '' ? undefined : text
}

const path = '/api/v1/generate'

/** With its style and title; words only if it is sung. */
function customOf({ prompt, description, style, title, instrumental, rest }: Song): Call | RejectedTask {
  if (description !== undefined) return { refused: 'gpt_description_prompt' }
  if (style === undefined) return { refused: 'tags' }
  if (title === undefined) return { refused: 'title' }
  if (prompt === undefined && !instrumental) return { refused: 'prompt' }
  return { path, body: omitUndefined({ customMode: true, instrumental, style, title, prompt, ...rest }) }
}

/** From a description of all of it. */
function describedOf({ prompt, description, instrumental, rest }: Song): Call | RejectedTask {
  const text = description ?? prompt
  if (text === undefined) return { refused: 'prompt' }
  if (description !== undefined && prompt !== undefined) return { refused: 'gpt_description_prompt' }
  return { path, body: { customMode: false, instrumental, prompt: text, ...rest } }
}

/** What a song that exists is continued with: parameters of its own need the place, a style and a title. */
function extensionOf(
  song: Song,
  { audioId, continueAt }: { readonly audioId: string; readonly continueAt: Json | undefined },
): Call | RejectedTask {
  const { prompt, description, style, title, rest } = song
  if (description !== undefined) return { refused: 'gpt_description_prompt' }
  const isOwn = [continueAt ?? undefined, prompt, style, title].some((value) => value !== undefined)
  const body = omitUndefined({ defaultParamFlag: isOwn, audioId, continueAt, prompt, style, title, ...rest })
  if (isOwn && (continueAt === undefined || continueAt === null)) return { refused: 'continue_at' }
  if (isOwn && style === undefined) return { refused: 'tags' }
  if (isOwn && title === undefined) return { refused: 'title' }
  return { path: `${path}/extend`, body }
}
