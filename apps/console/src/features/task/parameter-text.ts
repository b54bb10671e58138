import type { TaskFields, TaskParameter, TaskRow } from '@sluice/contract'

// The parameters of a model that have a field of their own, as the texts of these fields.

type Value = TaskRow['parameters'][string]

const simpleTypes: readonly TaskParameter['type'][] = ['text', 'flag', 'number', 'choice', 'picture', 'film', 'pictures']

/** Whether a parameter has a field of its own; the others are written as JSON. */
export function hasField({ type }: TaskParameter): boolean {
  return simpleTypes.includes(type)
}

export function linesOf(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

/** What is sent for a text. A number that is none goes as it is, so that the gateway names it. */
function valueFor({ type, values }: TaskParameter, text: string): Value {
  switch (type) {
    case 'flag':
      return text === 'true'
    case 'number':
      return Number.isFinite(Number(text)) ? Number(text) : text
    case 'choice':
      return values.find((value) => String(value) === text) ?? text
    case 'pictures':
      return [...linesOf(text)]
    default:
      return text
  }
}

/** The text of a value; `null` = its field cannot hold it. */
function textOf({ type }: TaskParameter, value: Value | undefined): string | null {
  if (type === 'pictures') return Array.isArray(value) && value.every((one) => typeof one === 'string') ? value.join('\n') : null
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : null
}

interface Split {
  /** Parameter -> text of its field. */
  readonly own: Readonly<Record<string, string>>
  readonly rest: TaskRow['parameters']
}

/** Divides parameters into those that have a field, and all others. */
export function splitParameters(all: TaskRow['parameters'], { parameters }: TaskFields): Split {
  const texts = parameters.filter(hasField).flatMap((parameter) => {
    const text = textOf(parameter, all[parameter.name])
    return text === null ? [] : [[parameter.name, text] as const]
  })
  const own = Object.fromEntries(texts)
  return { own, rest: Object.fromEntries(Object.entries(all).filter(([name]) => !Object.hasOwn(own, name))) }
}

/** The parameters of the model whose fields are filled. */
export function filledParameters(own: Readonly<Record<string, string>>, fields: TaskFields | null): TaskRow['parameters'] {
  const filled = (fields?.parameters ?? []).filter((parameter) => hasField(parameter) && (own[parameter.name] ?? '').trim() !== '')
  return Object.fromEntries(filled.map((parameter) => [parameter.name, valueFor(parameter, (own[parameter.name] ?? '').trim())]))
}
