import { imageDimensionsFromData } from 'image-dimensions'

/** In pixels. */
export interface Size {
  readonly width: number
  readonly height: number
}

/** What is decoded of a picture to find its size; only a JPEG with a large preview has it further behind. */
const headCharacters = 65_536

/** How the kinds of pictures begin that models take: PNG, JPEG, GIF and WebP. The library knows others, which take it long where they are hostile. */
const known = /^(?:\x89PNG|\xff\xd8\xff|GIF8|RIFF)/

/** The size of a picture that is itself in its address (`data:image/...;base64,`), from its head; `null`: it cannot be read. */
export function pictureSizeOf(url: string): Size | null {
  const start = url.startsWith('data:') ? url.indexOf(';base64,') : -1
  if (start === -1 || start > 64) return null
  const from = start + ';base64,'.length
  const bytes = Buffer.from(url.slice(from, from + headCharacters), 'base64')
  if (!known.test(bytes.toString('latin1', 0, 4))) return null
  const { width = 0, height = 0 } = imageDimensionsFromData(bytes) ?? {}
  return width > 0 && height > 0 ? { width, height } : null
}
