import { isObject, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'

/** Gigabytes of the container of a tool: `1g`, `4g`, `16g` or `64g`; one without a size, or named by its id, counts as one. 0: the client runs it. */
export function gigabytesOf(tool: JsonObject): number {
  const { container, environment } = tool
  if (isLocal(tool)) return 0
  return sizeOf(container) ?? sizeOf(environment) ?? 1
}

/** Whether a tool is a shell whose commands the client runs itself. */
export const isLocal = ({ type, environment }: JsonObject): boolean =>
  type === 'shell' && isObject(environment) && environment['type'] === 'local'

function sizeOf(place: Json | undefined): number | null {
  const [, size] = /^(\d{1,3})g$/.exec(isObject(place) ? textOr(place['memory_limit'], '') : '') ?? []
  return size === undefined ? null : Number(size)
}
