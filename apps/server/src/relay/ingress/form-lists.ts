import type { Json, JsonObject } from '@sluice/vendors/core/json'
import type { Multipart } from '../model/form.ts'

/** Longest field that is read as a member of a list. */
const memberMax = 4_096

/** Whether a field of a form is an entry of a list. */
export const isInList = (name: string): boolean => name.includes('[]')

/** Fields that OpenAI's clients write once for each entry of a list: `names[]`, and `characters[][id]` for a list of objects. */
export async function listsIn({ parts }: Multipart): Promise<JsonObject> {
  const lists = new Map<string, Json[]>()
  for (const { name, fileName, byteLength, read } of parts) {
    const [, list = '', member] = /^(\w{1,64})\[\](?:\[(\w{1,64})\])?$/.exec(name) ?? []
    if (fileName !== null || list === '' || byteLength > memberMax) continue
    const text = new TextDecoder().decode(await read(0, byteLength))
    lists.set(list, [...(lists.get(list) ?? []), member === undefined ? text : { [member]: text }])
  }
  return Object.fromEntries(lists)
}
