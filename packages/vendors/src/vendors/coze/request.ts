import { isObject, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { noHeaders } from '../../core/no-headers.ts'
import type { Outgoing, Target } from '../../core/request.ts'
import { formatInstruction, functionsIn, objectsIn, stopsIn } from '../../protocols/shared/chat-parts.ts'

/** Members of the vendor's form that a client may send: values for the bot's prompt, and data that is only kept. */
const ownFields = ['custom_variables', 'meta_data'] as const

/**
 * A chat for `/v3/chat` (docs.coze.cn, "Chat V3", a stored copy of October 2026, read 2026-11-23). It always streams, because a whole response
 * would have to be polled until it is there, and only exists if the vendor stores the conversation.
 */
export function toCoze(chat: JsonObject, { model, channel }: Target): Outgoing {
  const messages = toMessages(chat)
  const refused = refusedIn(chat) ?? (messages === null || messages.length === 0 ? 'messages' : null)
  return {
    path: '/v3/chat',
    headers: noHeaders,
    body: {
      bot_id: botOf(model, channel.other),
      // Required. The bot keeps its memory by it.
      user_id: channel.config.user_id ?? textOr(chat['user'], 'user'),
      stream: true,
      auto_save_history: false,
      additional_messages: messages ?? [],
      ...Object.fromEntries(ownFields.flatMap((name) => (isObject(chat[name]) ? [[name, chat[name]]] : []))),
    },
    ...(refused === null ? {} : { refused }),
  }
}

/** A model names its bot as `bot-<id>`, or as one-hub does it, `coze-<id>`. Other names stand for the bot of the channel. */
function botOf(model: string, botOfChannel: string): string {
  const named = /^(?:bot|coze)-(\d+)$/.exec(model)?.[1]
  return named ?? (botOfChannel === '' ? model : botOfChannel)
}

/** The bot has tools of its own, and stops where it wants to. */
function refusedIn(chat: JsonObject): string | null {
  const { functions, stop } = chat
  if (functionsIn(chat).length > 0) return 'tools'
  if (Array.isArray(functions) && functions.length > 0 && chat['function_call'] !== 'none') return 'functions'
  return stopsIn(stop).length > 0 ? 'stop' : null
}

/**
 * There is no place for instructions, so they begin the message of the user that follows them. `null` = a part that the vendor cannot take:
 * calls and results of tools, audio, and images without an address.
 */
function toMessages(chat: JsonObject): readonly JsonObject[] | null {
  const messages: JsonObject[] = []
  const turns = [...objectsIn(chat['messages'])]
  const form = formatInstruction(chat)
  if (form !== '') turns.unshift({ role: 'system', content: form })
  let instructions: Part[] = []
  for (const { role, content, tool_calls: calls } of turns) {
    const parts = partsOf(content)
    if (parts === null || role === 'tool' || role === 'function' || objectsIn(calls).length > 0) return null
    if (role === 'system' || role === 'developer') {
      for (const part of parts) instructions.push(part)
    } else if (role === 'assistant') {
      messages.push(...messageOf('assistant', parts))
    } else {
      messages.push(...messageOf('user', [...instructions, ...parts]))
      instructions = []
    }
  }
  return [...messages, ...messageOf('user', instructions)]
}

/** A text, or the address of an image. */
interface Part {
  readonly text?: string
  readonly image?: string
}

/** `null` = a part that the vendor cannot take. */
function partsOf(content: Json | undefined): readonly Part[] | null {
  if (!Array.isArray(content)) return [{ text: textOr(content, '') }]
  const parts = content.filter(isObject).map(partOf)
  return parts.every((part) => part !== null) ? parts : null
}

function partOf({ type, text, refusal, image_url: image }: JsonObject): Part | null {
  if (type === 'text' || type === 'input_text') return { text: textOr(text, '') }
  if (type === 'refusal') return { text: textOr(refusal, '') }
  const url = isObject(image) ? textOr(image['url'], '') : textOr(image, '')
  return type === 'image_url' && /^https?:\/\//i.test(url) ? { image: url } : null
}

/** No message if there is nothing in it: the vendor refuses empty ones. */
function messageOf(role: 'user' | 'assistant', parts: readonly Part[]): readonly JsonObject[] {
  const text = parts.flatMap((part) => (part.text === undefined || part.text === '' ? [] : [part.text])).join('\n\n')
  const images = parts.flatMap(({ image }) => (image === undefined ? [] : [{ type: 'image', file_url: image }]))
  const head = { role, type: role === 'user' ? 'question' : 'answer' }
  if (images.length === 0) return text === '' ? [] : [{ ...head, content_type: 'text', content: text }]
  const list = [...(text === '' ? [] : [{ type: 'text', text }]), ...images]
  return [{ ...head, content_type: 'object_string', content: JSON.stringify(list) }]
}
