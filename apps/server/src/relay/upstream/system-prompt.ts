import { isObject } from '@sluice/vendors/core/is-object'
import type { JsonObject } from '@sluice/vendors/core/json'
import type { Kind } from '@sluice/vendors/core/kind'

type Prompted = (body: JsonObject, prompt: string) => JsonObject

/** Where the channel's system prompt is put, by kind. The other kinds have no place for it. */
const prompted: { readonly [K in Kind]?: Prompted } = {
  chat: ({ messages, ...body }, prompt) => ({
    ...body,
    messages: [{ role: 'system', content: prompt }, ...(Array.isArray(messages) ? messages : [])],
  }),
  responses: ({ instructions, ...body }, prompt) => ({
    ...body,
    instructions: typeof instructions === 'string' && instructions !== '' ? `${prompt}\n\n${instructions}` : prompt,
  }),
  messages: ({ system, ...body }, prompt) => ({
    ...body,
    system: Array.isArray(system)
      ? [{ type: 'text', text: prompt }, ...system]
      : [prompt, system].filter((text) => typeof text === 'string' && text !== '').join('\n\n'),
  }),
  generate({ systemInstruction: camel, system_instruction: snake = camel, ...body }, prompt) {
    const { parts = [] } = isObject(snake) ? snake : {}
    return { ...body, systemInstruction: { parts: [{ text: prompt }, ...(Array.isArray(parts) ? parts : [parts])] } }
  },
}

/** @param prompt empty: the channel has none */
export function withSystemPrompt(body: JsonObject, { kind, prompt }: { readonly kind: Kind; readonly prompt: string }): JsonObject {
  return prompt === '' ? body : (prompted[kind]?.(body, prompt) ?? body)
}
