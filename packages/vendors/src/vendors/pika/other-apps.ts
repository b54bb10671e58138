import { asNumber, isObject, lookUp } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { Lengths, RejectedTask, TaskFields, TaskParams, TaskPlan } from '../../core/task.ts'
import { anyText, anyWhole, jsonThat, oneOf, type Parameters, textIn, usually, videoAddress, wrongIn } from '../../core/task-parameter.ts'
import { omitUndefined } from '../../protocols/shared/chat-parts.ts'
import { isLength } from '../../protocols/tasks/lengths.ts'
import { addressOf } from '../../protocols/tasks/step-parts.ts'

// Apps of Pika that make a video of several images, or change one (fal.ai, "llms.txt" and "API" of each app, and the types of @fal-ai/client
// 1.10.1, read 2026-11-25). Only the first has a price there; the others are called by their address, at a price of an administrator.

/** What an app is called with, and what it will make. */
export interface Call {
  readonly path: string
  readonly body: JsonObject
  readonly plan: TaskPlan
}

interface OtherApp {
  readonly parameters: Parameters
  readonly seconds: Lengths | null
  /** Missing: it depends on the number of images, or there is no choice. */
  readonly usualSeconds?: number
  readonly least: number
  readonly most: number
  readonly bodyOf: (params: TaskParams) => JsonObject
  /** What is counted; `null`: the parameters do not fit to each other. */
  readonly planOf: (params: TaskParams) => TaskPlan | RejectedTask
}

const resolutions = ['720p', '1080p']
/** Fal's own default ("llms.txt" of these apps), sent with every order. */
const usualResolution = '720p'
const seeded = { negative_prompt: anyText, seed: anyWhole }
const effects = [
  ...['Cake-ify', 'Crumble', 'Crush', 'Decapitate', 'Deflate', 'Dissolve', 'Explode', 'Eye-pop', 'Inflate', 'Levitate', 'Melt', 'Peel'],
  ...['Poke', 'Squish', 'Ta-da', 'Tear'],
]

const framesMax = 5
/** Fal's own default of a transition and of a scene, always sent. */
const transitionSeconds = 5
const secondsMax = 25
const sceneLengths = [5, 10]
const secondsBilledLeast = 5

const isTransition = (value: Json): boolean =>
  isObject(value) &&
  Object.entries(value).every(([name, part]) =>
    name === 'prompt' ? typeof part === 'string' : name === 'duration' && Number.isSafeInteger(part),
  )

const firstImage = ({ images: [image] }: TaskParams): string | undefined => (image === undefined ? undefined : addressOf(image))

const apps: Readonly<Record<string, OtherApp>> = {
  pikaframes: {
    parameters: {
      ...seeded,
      resolution: usually(usualResolution, oneOf(resolutions)),
      transitions: jsonThat((value) => Array.isArray(value) && value.length > 0 && value.every(isTransition)),
    },
    seconds: { least: 1, most: secondsMax },
    least: 2,
    most: framesMax,
    bodyOf: (params) => ({
      prompt: params.prompt,
      image_urls: params.images.map(addressOf),
      transitions: transitionsOf(params),
      resolution: resolutionOf(params),
    }),
    planOf: framesPlan,
  },
  pikascenes: {
    parameters: {
      ...seeded,
      resolution: usually(usualResolution, oneOf(resolutions)),
      aspect_ratio: oneOf(['16:9', '9:16', '1:1', '4:5', '5:4', '3:2', '2:3']),
      ingredients_mode: oneOf(['precise', 'creative']),
    },
    seconds: sceneLengths,
    usualSeconds: transitionSeconds,
    least: 1,
    most: framesMax,
    bodyOf: (params) => ({
      prompt: params.prompt,
      images: params.images.map((image) => ({ image_url: addressOf(image) })),
      duration: params.seconds ?? transitionSeconds,
      resolution: resolutionOf(params),
    }),
    planOf: (params) => {
      const seconds = params.seconds ?? transitionSeconds
      return isLength(sceneLengths, seconds) ? { counts: { seconds, size: resolutionOf(params) }, seconds } : { refused: 'seconds' }
    },
  },
  pikaffects: {
    parameters: { ...seeded, pikaffect: oneOf(effects) },
    seconds: null,
    least: 1,
    most: 1,
    bodyOf: (params) => omitUndefined({ prompt: params.prompt, image_url: firstImage(params) }),
    planOf: (params) => ofOneLength(params, 'pikaffect'),
  },
  pikadditions: {
    parameters: { ...seeded, video_url: videoAddress },
    seconds: null,
    least: 1,
    most: 1,
    bodyOf: (params) => omitUndefined({ prompt: params.prompt, image_url: firstImage(params) }),
    planOf: (params) => ofOneLength(params, 'video_url'),
  },
}

/** Names of models that have an app of these. */
const named: Readonly<Record<string, string>> = { 'pika-2.2-frames': 'fal-ai/pika/v2.2/pikaframes' }

/** `null`: the model is none of these apps. */
export function otherFieldsOf(model: string): TaskFields | null {
  const app = otherAppOf(otherPathOf(model))
  if (app === undefined) return null
  const { seconds, usualSeconds, least, most, parameters } = app
  return { seconds, sizes: [], images: { least, most }, parameters, ...(usualSeconds !== undefined && { usualSeconds }) }
}

function otherAppOf(path: string | null): OtherApp | undefined {
  return path === null ? undefined : lookUp(apps, path.split('/').at(-1) ?? '')
}

/** `null`: the model is none of these apps. */
export function otherCallFor(params: TaskParams): Call | RejectedTask | null {
  const path = otherPathOf(params.model)
  const app = otherAppOf(path)
  if (path === null || app === undefined) return null
  const { parameters, least, most, bodyOf, planOf } = app
  const wrong = wrongIn(params, parameters)
  if (wrong !== null) return { refused: wrong }
  if (params.images.length < least || params.images.length > most) return { refused: 'input_reference' }
  // The images decide the shape of the video.
  if (params.size !== null) return { refused: 'size' }
  const plan = planOf(params)
  return 'refused' in plan ? plan : { path, body: { ...omitUndefined(params.extra), ...bodyOf(params) }, plan }
}

/** `null`: the model is none of these apps. */
export function otherPathOf(model: string): string | null {
  const path = lookUp(named, model) ?? model
  return /^fal-ai\/pika(?:\/[\w.-]{1,256}){1,16}$/.test(path) && !path.includes('..') && otherAppOf(path) !== undefined ? path : null
}

function resolutionOf({ extra }: TaskParams): string {
  return textIn(extra, 'resolution') ?? usualResolution
}

function ofOneLength({ seconds, extra }: TaskParams, needed: string): TaskPlan | RejectedTask {
  if (seconds !== null) return { refused: 'seconds' }
  return extra[needed] === undefined || extra[needed] === null ? { refused: needed } : { counts: { calls: 1 } }
}

/** From each image to the next; `seconds` is divided among them. */
function transitionsOf({ extra: { transitions }, images, seconds }: TaskParams): JsonObject[] {
  const count = images.length - 1
  if (Array.isArray(transitions)) return transitions.filter(isObject).map((one) => ({ duration: transitionSeconds, ...one }))
  return Array.from({ length: count }, () => ({ duration: seconds === null ? transitionSeconds : seconds / count }))
}

function framesPlan(params: TaskParams): TaskPlan | RejectedTask {
  const { extra, images, seconds } = params
  const isOwn = extra['transitions'] !== undefined && extra['transitions'] !== null
  if (isOwn && seconds !== null) return { refused: 'seconds' }
  const durations = transitionsOf(params).map(({ duration }) => asNumber(duration))
  const refused = { refused: isOwn ? 'transitions' : 'seconds' }
  if (durations.length !== images.length - 1 || !durations.every((length) => Number.isInteger(length) && length > 0)) return refused
  const sum = durations.reduce((total, length) => total + length, 0)
  if (sum > secondsMax) return refused
  return { counts: { seconds: Math.max(sum, secondsBilledLeast), size: resolutionOf(params) }, seconds: sum }
}
