/** Where copies of results are kept: the disk, or a store in the form of S3. */
export interface FileStore {
  /** @throws Error if the parts end early or the place is full: nothing is kept then */
  write(name: string, parts: AsyncIterable<Uint8Array>): Promise<void>
  /** The bytes from `start` to before `end`. `null`: there is no such file, or a shorter one. @throws Error if the store is unreachable */
  read(name: string, start: number, end: number): Promise<ReadableStream<Uint8Array> | null>
  /** It may be missing. */
  remove(name: string): Promise<void>
  /** Longest file. */
  readonly fileBytesMax: number
  /** Bytes that can still be written. */
  room(): Promise<number>
  /** An address at which clients can fetch the file by themselves for some minutes; `null`: there is none. */
  addressOf(name: string): string | null
}
