import { bytesOf } from '../../core/base64-bytes.ts'
import { base64 } from '../../core/crypto-functions.ts'
import { isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'

/** How the numbers of an embedding are written ("Embeddings", `encoding_format`, OpenAI API reference, read 2026-11-30). */
export type VectorForm = 'float' | 'base64'

/** The form that a request wants. `null` = another one, which is the vendor's own. */
export function vectorFormIn({ encoding_format: form }: JsonObject): VectorForm | null {
  if (form === undefined || form === null || form === 'float') return 'float'
  return form === 'base64' ? form : null
}

/** 32-bit floats, the lowest byte first, as OpenAI writes them. `null` = the list has something else than numbers. */
export function toBase64(numbers: readonly Json[]): string | null {
  if (numbers.length === 0) return null
  const bytes = new DataView(new ArrayBuffer(numbers.length * 4))
  for (let index = 0; index < numbers.length; index += 1) {
    const number = numbers[index]
    if (typeof number !== 'number') return null
    bytes.setFloat32(index * 4, number, true)
  }
  return base64(new Uint8Array(bytes.buffer))
}

/** The numbers of 32-bit floats in base64. `null` = the text is no such list. */
export function fromBase64(text: string): readonly number[] | null {
  const bytes = bytesOf(text)
  if (bytes === null || bytes.length === 0 || bytes.length % 4 !== 0) return null
  const view = new DataView(bytes.buffer)
  const numbers = Array.from({ length: bytes.length / 4 }, (_, index) => view.getFloat32(index * 4, true))
  return numbers.every(Number.isFinite) ? numbers : null
}

/** An embedding in a form. One that is neither list nor base64 stays. */
export function vectorAs(form: VectorForm, vector: Json): Json {
  if (form === 'base64') return (Array.isArray(vector) ? toBase64(vector) : null) ?? vector
  return (typeof vector === 'string' ? fromBase64(vector) : null) ?? vector
}

/** A response in OpenAI's form whose embeddings have the form. */
export function responseAs(form: VectorForm, response: JsonObject): JsonObject {
  const { data } = response
  return Array.isArray(data) ? { ...response, data: data.map((row) => rowAs(form, row)) } : response
}

function rowAs(form: VectorForm, row: Json): Json {
  return isObject(row) && row['embedding'] !== undefined ? { ...row, embedding: vectorAs(form, row['embedding']) } : row
}
