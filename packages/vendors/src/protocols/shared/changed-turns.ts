import { isObject, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { RewriteKind, Rewrites } from '../../core/rewrites.ts'
import { objectsIn } from './chat-parts.ts'

/** Where the forms of requests have their turns: chats and messages, Gemini's requests, and responses. */
const lists = ['messages', 'contents', 'input'] as const

type Note = (kind: RewriteKind, what: string) => void

/**
 * Notes what a step changed in the turns and tools of a request. Parts that it left alone are the same objects, so only changed ones are looked
 * into. A kind that the step has noted itself is not noted again.
 */
export function noteChangedTurns(before: JsonObject, after: JsonObject, rewrites: Rewrites): void {
  if (before === after) return
  const known = rewrites.entries.map(({ kind }) => kind)
  const note: Note = (kind, what) => {
    if (!known.includes(kind)) rewrites.note(kind, what)
  }
  for (const name of lists) noteTurns(name, [before[name], after[name]], note)
  noteTools(before, after, note)
}

type Pair = readonly [before: Json | undefined, after: Json | undefined]

function noteTurns(name: string, [before, after]: Pair, note: Note): void {
  if (before === after || !Array.isArray(before) || !Array.isArray(after)) return
  if (before.length !== after.length) note('messages', `${name}: ${before.length} -> ${after.length}`)
  else for (const [index, turn] of before.entries()) noteTurn(turn, after[index], note)
}

function noteTurn(before: Json, after: Json | undefined, note: Note): void {
  if (before === after || !isObject(before) || !isObject(after)) return
  for (const [name, value] of Object.entries(before)) {
    const afterValue = after[name]
    if (afterValue !== value && value !== null && value !== undefined)
      (members.get(name) ?? noteMember)([value, afterValue], note, `${roleOf(before)}: ${name}`)
  }
}

type NoteMember = (pair: readonly [before: Json, after: Json | undefined], note: Note, place: string) => void

/** Members of turns whose changes have a kind or form of their own. */
const members: ReadonlyMap<string, NoteMember> = new Map<string, NoteMember>([
  ['role', ([before, after], note) => note('messages', `role: ${textOr(before, '')} -> ${textOr(after, '')}`)],
  ['tool_call_id', noteId],
  ['tool_calls', noteCalls],
])

function noteCalls([before, after]: readonly [Json, Json | undefined], note: Note): void {
  const afterCalls = objectsIn(after)
  for (const [index, { id }] of objectsIn(before).entries()) noteId([id ?? null, afterCalls[index]?.['id']], note)
}

function noteMember([before, after]: readonly [Json, Json | undefined], note: Note, place: string): void {
  if (!Array.isArray(before)) note('messages', place)
  else if (Array.isArray(after)) noteParts(place, [before, after], note)
  // A content of texts may be one text; what else was in it is gone.
  else for (const { type } of objectsIn(before)) if (type !== 'text') note('files', textOr(type, place))
}

const roleOf = ({ role, type }: JsonObject): string => textOr(role ?? type, 'message')

function noteId([before, after]: readonly [Json, Json | undefined], note: Note): void {
  if (typeof before === 'string' && before !== after) note('call_ids', `${before} -> ${textOr(after, '')}`)
}

/** Parts of a content other than texts are files: in another form, or left out. */
function noteParts(place: string, [before, after]: readonly [readonly Json[], readonly Json[]], note: Note): void {
  if (before.length !== after.length) {
    note('messages', [place, ...lostTypes(before, after)].join(': '))
    return
  }
  for (const [index, part] of before.entries()) {
    const afterPart = after[index]
    if (part === afterPart || !isObject(part)) continue
    const type = textOr(part['type'], 'text')
    const other = isObject(afterPart) ? textOr(afterPart['type'], type) : type
    if (type === 'text' && other === 'text') note('messages', place)
    else note('files', type === other ? type : `${type} -> ${other}`)
  }
}

/** The first type of parts that are gone. */
function lostTypes(before: readonly Json[], after: readonly Json[]): readonly string[] {
  const kept = new Set(objectsIn(after).map(({ type }) => type))
  const lost = objectsIn(before).find(({ type }) => !kept.has(type))
  return typeof lost?.['type'] === 'string' ? [lost['type']] : []
}

function noteTools(
  { tools: before, tool_choice: choice }: JsonObject,
  { tools: after, tool_choice: chosen }: JsonObject,
  note: Note,
): void {
  if (Array.isArray(before) && before !== after) {
    const count = Array.isArray(after) ? after.length : 0
    if (count < before.length) note('tools', `tools: ${before.length} -> ${count}`)
  }
  if (choice !== undefined && choice !== null && choice !== 'auto' && chosen === undefined) note('tools', 'tool_choice')
}
