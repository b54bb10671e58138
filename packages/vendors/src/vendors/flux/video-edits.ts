import { base64 } from '../../core/crypto-functions.ts'
import type { JsonObject } from '../../core/json.ts'
import type { TaskDialect, TaskParams } from '../../core/task.ts'
import { wholeBetween, wrongIn } from '../../core/task-parameter.ts'
import { withoutNull } from '../../protocols/tasks/step-parts.ts'
import { pollFor, submitWith } from './task-steps.ts'

// Changes of a video that the client sends: docs.bfl.ai, "FLUX Video Edit [fast]", as a search and clients of October 2026 quote it, read 2026-11-25.

const secondsLeast = 17 / 24
const secondsMost = 15
const sideLeast = 160

/** Credits for a second. */
const credits = 3

const parameters = { safety_tolerance: wholeBetween(0, 4) }

export const fluxVideoEdits: TaskDialect = {
  actions: ['edit'],
  videoActions: ['edit'],
  secondsMax: 2 * 60 * 60,
  fields: () => ({ seconds: null, sizes: [], images: { least: 0, most: 0 }, parameters, needsVideo: true }),
  plan(rawParams) {
    const params = withoutNull(rawParams)
    const refused = wrongIn(params, parameters) ?? refusedIn(params)
    if (refused !== null) return { refused }
    const seconds = Math.ceil(params.video?.seconds ?? 0)
    return { counts: { credits: credits * seconds }, seconds }
  },
  submit: submitWith(bodyFor),
  poll: pollFor('video'),
}

/** Length and size are those of the video. */
function refusedIn({ prompt, video, seconds, size, images }: TaskParams): string | null {
  if (prompt === '') return 'prompt'
  if (video === null || video.seconds < secondsLeast || video.seconds > secondsMost) return 'video'
  if (Math.min(video.width, video.height) < sideLeast) return 'video'
  if (seconds !== null) return 'seconds'
  if (size !== null) return 'size'
  return images.length > 0 ? 'input_reference' : null
}

function bodyFor({ prompt, video, extra }: TaskParams): JsonObject {
  return { prompt, ...(video === null ? {} : { video: base64(video.file.bytes) }), ...extra }
}
