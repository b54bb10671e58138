import { receivedFrom } from '@sluice/http1/received-from'
import { asText } from '@sluice/vendors/core/is-object'
import { type ProbeRequest, probeRequest } from '@sluice/vendors/registry/probe'
import { speech, transcriptions } from '../ingress/kinds/audio.ts'
import { chat } from '../ingress/kinds/chat.ts'
import { images } from '../ingress/kinds/images.ts'
import { responses } from '../ingress/kinds/responses.ts'
import { completions, embeddings, moderations, rerank } from '../ingress/kinds/text.ts'
import { type ReadDeps, readRequest } from '../ingress/read-request.ts'
import { type Call, notAttempted } from '../model/call.ts'
import type { Channel } from '../model/channel.ts'
import type { KindRules } from '../model/kind-rules.ts'

const rulesOf: Readonly<Record<ProbeRequest['kind'], KindRules>> = {
  chat,
  completions,
  embeddings,
  images,
  moderations,
  rerank,
  responses,
  speech,
  transcriptions,
}

/** The call that tests a channel with one model. The caller closes its form. */
export async function probeCall(
  { vendor }: Channel,
  model: string,
  { head, deps }: { readonly head: Pick<Call, 'requestId' | 'created'>; readonly deps: ReadDeps },
): Promise<Call> {
  const { kind, body } = probeRequest(vendor, model)
  const rules = rulesOf[kind]
  const init = rules.form?.isOnly ? { body: formOf(body) } : { body: JSON.stringify(body) }
  const read = await readRequest(receivedFrom(new Request('http://localhost', { method: 'POST', ...init })), { rules, path: {} }, deps)
  return {
    ...head,
    ...read,
    rules,
    hops: '',
    isRepeatable: false,
    ...notAttempted,
  }
}

function formOf(fields: ProbeRequest['body']): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, asText(value))
  form.append('file', new File([silence()], 'silence.wav', { type: 'audio/wav' }))
  return form
}

const samplesPerSecond = 8_000
/** Half a second: vendors refuse audio shorter than 0.1 s. */
const silenceSamples = samplesPerSecond / 2

/** Half a second of silent audio as a WAV file with 16-bit samples. */
function silence(): Uint8Array<ArrayBuffer> {
  const file = Buffer.alloc(44 + silenceSamples * 2)
  file.write('RIFF', 0, 'latin1')
  file.writeUInt32LE(file.length - 8, 4)
  file.write('WAVEfmt ', 8, 'latin1')
  file.writeUInt32LE(16, 16)
  file.writeUInt16LE(1, 20)
  file.writeUInt16LE(1, 22)
  file.writeUInt32LE(samplesPerSecond, 24)
  file.writeUInt32LE(samplesPerSecond * 2, 28)
  file.writeUInt16LE(2, 32)
  file.writeUInt16LE(16, 34)
  file.write('data', 36, 'latin1')
  file.writeUInt32LE(silenceSamples * 2, 40)
  return file
}
