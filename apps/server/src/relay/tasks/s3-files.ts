import { rm } from 'node:fs/promises'
import { S3Client } from 'bun'
import type { S3Place } from '../model/file-place.ts'
import type { UpstreamClient, UpstreamResponse } from '../upstream/http1/client.ts'
import type { UpstreamRequest } from '../upstream/http1/request-text.ts'
import { readCapped } from '../upstream/read-capped.ts'
import { createDiskFiles } from './disk-files.ts'
import type { FileStore } from './file-store.ts'
import { responseMs, type Timing, writeMs } from './file-store-timeouts.ts'
import { partsOf } from './response-parts.ts'

const linkSeconds = 15 * 60
/** Longest object that one PUT can make (Amazon S3 API Reference, "PutObject", read 2026-11-29). */
const objectBytesMax = 5 * 1024 * 1024 * 1024
/** Most that is read of an error, and of a response to what returns no content. The errors of stores have some hundred bytes. */
const responseBytesMax = 64 * 1024

export interface S3Deps extends Timing {
  readonly client: UpstreamClient
}

type S3Request = Pick<UpstreamRequest, 'body'> & {
  readonly method: 'GET' | 'PUT' | 'DELETE'
  readonly headers?: Readonly<Record<string, string>>
  readonly timeoutMs: number
}

interface S3Response {
  readonly status: number
  /** The code of an error; empty: none is known. */
  readonly code: string
}

/**
 * Files of a bucket at a store that speaks S3. Bun signs the addresses; its own requests would keep any response in memory.
 * @param folder holds each file until it is whole: an upload that ends early would be kept
 */
export function createS3Files(place: S3Place, folder: string, { client, deadlines }: S3Deps): FileStore {
  const { endpoint, bucket, region, accessKeyId, secretAccessKey } = place
  const signer = new S3Client({ endpoint, bucket, region, accessKeyId, secretAccessKey })
  const spool = createDiskFiles(folder)

  /** Passes the head of the response on. The connection is closed if what is done with it takes longer than the timeout. */
  async function send<Result>(
    name: string,
    { timeoutMs, method, headers = {}, body }: S3Request,
    receive: (response: UpstreamResponse) => Promise<Result>,
  ): Promise<Result> {
    const url = signer.presign(name, { method, expiresIn: linkSeconds })
    const fields = { 'accept-encoding': 'identity', ...headers }
    const outbound = client.send({ method, url, headers: fields, body, isRepeatable: true, proxy: null })
    const deadline = deadlines.start(timeoutMs, () => outbound.abort())
    try {
      return await receive(await outbound.response)
    } finally {
      deadlines.cancel(deadline)
    }
  }

  return {
    async write(name, parts) {
      await spool.write(name, parts)
      const path = spool.pathOf(name)
      const file = Bun.file(path)
      const headers = { 'content-type': 'application/octet-stream' }
      const body = { byteLength: file.size, chunks: () => file.stream() }
      try {
        assertDone(await send(name, { method: 'PUT', headers, body, timeoutMs: writeMs }, readStatus))
      } finally {
        await rm(path, { force: true })
      }
    },
    async read(name, start, end) {
      const headers = start < end ? { range: `bytes=${start}-${end - 1}` } : {}
      const response = await send(name, { method: 'GET', headers, body: null, timeoutMs: responseMs }, async (head) => {
        if (hasRange(head, start, end)) return head
        // A range of an object that begins behind its end, or ends there, is one of a shorter object.
        if (isSuccess(head)) head.abort()
        else assertMissing(await readStatus(head))
        return null
      })
      return response === null ? null : streamOf(response, { bytes: end - start, deadlines })
    },
    async remove(name) {
      const response = await send(name, { method: 'DELETE', body: null, timeoutMs: responseMs }, readStatus)
      if (response.code !== 'NoSuchKey') assertDone(response)
    },
    fileBytesMax: objectBytesMax,
    room: spool.room,
    addressOf: (name) => signer.presign(name, { method: 'GET', expiresIn: linkSeconds }),
  }
}

const decoder = new TextDecoder()
/** The longest codes of stores have some forty characters. */
const codeLengthMax = 100

/** @throws Error if the response is longer than what a store has to say */
async function readStatus(response: UpstreamResponse): Promise<S3Response> {
  const { bytes, isCut } = await readCapped(response, responseBytesMax)
  if (isCut) throw new Error(`the result store returned more than ${responseBytesMax} bytes`)
  const [, behind = ''] = decoder.decode(bytes).split('<Code>', 2)
  return { status: response.status, code: behind.slice(0, codeLengthMax).split('<', 1).join() }
}

const isSuccess = ({ status }: Pick<S3Response, 'status'>): boolean => status >= 200 && status < 300

/** @throws Error for every other status, redirects included: they would need another signature */
function assertDone(response: S3Response): void {
  if (!isSuccess(response)) throw failureOf(response)
}

/** @throws Error unless there is no such object, or it is too short */
function assertMissing(response: S3Response): void {
  if (response.status !== 404 && response.status !== 416) throw failureOf(response)
}

const failureOf = ({ status, code }: S3Response): Error => new Error(`the result store returned status ${status} ${code}`.trimEnd())

/** Whether the body is exactly these bytes of the object. */
function hasRange(response: UpstreamResponse, start: number, end: number): boolean {
  if (response.status === 206) return response.header('content-range')?.startsWith(`bytes ${start}-${end - 1}/`) === true
  return response.status === 200 && start === 0 && response.header('content-length') === String(end)
}

/** The body, which is read when it is wanted. If nobody begins to, the connection is closed. */
function streamOf(response: UpstreamResponse, { bytes, deadlines }: { readonly bytes: number } & Pick<Timing, 'deadlines'>) {
  const unused = deadlines.start(responseMs, () => response.abort())
  const parts = partsOf(response)
  let left = bytes
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        deadlines.cancel(unused)
        const { done, value } = await parts.next()
        if (done) return controller.close()
        left -= value.length
        if (left < 0) {
          response.abort()
          throw new Error('the result store sent more than the range')
        }
        controller.enqueue(value)
      },
      cancel() {
        deadlines.cancel(unused)
        response.abort()
      },
    },
    { highWaterMark: 0 },
  )
}
