import { generateKeyPairSync } from 'node:crypto'
import { cryptoFunctions } from '../apps/server/src/relay/upstream/crypto-functions.ts'
import type { Signer } from '../packages/vendors/src/core/signer.ts'
import { signBedrock } from '../packages/vendors/src/vendors/bedrock/sign.ts'
import { sparkUrl } from '../packages/vendors/src/vendors/iflytek/sign.ts'
import { tc3 } from '../packages/vendors/src/vendors/tencent/sign.ts'
import { zhipuJwt } from '../packages/vendors/src/vendors/zhipu/sign.ts'
import { microsOf } from './measure-call.ts'
import { frameWorks, wires } from './vendor-wires.ts'

// `npm run bench -- vendors`: the work for each dialect, signature and kind of frame, in this process and without a network.

/** Microseconds. */
const targets = { chunk: 30, signature: 40, frame: 25 } as const

interface Row {
  readonly name: string
  readonly micros: readonly (number | null)[]
  /** What the first figure may be at most. */
  readonly most?: number
}

function print(heads: readonly string[], rows: Iterable<Row>): void {
  const line = (name: string, cells: readonly string[], end: string): void =>
    console.log(`${name.padEnd(40)}${cells.map((cell) => cell.padStart(14)).join('')}   ${end}`)
  const [title = '', ...columns] = heads
  console.log('')
  line(title, columns, 'target')
  for (const { name, micros, most } of rows)
    line(
      name,
      micros.map((figure) => (figure === null ? '-' : `${figure.toFixed(1)} us`)),
      verdictOf(micros[0], most),
    )
}

function verdictOf(first: number | null | undefined, most: number | undefined): string {
  if (most === undefined || first === null || first === undefined) return ''
  return `<= ${most} us: ${first <= most ? 'met' : 'missed'}`
}

function* dialectRows(): Iterable<Row> {
  for (const { name, chunks, request, whole } of wires()) {
    const chunk = chunks === null ? null : microsOf(chunks.work) / chunks.count
    yield { name, micros: [chunk, microsOf(request), microsOf(whole)], most: targets.chunk }
  }
}

function* frameRows(): Iterable<Row> {
  for (const { name, work, count } of frameWorks()) yield { name, micros: [microsOf(work) / count], most: targets.frame }
}

const body = JSON.stringify({ text: 'a'.repeat(4_085) })
const region = 'us-east-1'

/** What each signature needs of a channel and a request. */
const signed: ReadonlyArray<{ readonly sign: Signer; readonly name: string; readonly url: string; readonly key: string }> = [
  {
    sign: signBedrock,
    name: 'SigV4 of 4 KB',
    url: `https://bedrock-runtime.${region}.amazonaws.com/model/us.amazon.nova-pro-v1%3A0/converse`,
    key: `AKIDEXAMPLE|wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY|${region}`,
  },
  { sign: tc3, name: 'TC3 of 4 KB', url: 'https://hunyuan.tencentcloudapi.com/', key: '1|AKIDEXAMPLE|secret-of-the-example' },
  { sign: sparkUrl, name: 'signed address of a WebSocket', url: 'https://spark-api.xf-yun.com/v3.5/chat', key: 'app|secret|key' },
  { sign: zhipuJwt, name: 'JWT of HS256', url: 'https://open.bigmodel.cn/api/paas/v4/chat/completions', key: 'id.secret' },
]

function* signatureRows(): Iterable<Row> {
  const headers = { 'content-type': 'application/json', accept: 'application/json', 'x-tc-action': 'ChatCompletions' }
  for (const { sign, name, url, key } of signed) {
    const channel = { baseUrl: '', key, config: {}, other: '' }
    let nowMs = Date.now()
    const work = (): void => {
      nowMs += 1
      sign({ method: 'POST', url, headers, body }, { channel, crypto: cryptoFunctions, nowMs })
    }
    yield { name, micros: [microsOf(work)], most: targets.signature }
  }
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  yield { name: 'RS256, once an hour', micros: [microsOf(() => void cryptoFunctions.rs256(pem, body))] }
}

export function benchVendors(): void {
  console.log(`Bun ${Bun.version}; the median of short rounds; a chunk is read from its frame, translated and written`)
  print(['dialect', 'chunk', 'request', 'whole answer'], dialectRows())
  print(['signature', 'adds'], signatureRows())
  print(['frame of 100 characters', 'read'], frameRows())
}
