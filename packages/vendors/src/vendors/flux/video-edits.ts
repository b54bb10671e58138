import { base64 } from '../../core/crypto-functions.ts'
import type { JsonObject } from '../../core/json.ts'
import type { TaskDialect, TaskOrder } from '../../core/task.ts'
import { wholeBetween, wrongIn } from '../../core/task-parameter.ts'
import { withoutNull } from '../../protocols/tasks/step-parts.ts'
import { pollFor, submitWith } from './steps.ts'

// Changes of a film that the client sends: docs.bfl.ai, "FLUX Video Edit [fast]", as a search and clients of October 2026 quote it, read 2026-11-25.

const secondsLeast = 17 / 24
const secondsMost = 15
const sideLeast = 160

/** Credits for a second. */
const credits = 3

const parameters = { safety_tolerance: wholeBetween(0, 4) }

export const fluxFilmEdits: TaskDialect = {
  actions: ['edit'],
  filmActions: ['edit'],
  secondsMax: 2 * 60 * 60,
  fields: () => ({ seconds: null, sizes: [], pictures: { least: 0, most: 0 }, parameters, needsFilm: true }),
  plan(told) {
    const order = withoutNull(told)
    const refused = wrongIn(order, parameters) ?? refusedIn(order)
    if (refused !== null) return { refused }
    const seconds = Math.ceil(order.film?.seconds ?? 0)
    return { counts: { credits: credits * seconds }, seconds }
  },
  submit: submitWith(bodyFor),
  poll: pollFor('video'),
}

/** Length and size are those of the film. */
function refusedIn({ prompt, film, seconds, size, pictures }: TaskOrder): string | null {
  if (prompt === '') return 'prompt'
  if (film === null || film.seconds < secondsLeast || film.seconds > secondsMost) return 'video'
  if (Math.min(film.width, film.height) < sideLeast) return 'video'
  if (seconds !== null) return 'seconds'
  if (size !== null) return 'size'
  return pictures.length > 0 ? 'input_reference' : null
}

function bodyFor({ prompt, film, extra }: TaskOrder): JsonObject {
  return { prompt, ...(film === null ? {} : { video: base64(film.file.bytes) }), ...extra }
}
