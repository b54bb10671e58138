/** What a part says of itself. */
export interface PartHead {
  readonly name: string
  /** `null`: a field, not a file. */
  readonly fileName: string | null
  readonly contentType: string | null
}

/** One part as it came, files and fields alike. */
export interface Part extends PartHead {
  readonly byteLength: number
  /** From `start` up to, not including, `end`. */
  read(start: number, end: number): Promise<Uint8Array>
}

/** A body on its way upstream. */
export interface MultipartBody {
  readonly contentType: string
  readonly byteLength: number
  /** The same bytes each time. */
  chunks(): AsyncGenerator<Uint8Array>
}

/** A form with files that a client has sent. */
export interface Multipart {
  /** The text fields by name. */
  readonly fields: ReadonlyMap<string, string>
  /** In the order in which they came. */
  readonly parts: readonly Part[]
  /** The form once more, with this model, for one attempt. */
  write(model: string): MultipartBody
  /** Forgets the files. Whoever read the form calls it when nothing will be sent any more. */
  close(): Promise<void>
}
