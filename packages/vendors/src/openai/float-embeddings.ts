import { base64 } from '../crypto-functions.ts'
import type { Dialect, Outgoing } from '../dialect.ts'
import { isObject } from '../is-object.ts'
import type { Json, JsonObject } from '../json.ts'
import { embeddings } from './whole-kinds.ts'

const { passthrough } = embeddings

/**
 * Embeddings of vendors that answer with lists of numbers only. OpenAI's clients ask for base64 by default, so the numbers are encoded
 * here: as 32-bit floats, little-endian (OpenAI API reference, "Embeddings", read 2026-11-21).
 */
export const floatEmbeddings = {
  request(body, target): Outgoing {
    const { encoding_format: format, ...rest } = body
    const outgoing = embeddings.request(rest, target)
    return format === 'base64' ? { ...outgoing, echo: { encoding_format: format } } : outgoing
  },
  failure: embeddings.failure,
  reply(json, { echo }) {
    const seen = passthrough.reply(json)
    if (seen === null || 'kind' in seen) return seen
    return isObject(json) ? { reply: echo === undefined ? json : encodedReply(json), usage: seen.usage } : null
  },
} satisfies Dialect

function encodedReply(reply: JsonObject): JsonObject {
  const { data } = reply
  return Array.isArray(data) ? { ...reply, data: data.map(encodedRow) } : reply
}

function encodedRow(row: Json): Json {
  return isObject(row) && Array.isArray(row['embedding']) ? { ...row, embedding: inBase64(row['embedding']) } : row
}

function inBase64(numbers: readonly Json[]): string {
  const bytes = new Uint8Array(numbers.length * 4)
  const view = new DataView(bytes.buffer)
  numbers.forEach((value, index) => view.setFloat32(index * 4, Number(value), true))
  return base64(bytes)
}
