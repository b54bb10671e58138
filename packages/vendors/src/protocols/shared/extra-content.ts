import { isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'

/** What a vendor wants back with a part of its response, in `extra_content` under the vendor's name: clients of chats return it unread. */
export function extraOf({ extra_content: extra }: JsonObject, maker: Maker): JsonObject | null {
  const own = isObject(extra) ? extra[maker] : undefined
  return isObject(own) ? own : null
}

type Maker = 'google' | 'openai'

/** The chat without it; the chat itself if it has none. @param maker missing = whoever made it */
export function withoutExtras(chat: JsonObject, maker?: Maker): JsonObject {
  return withList(chat, 'messages', (message) =>
    withList(
      withList(unsigned(message, maker), 'tool_calls', (call) => unsigned(call, maker)),
      'images',
      (image) => unsigned(image, maker),
    ),
  )
}

function withList(whole: JsonObject, name: string, change: (entry: JsonObject) => JsonObject): JsonObject {
  const list = whole[name]
  if (!Array.isArray(list)) return whole
  // Looked for first, because every request comes here and few change.
  if (!list.some((entry: Json) => isObject(entry) && change(entry) !== entry)) return whole
  return { ...whole, [name]: list.map((entry: Json) => (isObject(entry) ? change(entry) : entry)) }
}

function unsigned(entry: JsonObject, maker: Maker | undefined): JsonObject {
  if (entry['extra_content'] === undefined) return entry
  const { extra_content: extra, ...rest } = entry
  if (maker === undefined) return rest
  if (!isObject(extra) || extra[maker] === undefined) return entry
  const { [maker]: _own, ...others } = extra
  return Object.keys(others).length === 0 ? rest : { ...rest, extra_content: others }
}
