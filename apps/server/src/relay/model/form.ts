/** The headers of a part. */
export interface PartHead {
  readonly name: string
  /** `null`: a field, not a file. */
  readonly fileName: string | null
  readonly contentType: string | null
}

/** Bytes that are read piece by piece, wherever they are. */
export interface ByteSource {
  readonly byteLength: number
  /** Bytes from `start` to `end`, `end` excluded. */
  read(start: number, end: number): Promise<Uint8Array>
}

/** One part as it came: a file or a field. */
export interface Part extends PartHead, ByteSource {}

/** A multipart body to be sent upstream. */
export interface MultipartBody {
  readonly contentType: string
  readonly byteLength: number
  /** Every call yields the same bytes. */
  chunks(): AsyncGenerator<Uint8Array>
}

/** A multipart form sent by a client. */
export interface Multipart {
  /** The text fields by name. */
  readonly fields: ReadonlyMap<string, string>
  /** In the order in which they came. */
  readonly parts: readonly Part[]
  /** Writes the form with this model and these fields in the place of its own, for one attempt. */
  write(model: string, fields?: Readonly<Record<string, string>>): MultipartBody
  /** Deletes the files. The reader of the form calls it when nothing will be sent any more. */
  close(): Promise<void>
}
