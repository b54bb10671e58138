import { isObject, parseJson, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'

/** The only argument of the function that replaces a custom tool. */
const argument = 'input'

/** A custom tool takes plain text. For a chat it becomes a function with one text argument (OpenAI, "Custom tools", read 2026-11-22). */
export function toFunction({ name, description, format }: JsonObject): JsonObject {
  const words = [textOr(description, ''), grammarIn(format)].filter((text) => text !== '').join('\n\n')
  const parameters = { type: 'object', properties: { [argument]: { type: 'string' } }, required: [argument], additionalProperties: false }
  return { type: 'function', function: { name, ...(words === '' ? {} : { description: words }), parameters } }
}

/** The grammar of the text as an instruction, because a chat cannot enforce it. */
function grammarIn(format: Json | undefined): string {
  if (!isObject(format) || format['type'] !== 'grammar') return ''
  return `The text must match this ${textOr(format['syntax'], '')} grammar:\n${textOr(format['definition'], '')}`
}

/** Arguments of the function for a text. */
export function toArguments(text: Json | undefined): string {
  return JSON.stringify({ [argument]: textOr(text, '') })
}

/** The text in the arguments of the function, or all of them if the model did not keep to the form. */
export function fromArguments(args: string): string {
  const parsed = parseJson(args)
  return isObject(parsed) && typeof parsed[argument] === 'string' ? parsed[argument] : args
}

/** Names of the custom tools of a request. */
export function customNames(tools: Json | undefined): ReadonlySet<string> {
  const custom = Array.isArray(tools) ? tools.filter(isObject).filter(({ type }) => type === 'custom') : []
  return new Set(custom.map(({ name }) => textOr(name, '')))
}
