import { lookUp } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { TaskParams } from '../../core/task.ts'
import type { Parameters } from '../../core/task-parameter.ts'

// ByteDance's older way to specify a video: flags in the prompt, `a cat --rs 1080p --dur 12` (Volcano Engine Ark, 1520758, with the short
// names as docs.acedata.cloud, docs.gptproto.com and glama.ai quote them, read 2026-11-29). A vendor that obeys them makes something other than
// requested, so they are read here, and no flag is forwarded.

/** Name of a flag, long or short -> the parameter that says the same, by ByteDance's name. */
const flagNames: ReadonlyMap<string, string> = new Map([
  ['resolution', 'resolution'],
  ['rs', 'resolution'],
  ['ratio', 'ratio'],
  ['rt', 'ratio'],
  ['duration', 'duration'],
  ['dur', 'duration'],
  ['frames', 'frames'],
  ['framespersecond', 'framespersecond'],
  ['fps', 'framespersecond'],
  ['seed', 'seed'],
  ['camerafixed', 'camera_fixed'],
  ['cf', 'camera_fixed'],
  ['watermark', 'watermark'],
  ['wm', 'watermark'],
])

/** Dashes and the name of a flag, and its value, which may be a negative number. */
const flagForm = /--([a-z_]{1,32})(?:[=\s]\s{0,8}(-?[a-z\d][a-z\d:._]{0,31}))?/gi

interface FlagRules {
  /** The parameters that the task may have. */
  readonly parameters: Parameters
  readonly ratioName: 'ratio' | 'aspect_ratio'
}

/**
 * The task request with the flags of its prompt as parameters. Its own parameters take precedence, and a flag for which the model has no parameter
 * is left out. Of words that only look like a flag the dashes are.
 */
export function withoutFlags(params: TaskParams, { parameters, ratioName }: FlagRules): TaskParams {
  if (!params.prompt.includes('--')) return params
  const flags: Record<string, Json> = {}
  const prompt = params.prompt.replace(/-{3,}/g, '--').replace(flagForm, (_flag, word: string, value: string | undefined) => {
    const known = flagNames.get(word.toLowerCase().replaceAll('_', ''))
    if (known === undefined) return ` ${word}${value === undefined ? '' : ` ${value}`}`
    const name = known === 'ratio' ? ratioName : known
    if (value !== undefined && Object.hasOwn(parameters, name)) flags[name] = wordOf(value)
    // Not nothing: what is left around it could be another flag.
    return ' '
  })
  return { ...params, prompt: prompt.trim(), extra: { ...newFlags(flags, params, ratioName), ...params.extra } }
}

/** Those that do not repeat what the request says by OpenAI's members. */
function newFlags(flags: JsonObject, { seconds, size }: TaskParams, ratioName: string): JsonObject {
  const taken = [...(seconds === null ? [] : ['duration']), ...(size === null ? [] : ['resolution', ratioName])]
  return Object.fromEntries(Object.entries(flags).filter(([name]) => !taken.includes(name)))
}

const words: Readonly<Record<string, boolean>> = { true: true, false: false }

function wordOf(text: string): Json {
  const word = text.toLowerCase()
  return /^-?\d{1,15}$/.test(word) ? Number(word) : (lookUp(words, word) ?? word)
}
