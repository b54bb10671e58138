import { isObject, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { RunningTask } from '../../core/task.ts'
import { workOf } from './clips.ts'

// A task in the form of Suno-API, which clients of songs know, made of a record of sunoapi.org.

/** Names of a clip: theirs -> those that clients know. */
const names: Readonly<Record<string, string>> = {
  id: 'id',
  title: 'title',
  audioUrl: 'audio_url',
  imageUrl: 'image_url',
  videoUrl: 'video_url',
  modelName: 'model_name',
  text: 'text',
  status: 'status',
}

const inMetadata: Readonly<Record<string, string>> = { tags: 'tags', prompt: 'prompt', duration: 'duration' }

/** @param status in the words of Suno-API */
export function asTask(task: RunningTask, record: JsonObject, status: string): JsonObject {
  const outputs = outputsIn(record)
  const work = workOf(task)
  return {
    task_id: task.vendorId,
    action: work.toUpperCase(),
    status,
    fail_reason: status === 'FAILURE' ? textOr(record['errorMessage'], '') : '',
    progress: status === 'SUCCESS' ? '100%' : '0%',
    data:
      work === 'lyrics'
        ? (outputs.map(renamed)[0] ?? null)
        : outputs.map((clip) => ({ ...renamed(clip), metadata: picked(clip, inMetadata) })),
  }
}

/** The clips of a song, or the texts. */
export function outputsIn({ response }: JsonObject): readonly JsonObject[] {
  if (!isObject(response)) return []
  const list: Json | undefined = response['sunoData'] ?? response['data']
  return Array.isArray(list) ? list.filter(isObject) : []
}

function renamed(clip: JsonObject): JsonObject {
  return picked(clip, names)
}

function picked(from: JsonObject, fields: Readonly<Record<string, string>>): JsonObject {
  return Object.fromEntries(Object.entries(fields).flatMap(([theirs, ours]) => (from[theirs] === undefined ? [] : [[ours, from[theirs]]])))
}
