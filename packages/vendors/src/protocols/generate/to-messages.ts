import { asText, isObject, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { withResultsNext } from '../calls/order-results.ts'
import { carriedIn } from '../shared/carried-reasoning.ts'
import { listMember, member, nameMax, objectMember } from '../shared/proto-members.ts'
import type { Holds } from '../shared/supports-extra.ts'
import { OpenCalls } from './open-calls.ts'
import { signatureOf } from './own-signatures.ts'

/** Messages of a chat; `refused` is the part that a chat cannot hold. */
export interface Messages {
  readonly messages: readonly JsonObject[]
  readonly refused: string | null
}

/**
 * `contents` as messages of a chat (Gemini API reference, "Content", a stored copy read 2026-11-22). Calls may lack ids: results then belong
 * to the first open call of the same name. Reasoning and Google's signatures are left out, because only the vendor that made them can read
 * them; what another vendor wants back is in signatures of ours.
 */
export function toMessages(request: JsonObject, holds: Holds): Messages {
  const system = listMember(objectMember(request, 'systemInstruction'), 'parts')
  const systemText = textsOf(system).join('\n')
  const reader = new ContentReader(holds)
  reader.refused = refusedOfSystem(member(request, 'systemInstruction'), system)
  const rest = listMember(request, 'contents').flatMap((content) => reader.read(content))
  const messages = withResultsNext([...(systemText === '' ? [] : [{ role: 'system', content: systemText }]), ...rest])
  return { messages, refused: reader.refused }
}

class ContentReader {
  refused: string | null = null
  #calls = 0
  readonly #open = new OpenCalls()
  readonly #holds: Holds

  constructor(holds: Holds) {
    this.#holds = holds
  }

  read(content: JsonObject): readonly JsonObject[] {
    const parts = listMember(content, 'parts')
    return content['role'] === 'model' ? this.#ofModel(parts) : this.#ofUser(parts)
  }

  #ofModel(parts: readonly JsonObject[]): readonly JsonObject[] {
    const visible = parts.filter((part) => part['thought'] !== true)
    this.refused ??= foreignIn(visible, [...textMembers, 'functionCall'], 'contents[].parts[]')
    const content = textsOf(visible).join('')
    const calls = visible.flatMap((part) => {
      const call = member(part, 'functionCall')
      return isObject(call) ? [this.#call(call, part)] : []
    })
    if (content === '' && calls.length === 0) return []
    return [
      {
        role: 'assistant',
        content: content === '' ? null : content,
        ...reasoningIn(parts, this.#holds),
        ...(calls.length === 0 ? {} : { tool_calls: calls }),
      },
    ]
  }

  #call({ id, name, args }: JsonObject, part: JsonObject): JsonObject {
    this.#calls += 1
    const called = { id: textOr(id, '') || `call_${this.#calls}`, name: textOr(name, '') }
    this.#open.add(called)
    const extra = carriedIn(signatureOf(part))?.extra
    return {
      id: called.id,
      type: 'function',
      function: { name: called.name, arguments: JSON.stringify(isObject(args) ? args : {}) },
      ...(extra !== undefined && this.#holds('extra_content') ? { extra_content: extra } : {}),
    }
  }

  /** Results come before what the user says with them. */
  #ofUser(parts: readonly JsonObject[]): readonly JsonObject[] {
    const results = parts.flatMap((part) => {
      const result = member(part, 'functionResponse')
      return isObject(result) ? [this.#result(result)] : []
    })
    const userParts = parts.filter((part) => member(part, 'functionResponse') === undefined).flatMap((part) => this.#part(part))
    const [only] = userParts
    const content = userParts.length === 1 && only?.['type'] === 'text' ? (only['text'] ?? '') : userParts
    return [...results, ...(userParts.length === 0 ? [] : [{ role: 'user', content }])]
  }

  #result(result: JsonObject): JsonObject {
    const name = textOr(result['name'], '')
    const id = textOr(result['id'], '')
    const call = id === '' ? this.#open.takeNamed(name) : this.#open.takeById(id)
    const inside = listMember(result, 'parts').flatMap((part) => this.#part(part))
    const text = responseText(result['response'])
    return {
      role: 'tool',
      tool_call_id: call?.id ?? (id || `call_${name}`),
      content: inside.length === 0 ? text : [{ type: 'text', text }, ...inside],
    }
  }

  #part(part: JsonObject): readonly JsonObject[] {
    const { text } = part
    if (isObject(member(part, 'videoMetadata'))) this.refused ??= 'contents[].parts[].videoMetadata'
    if (typeof text === 'string') return text === '' ? [] : [{ type: 'text', text }]
    const inline = member(part, 'inlineData')
    if (isObject(inline)) return [mediaPart(textOr(member(inline, 'mimeType'), ''), { data: textOr(inline['data'], '') })]
    const file = member(part, 'fileData')
    if (isObject(file)) return this.#file(file)
    this.refused ??= foreignIn([part], [], 'contents[].parts[]')
    return []
  }

  #file(file: JsonObject): readonly JsonObject[] {
    const url = textOr(member(file, 'fileUri'), '')
    // Files and buckets of Google belong to an account of the vendor.
    if (!/^https?:\/\//i.test(url) || /^https:\/\/generativelanguage\.googleapis\.com\//i.test(url)) {
      this.refused ??= 'contents[].parts[].fileData'
      return []
    }
    return [mediaPart(textOr(member(file, 'mimeType'), ''), { url })]
  }
}

/** What the vendor wants back of the reasoning of a turn. */
function reasoningIn(parts: readonly JsonObject[], holds: Holds): JsonObject {
  const carried = parts.map((part) => carriedIn(signatureOf(part))).filter((one) => one !== null)
  const reasoning = carried.map((one) => one.thought ?? '').join('')
  const blocks = carried.flatMap((one) => one.blocks ?? [])
  return {
    ...(reasoning !== '' && holds('reasoning_content') ? { reasoning_content: reasoning } : {}),
    ...(blocks.length > 0 && holds('thinking_blocks') ? { thinking_blocks: blocks } : {}),
  }
}

/** Members of a part that say something about it, and are no content. */
const partNotes = ['thought', 'thoughtSignature', 'partMetadata', 'mediaResolution']
const textMembers = ['text', 'executableCode', 'codeExecutionResult']

/** The first part without any of the members, by its path and name; `null` = none. */
function foreignIn(parts: readonly JsonObject[], members: readonly string[], path: string): string | null {
  for (const part of parts) {
    if (members.some((name) => member(part, name) !== undefined)) continue
    const name = Object.keys(part).find((key) => !partNotes.some((note) => member({ [key]: 0 }, note) !== undefined))
    if (name !== undefined) return `${path}.${name.slice(0, nameMax)}`
  }
  return null
}

function refusedOfSystem(system: Json | undefined, parts: readonly JsonObject[]): string | null {
  if (system !== undefined && !isObject(system)) return 'systemInstruction'
  return foreignIn(parts, textMembers, 'systemInstruction.parts[]')
}

/** Text, and what the vendor's own tool for code wrote. */
function textsOf(parts: readonly JsonObject[]): readonly string[] {
  return parts.flatMap((part) => {
    const code = member(part, 'executableCode')
    const result = member(part, 'codeExecutionResult')
    if (isObject(code)) return [`\n\`\`\`${textOr(code['language'], '').toLowerCase()}\n${textOr(code['code'], '')}\n\`\`\`\n`]
    if (isObject(result)) return [`\n\`\`\`\n${textOr(result['output'], '')}\n\`\`\`\n`]
    return typeof part['text'] === 'string' && part['text'] !== '' ? [part['text']] : []
  })
}

/** A response is an object; one with nothing but a text is that text. */
function responseText(response: Json | undefined): string {
  if (!isObject(response)) return response === undefined ? '' : JSON.stringify(response)
  const [only, ...others] = Object.entries(response)
  const isPlain = only !== undefined && others.length === 0 && (only[0] === 'result' || only[0] === 'output') && typeof only[1] === 'string'
  return isPlain ? asText(only[1]) : JSON.stringify(response)
}

interface Media {
  readonly data?: string
  readonly url?: string
}

/** Names of OpenAI's audio formats by their types. */
const audioFormats: Readonly<Record<string, string>> = { 'audio/mpeg': 'mp3', 'audio/mp3': 'mp3', 'audio/wav': 'wav', 'audio/x-wav': 'wav' }

function mediaPart(mimeType: string, { data, url }: Media): JsonObject {
  const address = url ?? `data:${mimeType};base64,${data ?? ''}`
  const [kind] = mimeType.toLowerCase().split('/')
  if (kind === 'image' || mimeType === '') return { type: 'image_url', image_url: { url: address } }
  if (kind === 'video') return { type: 'video_url', video_url: { url: address } }
  if (kind === 'audio')
    return data === undefined
      ? { type: 'audio_url', audio_url: { url: address } }
      : { type: 'input_audio', input_audio: { data, format: audioFormats[mimeType.toLowerCase()] ?? mimeType.slice('audio/'.length) } }
  const fileName = `document.${mimeType.split('/')[1]?.replace(/^(?:plain|x-.*)$/, 'txt') ?? 'pdf'}`
  return { type: 'file', file: url === undefined ? { filename: fileName, file_data: address } : { filename: fileName, file_url: url } }
}
