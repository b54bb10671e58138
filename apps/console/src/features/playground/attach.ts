import type { Attachment } from './conversation.ts'

/** Larger files would be refused by the gateway, as base64 needs a third more. */
const fileBytesMax = 20 * 1024 * 1024

const images: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif'])
const documents: ReadonlySet<string> = new Set(['application/pdf'])

/** What the chooser of files offers. */
export const acceptedFiles = [...images, ...documents, 'text/*', '.md', '.csv', '.json', '.xml', '.yaml', '.yml', '.ts', '.js', '.py'].join(
  ',',
)

export type FileFault = 'large' | 'binary' | 'unreadable'

/** A file as part of a prompt: an image, a PDF, or a text; other files have no form that models read. */
export async function toAttachment(file: File): Promise<Attachment | FileFault> {
  const { name, type, size } = file
  if (size > fileBytesMax) return 'large'
  try {
    if (images.has(type)) return { kind: 'picture', name, data: await dataUrlOf(file) }
    if (documents.has(type)) return { kind: 'document', name, data: await dataUrlOf(file) }
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer())
    return text.includes('\0') ? 'binary' : { kind: 'text', name, data: text }
  } catch (error) {
    return error instanceof TypeError ? 'binary' : 'unreadable'
  }
}

function dataUrlOf(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => (typeof reader.result === 'string' ? resolve(reader.result) : reject(new Error('no text')))
    reader.onerror = () => reject(reader.error ?? new Error('unreadable'))
    reader.readAsDataURL(file)
  })
}
