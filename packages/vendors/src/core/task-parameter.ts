import { asNumber } from './is-object.ts'
import type { Json, JsonObject } from './json.ts'

/**
 * What a task parameter may be, by the vendors' own names, which a client sends beside OpenAI's. Requests are validated by it, and forms
 * offer what it says.
 */
export type Parameter = SimpleParameter | ListedParameter

/** One value. */
export type SimpleParameter = (
  | { readonly type: 'text' | 'flag' }
  | { readonly type: 'number'; readonly least: number; readonly most: number; readonly isWhole: boolean }
  | { readonly type: 'choice'; readonly values: readonly (string | number | boolean)[] }
) & {
  /** The default if a request does not name it; missing: none, or none published. */
  readonly usual?: string | number | boolean
}

type ListedParameter =
  /** An address of an image or a video: of the web, or a data address. */
  | { readonly type: 'picture' | 'film' }
  | { readonly type: 'pictures'; readonly most: number }
  /** Characters that were made before, by their ids. */
  | { readonly type: 'characters' }
  /** Images with names, by which the prompt speaks of them. */
  | { readonly type: 'named_pictures'; readonly most: number }
  /** Something else, which forms take as JSON. */
  | { readonly type: 'json'; fits(value: Json): boolean }

/** name -> what it may be */
export type Parameters = Readonly<Record<string, Parameter>>

export const anyText: SimpleParameter = { type: 'text' }
export const flag: SimpleParameter = { type: 'flag' }
export const imageAddress: Parameter = { type: 'picture' }
export const videoAddress: Parameter = { type: 'film' }

export function oneOf(values: readonly (string | number | boolean)[]): SimpleParameter {
  return { type: 'choice', values }
}

export function wholeBetween(least: number, most: number): SimpleParameter {
  return { type: 'number', least, most, isWhole: true }
}

export function numberBetween(least: number, most: number): SimpleParameter {
  return { type: 'number', least, most, isWhole: false }
}

export function imagesUpTo(most: number): Parameter {
  return { type: 'pictures', most }
}

export function jsonThat(fits: (value: Json) => boolean): Parameter {
  return { type: 'json', fits }
}

/** A parameter with its default if a request does not name it. */
export function usually(usual: string | number | boolean, parameter: SimpleParameter): SimpleParameter {
  return { ...parameter, usual }
}

/** A whole number of any size, such as a seed. */
export const anyWhole: SimpleParameter = wholeBetween(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)

/** Another way to say the length of a video. */
export const lengthInPlace: Parameter = jsonThat((value) => Number.isInteger(asNumber(value)))

/** Most of a number that counts something, such as images; others are seeds and weights. */
const countMax = 100

/** The values of a parameter by which a task may be counted. */
export function parameterValues(parameter: Parameter): readonly (string | number | boolean)[] {
  if (parameter.type === 'choice') return parameter.values
  if (parameter.type === 'flag') return [true, false]
  return parameter.type === 'number' && parameter.isWhole && parameter.most <= countMax ? [parameter.most] : []
}

export function fits(parameter: Parameter, value: Json): boolean {
  switch (parameter.type) {
    case 'text':
    case 'picture':
    case 'film':
      return typeof value === 'string'
    case 'flag':
      return typeof value === 'boolean'
    case 'number': {
      const { least, most, isWhole } = parameter
      return typeof value === 'number' && value >= least && value <= most && (!isWhole || Number.isSafeInteger(value))
    }
    case 'choice':
      return parameter.values.some((one) => one === value)
    case 'pictures':
      return Array.isArray(value) && value.length > 0 && value.length <= parameter.most && value.every((one) => typeof one === 'string')
    case 'characters':
    case 'named_pictures':
      return Array.isArray(value)
    case 'json':
      return parameter.fits(value)
  }
}

/** The first task parameter that is unknown or has an invalid value; `null`: none. A value `null` counts as not given. */
export function wrongIn({ extra }: { readonly extra: JsonObject }, parameters: Parameters): string | null {
  const wrong = Object.entries(extra).find(([name, value]) => {
    const parameter = Object.hasOwn(parameters, name) ? parameters[name] : undefined
    return parameter === undefined || !(value === undefined || value === null || fits(parameter, value))
  })
  return wrong?.[0] ?? null
}

/** The parameters for which a form has no field of its own: `others` say the same as one of these. */
export function without(parameters: Parameters, others: readonly string[]): Parameters {
  return Object.fromEntries(Object.entries(parameters).filter(([name]) => !others.includes(name)))
}

/** A number that a client may also send as text, as OpenAI's `seconds`; `undefined`: not given, or no number. */
export function numberIn(extra: JsonObject, name: string): number | undefined {
  const value = extra[name]
  if (typeof value === 'number') return value
  return typeof value === 'string' && /^\d{1,4}$/.test(value) ? Number(value) : undefined
}

export function textIn(extra: JsonObject, name: string): string | undefined {
  const value = extra[name]
  return typeof value === 'string' ? value : undefined
}
