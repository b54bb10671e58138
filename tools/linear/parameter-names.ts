import { atMost, cells, textLists, texts } from './hostile-arguments.ts'
import type { ParameterRow } from './place.ts'

const ours: ParameterRow = { ours: () => 'a' }
const ourList: ParameterRow = { ours: () => ['16:9', '720p'] }

/** Names of texts of our own: of members, columns, folders and the like. */
const ownTexts = [
  ...['field', 'fallback', 'group', 'en', 'zh', 'table', 'dataDir', 'folder', 'action', 'publisher', 'call', 'label', 'needed', 'idBase'],
  ...['resolution', 'ratio', 'requestKey', 'lost', 'why', 'version', 'otherwise', 'requestId', '_'],
]
const ownLists = ['ratios', 'resolutions', 'names', 'others', 'columns', '...names', '...place', 'scopes', 'requestIds']

/** Parameters whose name says more than their type: `name: type`. */
export const parameterNames: Readonly<Record<string, ParameterRow>> = {
  // Longer names are refused where a request is read, or belong to no model.
  'model: string': atMost(256, texts),
  // Names of members and models.
  'name: string': atMost(256, texts),
  // RFC 2046: at most 70 characters, which is checked before.
  'boundary: string': atMost(70, texts),
  'cell: unknown': cells,
  ...Object.fromEntries(ownTexts.map((name) => [`${name}: string`, ours])),
  ...Object.fromEntries(ownLists.map((name) => [`${name}: readonly string[]`, ourList])),
  'args: readonly string[]': textLists,
}
