interface Content {
  /** Such as `image/png`. */
  readonly contentType: string
  readonly bytes: Uint8Array
}

/** A file as a data address, in base64. */
export function dataAddressOf({ contentType, bytes }: Content): string {
  return `data:${contentType};base64,${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')}`
}
