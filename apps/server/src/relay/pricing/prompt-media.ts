import { isObject, textOr } from '@sluice/vendors/core/is-object'
import type { Json } from '@sluice/vendors/core/json'
import { bytesInAddress } from '@sluice/vendors/protocols/shared/chat-parts'
import type { InlineFile, RequestParams, UncountedInput } from '../model/request-params.ts'
import { headCharacters } from './image-size.ts'
import { countImageTokens, imageTokensMax, isInline } from './image-tokens.ts'

/** What a prompt has besides text. Kinds collect it while they read a request; bytes are looked at later. */
export class PromptMedia {
  readonly images: Json[] = []
  /** In base64. */
  readonly audio: string[] = []
  readonly documents: InlineFile[] = []
  #characters = 0
  #imageTokens = 0
  readonly #model: string
  #least = 0
  #most = 0

  /** @param model whose rules count images */
  constructor(model: string) {
    this.#model = model
  }

  /** An image as chats have it: a URL, or an object with a `url`. @returns its tokens, if they can be counted without its bytes */
  addImage(image: Json): number {
    if (isNamedOtherwise(isObject(image) ? image['url'] : image)) return this.addUnknown()
    if (isInline(image)) {
      this.images.push(image)
      this.#characters += textOr(isObject(image) ? image['url'] : image, '').length
      return 0
    }
    const tokens = countImageTokens(image, this.#model)
    this.#imageTokens += tokens
    // The vendor fetches it, so its size is not known here.
    this.addUncounted({ least: 0, most: Math.max(0, imageTokensMax(image, this.#model) - tokens) })
    return tokens
  }

  /** A file by its media type, with its bytes in base64. @returns its tokens, without its bytes */
  addFile(type: string, data: string): number {
    const named = type.toLowerCase()
    this.#characters += data.length
    if (named.startsWith('image/')) this.images.push(imageOf(named, data))
    else if (named.startsWith('audio/')) this.audio.push(data)
    else this.documents.push({ type: named, data })
    return 0
  }

  /** A file by its address: bytes in a data URL, or something that the vendor fetches. @returns its tokens, without its bytes */
  addAddress(address: Json | undefined): number {
    const inline = typeof address === 'string' ? bytesInAddress(address) : null
    return inline === null ? this.addUnknown() : this.addFile(inline.type ?? '', inline.data)
  }

  /** Something that only the vendor can see, and reads in any case. @returns its tokens if the vendor reports none */
  addUnknown(): number {
    this.addUncounted(anyLength)
    return unknownTokens
  }

  addUncounted({ least, most }: UncountedInput): void {
    this.#least += least
    this.#most += most
  }

  /** As parameters of the request. */
  get params(): Pick<RequestParams, 'unmeasured' | 'uncounted' | 'imageTokens'> {
    const { images, audio, documents } = this
    const hasFiles = images.length + audio.length + documents.length > 0
    return {
      ...(hasFiles && { unmeasured: { images, audio, documents, file: null, characters: this.#characters } }),
      ...(this.#imageTokens > 0 && { imageTokens: this.#imageTokens }),
      ...(this.#most > 0 && { uncounted: { least: this.#least, most: this.#most } }),
    }
  }
}

/** Endings of files that vendors read as videos, audio and documents, also where an image is expected. */
const otherEndings: ReadonlySet<string> = new Set([
  ...[
    'mp4',
    'm4v',
    'mov',
    'mpg',
    'mpeg',
    'avi',
    'wmv',
    'flv',
    'webm',
    'mkv',
    '3gp',
    '3gpp',
    'mp3',
    'm4a',
    'wav',
    'aac',
    'ogg',
    'opus',
    'flac',
  ],
  ...['aif', 'aiff', 'pdf', 'doc', 'docx', 'ppt', 'pptx', 'xls', 'xlsx', 'txt', 'htm', 'html', 'csv', 'md'],
])

/** Whether an address says that it leads to something else than an image. */
function isNamedOtherwise(address: Json | undefined): boolean {
  if (typeof address !== 'string' || address.startsWith('data:')) return false
  const query = address.search(/[?#]/)
  const path = query === -1 ? address : address.slice(0, query)
  return [path, address].some((text) => otherEndings.has(endingOf(text))) || videoHosts.has(URL.parse(address)?.hostname ?? '')
}

const endingOf = (name: string): string => name.slice(name.lastIndexOf('.') + 1).toLowerCase()

/** Where videos are by addresses without such an ending. */
const videoHosts: ReadonlySet<string> = new Set(['youtube.com', 'www.youtube.com', 'm.youtube.com', 'youtu.be', 'www.youtu.be'])

/** The address of an image, of whose bytes only the head is needed. */
function imageOf(type: string, data: string): string {
  return `data:${type};base64,${data.slice(0, headCharacters)}`
}

/** Charged for a file that only the vendor has seen, if it reports no usage. */
const unknownTokens = 1_500

/** Of a file or of earlier messages whose length nobody here knows. */
const anyLength: UncountedInput = { least: Number.POSITIVE_INFINITY, most: Number.POSITIVE_INFINITY }

/** The sum; missing: of nothing. */
export function addUncounted(first: UncountedInput | undefined, second: UncountedInput | undefined): UncountedInput | undefined {
  if (first === undefined || second === undefined) return first ?? second
  return { least: first.least + second.least, most: first.most + second.most }
}
