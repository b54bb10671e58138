/** Where copies of results are kept: the disk, or a store in the form of S3. */
export interface FileStore {
  /** @throws Error if the parts end early or the place is full: nothing is kept then */
  write(name: string, parts: AsyncIterable<Uint8Array>): Promise<void>
  /** The bytes from `start` to before `end`. `null`: there is no such file. */
  read(name: string, start: number, end: number): Promise<ReadableStream<Uint8Array> | null>
  /** It may be missing. */
  remove(name: string): Promise<void>
  /** Bytes that can still be written. */
  room(): Promise<number>
  /** An address at which clients can fetch the file by themselves for some minutes; `null`: there is none. */
  addressOf(name: string): string | null
}

/** Where an operator keeps them; the keys are secrets. */
export interface S3Place {
  readonly endpoint: string
  readonly bucket: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

export interface FilePlace {
  /** A folder of this server's own. */
  readonly folder: string
  /** Keeps them in place of the folder, which holds only what is being copied then; `null`: there is none. */
  readonly s3: S3Place | null
}
