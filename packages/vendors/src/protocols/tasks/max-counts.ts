import type { Json } from '../../core/json.ts'
import type { Lengths, TaskCounts, TaskDialect, TaskFields, TaskParams } from '../../core/task.ts'
import { parameterValues } from '../../core/task-parameter.ts'

/** What a length or a size is also called; a request that has another one must not have these. */
const frameNames: ReadonlySet<string> = new Set(['duration', 'resolution', 'ratio', 'aspect_ratio', 'quality'])

const units = ['seconds', 'credits', 'images', 'calls'] as const

/** The most of each unit that an order of this model can be counted: of the longest one, of every size, with each value of each parameter. */
export function mostCounts(dialect: TaskDialect, params: TaskParams): TaskCounts {
  const fields = params.action === 'create' ? dialect.fields(params.model) : (dialect.changeFields?.(params.model, params.action) ?? null)
  const plans = (fields === null ? [params] : [params, ...variantsOf(params, fields)]).map((variant) => dialect.plan(variant))
  const counts = plans.flatMap((plan) => ('refused' in plan ? [] : [plan.counts]))
  return Object.fromEntries(units.map((unit) => [unit, Math.max(0, ...counts.map((count) => count[unit] ?? 0))]))
}

/** In place of what clients send, which may be long: no count depends on what it shows or says. */
const shortPrompt = 'a cat'
const smallImage = { url: 'data:image/png;base64,aGk=' }
const shortMax = 100

function variantsOf(params: TaskParams, { seconds, sizes, parameters }: TaskFields): readonly TaskParams[] {
  const extra = Object.fromEntries(Object.entries(params.extra).filter(([name, value]) => !frameNames.has(name) && isShort(value)))
  const base = { ...params, prompt: shortPrompt, pictures: params.images.map(() => smallImage), extra }
  const longest = { ...base, seconds: seconds === null ? params.seconds : lengthMax(seconds) }
  const sized = sizes.flatMap((text) => {
    const [width = 0, height = 0] = text.split('x').map(Number)
    return width > 0 && height > 0 ? [{ ...longest, size: { width, height } }] : []
  })
  const changed = Object.entries(parameters).flatMap(([name, parameter]) =>
    parameterValues(parameter).map((value) => ({ ...longest, extra: { ...extra, [name]: value } })),
  )
  return [longest, ...sized, ...changed]
}

function isShort(value: Json | undefined): boolean {
  return typeof value === 'number' || typeof value === 'boolean' || (typeof value === 'string' && value.length <= shortMax)
}

function lengthMax(lengths: Lengths): number {
  return 'most' in lengths ? lengths.most : Math.max(...lengths)
}
