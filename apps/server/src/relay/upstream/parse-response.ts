import { parseJson } from '@sluice/vendors/core/is-object'
import type { Json } from '@sluice/vendors/core/json'
import { AppError } from '../../lib/app-error.ts'
import { type LargeJson, largeBytes } from '../../lib/large-json.ts'

/**
 * The JSON of a vendor's response. Large ones are parsed one after another, in steps and within the limits of large bodies.
 * @param text the bytes as text, where the caller has it already
 * @returns `undefined` = it is not JSON, or is beyond the limits
 */
export async function parseResponse(bytes: Uint8Array, largeJson: LargeJson, text?: string): Promise<Json | undefined> {
  if (bytes.length <= largeBytes) return parseJson(text ?? new TextDecoder().decode(bytes))
  try {
    // Holds: whatever JSON.parse returns is JSON.
    return (await largeJson.read(bytes)).value as Json
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}
