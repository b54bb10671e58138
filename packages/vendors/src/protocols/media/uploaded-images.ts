import { base64 } from '../../core/crypto-functions.ts'
import { isObject, textOr } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/json.ts'
import type { UploadedFile } from '../../core/request.ts'

/** A file of the client as a data address. */
export function dataAddress({ contentType, bytes }: Pick<UploadedFile, 'contentType' | 'bytes'>): string {
  return `data:${contentType};base64,${base64(bytes)}`
}

/** The addresses of the images that are to be changed: files of a form, and `images` of a JSON body (`{ image_url }`). */
export function inputImages({ images }: JsonObject, files: readonly UploadedFile[]): readonly string[] {
  const named = Array.isArray(images) ? images.filter(isObject).map(({ image_url: url }) => textOr(url, '')) : []
  return [...files.map(dataAddress), ...named].filter((address) => address !== '')
}
