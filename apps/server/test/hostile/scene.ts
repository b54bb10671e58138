import { contract } from '@sluice/contract'
import type { Session } from '../app.ts'
import { json, type Received, type Script } from '../fake-upstream.ts'
import { type TaskScene, taskScene } from '../task-scene.ts'
import { placesOf, withValueAt } from './garble.ts'
import { hostileJson, hostileValues } from './values.ts'

/** A server with one vendor, whose next response a scenario chooses. */
export interface HostileScene extends TaskScene {
  /** The right response to each request, while a scenario has no other one. */
  right: (request: Received) => Script
  /** The next response to a request of which it is true; then the right ones again. */
  hostile: { readonly to: (request: Received) => boolean; readonly script: Script } | null
  /** The administrator, by a token that outlives the clock's steps. */
  readonly admin: Session
  /** The channel of `refused-model`. */
  readonly refused: number
  /** Ids of channels by their type. */
  readonly channels: Readonly<Record<number, number>>
}

/** Types of channels, and their models. The one of videos is the scene's own. */
const models: Readonly<Record<number, string>> = {
  1: 'gpt-4o-mini',
  14: 'claude-haiku-4-5',
  20: 'openai/gpt-4o-mini',
  24: 'lyria-3-clip-preview',
  36: 'gpt-4o',
  45: 'suno_music',
  47: 'flux-2-pro',
}

export async function hostileScene(folder: string): Promise<HostileScene> {
  const scene = await taskScene({ env: { DATA_DIR: folder } })
  const { app, user } = scene
  await app.app.ledger.post({ userId: user.id, kind: 'grant', ref: 'hostile', amount: 1_000_000_000_000 })
  const channels: Record<number, number> = {}
  for (const [type, names] of Object.entries(models)) channels[Number(type)] = await app.make.channel({ type: Number(type), models: names })
  const hostile: HostileScene = {
    ...scene,
    admin: await app.make.accessToken(app.root),
    refused: await app.make.channel({ models: 'refused-model' }),
    channels,
    right: () => json({}, 404),
    hostile: null,
  }
  await setOptions(hostile, { UnpricedModelRatio: 1 })
  scene.vendor.response = (request) => {
    const { hostile: next } = hostile
    if (next === null || !next.to(request)) return hostile.right(request)
    hostile.hostile = null
    return next.script
  }
  return hostile
}

/**
 * The right response with a value of every type at each of its places.
 * @param every of so many cases one is taken, so that places have different values
 */
export function* hostileCases(right: object, every = 1): Generator<{ readonly what: string; readonly text: string }> {
  let count = 0
  for (const place of placesOf(right))
    for (const [kind, value] of hostileValues) {
      count += 1
      if (count % every === 0) yield { what: `${kind} at ${place.join('.')}`, text: hostileJson(withValueAt(right, place, value)) }
    }
}

export function textScript(text: string, status = 200, headers: Readonly<Record<string, string>> = {}): Script {
  return [
    { do: 'head', status, headers: { 'content-type': 'application/json', ...headers } },
    { do: 'send', bytes: text },
  ]
}

export async function setOptions(
  { app, admin }: Pick<HostileScene, 'app' | 'admin'>,
  values: Readonly<Record<string, string | number | boolean>>,
): Promise<void> {
  for (const [key, value] of Object.entries(values)) await app.data(contract.option.update, { key, value: String(value) }, admin)
}

/** Sends a request as the scene's client. @returns the status and the text */
export async function send(
  { app, key }: Pick<HostileScene, 'app' | 'key'>,
  path: string,
  body?: object | FormData,
): Promise<{ readonly status: number; readonly text: string }> {
  const init =
    body instanceof FormData ? { method: 'POST', body } : body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
  const type = body instanceof FormData || body === undefined ? {} : { 'content-type': 'application/json' }
  const response = await app.request(path, { ...init, headers: { authorization: `Bearer ${key}`, ...type } })
  return { status: response.status, text: await response.text() }
}
