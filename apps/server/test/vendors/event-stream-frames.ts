/** One frame of AWS's event streams (AWS, "Event stream encoding", read 2026-11-22), as a server writes it. */
export function eventFrame(headers: Readonly<Record<string, string>>, payload: string): Uint8Array {
  const written = Buffer.concat(
    Object.entries(headers).map(([name, value]) => {
      const length = Buffer.alloc(2)
      length.writeUInt16BE(Buffer.byteLength(value))
      return Buffer.concat([Buffer.from([Buffer.byteLength(name)]), Buffer.from(name), Buffer.from([7]), length, Buffer.from(value)])
    }),
  )
  const body = Buffer.from(payload)
  const prelude = Buffer.alloc(8)
  prelude.writeUInt32BE(written.length + body.length + 16, 0)
  prelude.writeUInt32BE(written.length, 4)
  const head = Buffer.concat([prelude, checksum(prelude), written, body])
  return Buffer.concat([head, checksum(head)])
}

function checksum(bytes: Uint8Array): Buffer {
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(Bun.hash.crc32(bytes))
  return sum
}

/** An event, or an exception, with the headers that AWS sends. */
export function awsEvent(name: string, payload: object, type: 'event' | 'exception' = 'event'): Uint8Array {
  const headers = { [`:${type}-type`]: name, ':content-type': 'application/json', ':message-type': type }
  return eventFrame(headers, JSON.stringify(payload))
}
