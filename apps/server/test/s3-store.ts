/// <reference path="./s3rver.d.ts" />
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import S3rver from '@20minutes/s3rver'

const bucket = 'results'
/** How it names the file of an object's content. */
const content = '._S3rver_object'

export interface S3Store {
  /** Variables of a server that keeps its copies there. */
  readonly env: Readonly<Record<string, string>>
  readonly url: string
  /** Names of the objects. */
  names(): readonly string[]
  close(): Promise<void>
}

/** A store that speaks S3, with one bucket. */
export async function startS3Store(): Promise<S3Store> {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-s3-'))
  const server = new S3rver({ port: 0, address: '127.0.0.1', silent: true, directory, configureBuckets: [{ name: bucket, configs: [] }] })
  const { port } = await server.run()
  const url = `http://127.0.0.1:${port}`
  const key = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' }
  return {
    url,
    env: {
      RESULTS_S3_ENDPOINT: url,
      RESULTS_S3_BUCKET: bucket,
      RESULTS_S3_ACCESS_KEY_ID: key.accessKeyId,
      RESULTS_S3_SECRET_ACCESS_KEY: key.secretAccessKey,
    },
    names: () => readdirSync(join(directory, bucket)).flatMap((file) => (file.endsWith(content) ? [file.slice(0, -content.length)] : [])),
    async close() {
      await server.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
