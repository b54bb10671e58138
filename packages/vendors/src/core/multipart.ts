// Bodies of type multipart/form-data (RFC 7578), which some vendors want for files.

/** A field of a form: a text, or a file. */
export type FormPart = { readonly name: string; readonly text: string } | (FormFile & { readonly name: string })

export interface FormFile {
  readonly fileName: string
  readonly contentType: string
  readonly bytes: Uint8Array
}

export interface Form {
  readonly headers: { readonly 'content-type': string }
  readonly body: Uint8Array
}

/** @param requestKey a name that nothing else has: the boundary is made of it, so no part contains the boundary */
export function multipart(parts: readonly FormPart[], requestKey: string): Form {
  const boundary = `form-${requestKey.replaceAll(/[^\w-]/g, '').slice(0, 60)}`
  const encoder = new TextEncoder()
  const pieces = parts.flatMap((part) => [
    encoder.encode(`--${boundary}\r\n${headOf(part)}\r\n\r\n`),
    'text' in part ? encoder.encode(part.text) : part.bytes,
    encoder.encode('\r\n'),
  ])
  return {
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: joined([...pieces, encoder.encode(`--${boundary}--\r\n`)]),
  }
}

function headOf(part: FormPart): string {
  const field = `content-disposition: form-data; name="${quoted(part.name)}"`
  if ('text' in part) return field
  return `${field}; filename="${quoted(part.fileName)}"\r\ncontent-type: ${typeOr(part.contentType)}`
}

/** As browsers write names (WHATWG, "Multipart form data"). */
function quoted(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function typeOr(contentType: string): string {
  return /^[\w.+-]+\/[\w.+-]+$/.test(contentType) ? contentType : 'application/octet-stream'
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0))
  let start = 0
  for (const piece of pieces) {
    whole.set(piece, start)
    start += piece.length
  }
  return whole
}
