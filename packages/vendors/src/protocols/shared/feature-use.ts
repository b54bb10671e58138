import type { ChatFeature } from '../../core/feature.ts'
import { isObject, textOr } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/json.ts'
import { objectsIn } from './chat-parts.ts'
import { searchParameter } from './web-search.ts'

/** The parameter of a chat that uses each feature; `null` = the chat does not use it. */
const parameters: Readonly<Record<ChatFeature, (chat: JsonObject) => string | null>> = {
  tools: ({ tools, functions, tool_choice: choice }) => {
    if (objectsIn(functions).length > 0) return 'functions'
    return objectsIn(tools).length > 0 && choice !== 'none' ? 'tools' : null
  },
  'structured output': ({ response_format: format }) => (isObject(format) && format['type'] !== 'text' ? 'response_format' : null),
  'images in': partOf('image_url'),
  'files in': partOf('file'),
  'files by address': ({ messages }) => (objectsIn(messages).some(hasFileAddress) ? 'file_url' : null),
  'audio in': partOf('input_audio', 'audio_url'),
  'audio by address': partOf('audio_url'),
  'videos in': partOf('video_url'),
  'web search': searchParameter,
}

/** The type of the first part of the messages that has one of them. */
function partOf(...types: readonly string[]) {
  return ({ messages }: JsonObject): string | null => {
    for (const { content } of objectsIn(messages)) {
      const part = objectsIn(content).find(({ type }) => typeof type === 'string' && types.includes(type))
      if (part !== undefined) return textOr(part['type'], '')
    }
    return null
  }
}

const hasFileAddress = ({ content }: JsonObject): boolean =>
  objectsIn(content).some(({ type, file }) => type === 'file' && isObject(file) && typeof file['file_url'] === 'string')

/** The first parameter of a chat in OpenAI's form that uses a feature the vendor lacks; `null` = there is none. */
export function lackedIn(chat: JsonObject, lacks: readonly ChatFeature[]): string | null {
  for (const feature of lacks) {
    const parameter = parameters[feature](chat)
    if (parameter !== null) return parameter
  }
  return null
}
