import type { Mp4Box } from '../../packages/contract/src/mp4-boxes.ts'

/** A box of a video whose content is hostile. */
export function boxOf(value: unknown): Mp4Box {
  const content = value instanceof Uint8Array ? value : new Uint8Array()
  const view = new DataView(content.buffer, content.byteOffset, content.byteLength)
  return { type: 'moov', view, start: 0, end: content.length, isCut: false }
}
