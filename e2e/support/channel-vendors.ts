import type { Vendor } from '@sluice/vendors/core/vendor'
import { vendors } from '@sluice/vendors/registry/list'
import type { TestApp } from '../../apps/server/test/app.ts'
import { json, type Received, type Script } from '../../apps/server/test/fake-upstream.ts'
import { doubleOf } from '../../apps/server/test/vendors/double-of.ts'
import { falDouble } from '../../apps/server/test/vendors/task-doubles/fal.ts'
import { fluxImageDouble } from '../../apps/server/test/vendors/task-doubles/flux.ts'
import { openaiDouble } from '../../apps/server/test/vendors/task-doubles/openai.ts'
import { pixverseDouble } from '../../apps/server/test/vendors/task-doubles/pixverse.ts'
import { sunoDouble } from '../../apps/server/test/vendors/task-doubles/suno.ts'
import { geminiVeoDouble } from '../../apps/server/test/vendors/task-doubles/veo.ts'

// What the form of a channel is filled with for each type, and a vendor that responds to what the form's test asks.

/** What a test writes into the form. */
export interface FormOfType {
  readonly type: number
  readonly name: string
  /** Empty: the form has fields for its parts, or needs none. */
  readonly key: string
  /** By the name of the member. */
  readonly config: Readonly<Record<string, string>>
  /** The label of the further setting and its value. */
  readonly other: readonly [label: string, value: string] | null
  /** Empty: its channels have no models. */
  readonly model: string
}

interface Played {
  readonly form: FormOfType
  readonly response: (request: Received) => Script
  readonly isAuthorized: (request: Received) => boolean
}

const taskDoubles = [falDouble, sunoDouble, pixverseDouble, fluxImageDouble, openaiDouble, () => geminiVeoDouble(49)]

/** The types of one group, in the order of the form. */
export function formsOf(group: string, { upstream }: TestApp): readonly FormOfType[] {
  return vendors.filter((vendor) => vendor.group === group).map((vendor) => play(vendor, upstream.url).form)
}

/** Lets the upstream respond like the vendor of a type. @returns whether a request carries the channel's key as the vendor wants it */
export function responseAs({ upstream }: TestApp, type: number): (request: Received) => boolean {
  const vendor = vendors.find((one) => one.type === type)
  if (vendor === undefined) throw new Error(`no vendor has the type ${type}`)
  const { response, isAuthorized } = play(vendor, upstream.url)
  upstream.always(response)
  return isAuthorized
}

function play(vendor: Vendor, upstreamUrl: string): Played {
  if (vendor.rawProxy !== undefined) return rawProxy(vendor)
  return vendor.dialects.chat === undefined ? worker(vendor, upstreamUrl) : talker(vendor, upstreamUrl)
}

function rawProxy(vendor: Vendor): Played {
  const key = 'Bearer the-key'
  return {
    form: formOf(vendor, { key, model: '' }),
    response: () => json({ fine: true }),
    isAuthorized: ({ headers }) => headers['authorization'] === key,
  }
}

/** A vendor of videos, songs and images. It is polled for work that it does not have. */
function worker(vendor: Vendor, upstreamUrl: string): Played {
  const double = taskDoubles.map((make) => make()).find(({ type }) => type === vendor.type)
  if (double === undefined) throw new Error(`no double works like ${vendor.name}`)
  const [model = ''] = double.models.split(',')
  return {
    form: formOf(vendor, { key: double.key, model }),
    response: (request) => double.response(request, upstreamUrl),
    isAuthorized: (request) => double.isAuthorized(request),
  }
}

function talker(vendor: Vendor, upstreamUrl: string): Played {
  const double = doubleOf(vendor)
  const response = double.whole({ text: 'Hello', usage: { prompt: 100, completion: 20 } })
  const key = double.key.replaceAll('{upstream}', upstreamUrl)
  return {
    form: formOf(vendor, { key, model: double.model, config: double.config ?? {}, other: double.other ?? '' }),
    response: (request) => double.grant?.(request) ?? response,
    isAuthorized: (request) => (double.type === vendor.type ? double.isAuthorized(request) : isKeyIn(request, key)),
  }
}

/** A vendor with the wire of another one gets its key in a header. */
function isKeyIn({ headers }: Received, key: string): boolean {
  return Object.values(headers).some((value) => String(value).includes(key))
}

interface FormValues {
  readonly key: string
  readonly model: string
  readonly config?: Readonly<Record<string, string>>
  readonly other?: string
}

function formOf({ type, name, key: { fields }, otherLabel }: Vendor, { key, model, config = {}, other = '' }: FormValues): FormOfType {
  const further = otherLabel === undefined || other === '' ? null : ([otherLabel.en, other] as const)
  if (fields === undefined) return { type, name, key, config, other: further, model }
  const parts = key.split('|')
  // The last part may itself hold the separator.
  const valueAt = (at: number) => (at < fields.length - 1 ? parts[at] : parts.slice(at).join('|')) ?? ''
  return { type, name, key: '', config: Object.fromEntries(fields.map((field, at) => [field, valueAt(at)])), other: further, model }
}
