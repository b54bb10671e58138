import { describe, expect, test } from 'bun:test'
import { taskParamsOf } from '../../test/tasks.ts'
import type { Json } from '../core/json.ts'
import type { Lengths, TaskAction, TaskDialect, TaskFields, TaskParams } from '../core/task.ts'
import { taskKinds } from '../core/task.ts'
import type { Parameter } from '../core/task-parameter.ts'
import { vendors } from './list.ts'
import { makesTasks, taskDialectOf } from './task-dialect-of.ts'

// What a form offers is what an order may have: the dialect takes it, and refuses by name what lies beyond it.

const inputImage = 'data:image/png;base64,aGk='
const inputVideo = {
  file: { name: 'video', fileName: 'video.mp4', contentType: 'video/mp4', bytes: new Uint8Array(1) },
  seconds: 5,
  width: 1280,
  height: 720,
}

/** What some models need beside a prompt. */
const needed: Readonly<Record<string, Json>> = { pikaffect: 'Melt', video_url: 'https://films.example/a.mp4' }

interface Model {
  readonly vendor: string
  readonly dialect: TaskDialect
  readonly fields: TaskFields
  readonly params: TaskParams
}

const otherApps = [
  'fal-ai/pika/v2.2/pikascenes',
  'fal-ai/pika/v2/pikadditions',
  'fal-ai/pika/v1.5/pikaffects',
  'fal-ai/pika/v9/text-to-video',
]

const models = vendors.flatMap((vendor) =>
  taskKinds.flatMap((kind) =>
    [...vendor.models.names, ...(vendor.type === 44 ? otherApps : [])].flatMap((model): (readonly [name: string, model: Model])[] => {
      const dialect = makesTasks(vendor, kind, model) ? taskDialectOf(vendor, kind, model) : null
      if (dialect === null) return []
      const fields = dialect.fields(model)
      if (fields === null) throw new Error(`${model} makes ${kind} and has no fields`)
      const extra = Object.fromEntries(Object.entries(needed).filter(([name]) => fields.parameters[name] !== undefined))
      const images = Array.from({ length: fields.images.least }, () => ({ url: inputImage }))
      const params = taskParamsOf({ kind, model, images, extra, ...(fields.needsVideo && { video: inputVideo, action: 'edit' as const }) })
      return [[`${vendor.name} ${model}`, { vendor: vendor.name, dialect, fields, params }]]
    }),
  ),
)

const changeNames = ['remix', 'edit', 'extend'] as const

/** The changes that these models offer for a video of theirs. */
const changes = models.flatMap(([name, model]) =>
  changeNames.flatMap((action): (readonly [name: string, model: Model])[] => {
    const fields = model.dialect.changeFields?.(model.params.model, action) ?? null
    const source = { vendorId: 'v1', memo: {}, kind: 'videos', action: 'create', model: model.params.model } as const
    const params = taskParamsOf({
      kind: 'videos',
      model: model.params.model,
      action,
      ...(fields?.needsVideo ? { video: inputVideo } : { source }),
    })
    return fields === null ? [] : [[`${name}, ${action}`, { ...model, fields, params }]]
  }),
)

test('a form offers a change of a video where the dialect carries it out', () => {
  const isCarriedOut = ({ dialect, params }: Model, action: TaskAction): boolean => {
    const source = { vendorId: 'v1', memo: {}, kind: 'videos', action: 'create', model: params.model } as const
    if (params.kind !== 'videos' || dialect.actions?.includes(action) !== true) return false
    return [inputVideo, null].some((video) => 'counts' in dialect.plan(taskParamsOf({ ...params, action, images: [], video, source })))
  }
  for (const [name, model] of models.filter(([, { fields }]) => fields.needsVideo !== true)) {
    const offered = changeNames.filter((action) => model.dialect.changeFields?.(model.params.model, action) != null)
    expect([name, offered]).toEqual([name, changeNames.filter((action) => isCarriedOut(model, action))])
  }
  expect(changes.length).toBeGreaterThan(6)
})

/** What the dialect makes of an order with something more. */
function planOf({ dialect, params }: Model, more: Partial<TaskParams>) {
  return dialect.plan({ ...params, ...more, extra: { ...params.extra, ...more.extra } })
}

/** What it refuses of it; `null`: nothing. */
function refusedIn(model: Model, more: Partial<TaskParams>): string | null {
  const plan = planOf(model, more)
  return 'refused' in plan ? plan.refused : null
}

const lengthsIn = (lengths: Lengths): readonly number[] => ('least' in lengths ? [lengths.least, lengths.most] : lengths)

/** Values that a form can make of a parameter. */
function valuesOf(parameter: Parameter): readonly Json[] {
  switch (parameter.type) {
    case 'text':
      return ['some words']
    case 'flag':
      return [true, false]
    case 'number':
      return [parameter.least, parameter.most]
    case 'choice':
      return parameter.values
    case 'picture':
      return [inputImage]
    case 'film':
      return ['https://films.example/a.mp4']
    case 'pictures':
      return [[inputImage], Array.from({ length: parameter.most }, () => inputImage)]
    case 'characters':
      return [[{ id: 'char_1' }]]
    case 'named_pictures':
      return [[{ type: 'subject', ref_name: 'cat', image_url: inputImage }]]
    case 'json':
      return []
  }
}

function wrongValueOf(parameter: Parameter): Json {
  switch (parameter.type) {
    case 'number':
      return parameter.most < Number.MAX_SAFE_INTEGER ? parameter.most + 1 : 'many'
    case 'pictures':
      return Array.from({ length: parameter.most + 1 }, () => inputImage)
    default:
      return { wrong: 1 }
  }
}

/** Some values need a first frame, and some stand in its place. */
const beginnings: readonly Partial<TaskParams>[] = [{}, { images: [{ url: inputImage }] }]

describe.each([...models, ...changes])('%s', (_, model) => {
  const { vendor, fields, params } = model

  test('every length and size that a form offers is taken', () => {
    expect(refusedIn(model, {})).toBeNull()
    for (const seconds of lengthsIn(fields.seconds ?? [])) expect([seconds, refusedIn(model, { seconds })]).toEqual([seconds, null])
    for (const text of fields.sizes) {
      const [width = 0, height = 0] = text.split('x').map(Number)
      const refused = beginnings.map((beginning) => refusedIn(model, { ...beginning, size: { width, height } }))
      expect([text, refused.includes(null)]).toEqual([text, true])
    }
  })

  test('what a form shows as usual is what an order is made with that does not say it', () => {
    const { usualSeconds, usualSize, parameters } = fields
    const plain = planOf(model, {})
    if (usualSeconds !== undefined) expect(planOf(model, { seconds: usualSeconds })).toEqual(plain)
    if (usualSize !== undefined) {
      const [width = 0, height = 0] = usualSize.split('x').map(Number)
      expect(planOf(model, { size: { width, height } })).toEqual(plain)
    }
    for (const [name, parameter] of Object.entries(parameters)) {
      const usual = 'usual' in parameter ? parameter.usual : undefined
      if (usual !== undefined) expect([name, planOf(model, { extra: { [name]: usual } })]).toEqual([name, plain])
    }
  })

  test('a length beyond those, or one where there is no choice, is refused', () => {
    // What is changed has its length from its source.
    if (fields.seconds === null && params.source !== null) return
    const beyond = fields.seconds === null ? 5 : Math.max(...lengthsIn(fields.seconds)) + 1
    if (params.kind === 'videos') expect(refusedIn(model, { seconds: beyond })).toBe('seconds')
  })

  test('every value that a form offers for a parameter is taken, and another one is refused by the name of the parameter', () => {
    for (const [name, parameter] of Object.entries(fields.parameters)) {
      for (const value of valuesOf(parameter)) {
        const refused = beginnings.map((beginning) => refusedIn(model, { ...beginning, extra: { [name]: value } }))
        expect([name, value, refused.includes(null)]).toEqual([name, value, true])
      }
      const wrong = beginnings.map((beginning) => refusedIn(model, { ...beginning, extra: { [name]: wrongValueOf(parameter) } }))
      expect([name, wrong.includes(name), wrong.includes(null)]).toEqual([name, true, false])
    }
  })

  test('a parameter that is in no table is refused, unless a relay has parameters of its own', () => {
    if (vendor !== 'Suno') expect(refusedIn(model, { extra: { not_a_parameter: 1 } })).toBe('not_a_parameter')
  })
})
