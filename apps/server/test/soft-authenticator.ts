import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'

// An authenticator in software that responds as a browser with a passkey does (https://www.w3.org/TR/webauthn-3, read 2026-11-24).
// It writes its own CBOR, and shares no code with what the server verifies with.

type Cbor = number | string | Uint8Array | readonly Cbor[] | ReadonlyMap<Cbor, Cbor>

function head(major: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(major << 5) | value])
  if (value < 256) return Buffer.from([(major << 5) | 24, value])
  return Buffer.from([(major << 5) | 25, value >> 8, value & 255])
}

function cbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value])
  if (isList(value)) return Buffer.concat([head(4, value.length), ...value.map(cbor)])
  return Buffer.concat([head(5, value.size), ...[...value].flatMap(([key, item]) => [cbor(key), cbor(item)])])
}

const isList = (value: readonly Cbor[] | ReadonlyMap<Cbor, Cbor>): value is readonly Cbor[] => Array.isArray(value)

interface CredentialOptions {
  readonly challenge: string
  readonly origin: string
  readonly host: string
  /** Whether it verified the person. Default: yes. */
  readonly isVerified?: boolean
  /** Instead of its own next count. */
  readonly counter?: number
  readonly type?: string
  /** How it attests a new key. Default: not at all. */
  readonly attestation?: 'self' | { readonly format: string; readonly certificates: readonly Uint8Array[] }
}

export interface SoftPasskey {
  readonly id: string
  /** The response to the options of a new passkey. */
  attest(options: CredentialOptions): Attestation
  /** The response to the options of a login. */
  assert(options: CredentialOptions): Assertion
}

interface Credential {
  readonly id: string
  readonly rawId: string
  readonly type: 'public-key'
}

type Attestation = Credential & {
  readonly response: { readonly clientDataJSON: string; readonly attestationObject: string; readonly transports: string[] }
}
type Assertion = Credential & {
  readonly response: {
    readonly clientDataJSON: string
    readonly authenticatorData: string
    readonly signature: string
    readonly userHandle: null
  }
}

const base64url = (bytes: Uint8Array | string): string => Buffer.from(bytes).toString('base64url')

function authenticatorData({ host, isVerified = true }: CredentialOptions, counter: number, attested: Buffer | null): Buffer {
  const count = Buffer.alloc(4)
  count.writeUInt32BE(counter)
  const flags = 0x01 | (isVerified ? 0x04 : 0) | (attested === null ? 0 : 0x40)
  return Buffer.concat([createHash('sha256').update(host).digest(), Buffer.from([flags]), count, attested ?? Buffer.alloc(0)])
}

function coseKey(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' })
  const point = (text: string): Buffer => Buffer.from(text, 'base64url')
  return cbor(
    new Map<Cbor, Cbor>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, point(x)],
      [-3, point(y)],
    ]),
  )
}

/** The members of an attestation that say who vouches for the key. */
function statement({ attestation }: CredentialOptions, sig: Uint8Array): readonly (readonly [Cbor, Cbor])[] {
  if (attestation === undefined)
    return [
      ['fmt', 'none'],
      ['attStmt', new Map()],
    ]
  const signed: readonly (readonly [Cbor, Cbor])[] = [
    ['alg', -7],
    ['sig', sig],
  ]
  if (attestation === 'self')
    return [
      ['fmt', 'packed'],
      ['attStmt', new Map(signed)],
    ]
  return [
    ['fmt', attestation.format],
    ['attStmt', new Map([...signed, ['x5c', attestation.certificates]])],
  ]
}

/** @param isCounting whether it counts its signatures */
export function softPasskey(isCounting = true): SoftPasskey {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const rawId = randomBytes(32)
  const id = base64url(rawId)
  const named = { id, rawId: id, type: 'public-key' } as const
  let signed = 0
  const clientData = ({ challenge, origin }: CredentialOptions, type: string): string =>
    JSON.stringify({ type, challenge, origin, crossOrigin: false })

  return {
    id,
    attest(options) {
      const length = Buffer.from([rawId.length >> 8, rawId.length & 255])
      const attested = Buffer.concat([Buffer.alloc(16), length, rawId, coseKey(publicKey)])
      const authData = authenticatorData(options, options.counter ?? 0, attested)
      const json = clientData(options, options.type ?? 'webauthn.create')
      const sig = createSign('sha256').update(authData).update(createHash('sha256').update(json).digest()).sign(privateKey)
      const attestationObject = cbor(new Map<Cbor, Cbor>([...statement(options, sig), ['authData', authData]]))
      const clientDataJSON = base64url(json)
      return { ...named, response: { clientDataJSON, attestationObject: base64url(attestationObject), transports: ['internal'] } }
    },
    assert(options) {
      signed += 1
      const data = authenticatorData(options, options.counter ?? (isCounting ? signed : 0), null)
      const json = clientData(options, options.type ?? 'webauthn.get')
      const signature = createSign('sha256').update(data).update(createHash('sha256').update(json).digest()).sign(privateKey)
      const response = {
        clientDataJSON: base64url(json),
        authenticatorData: base64url(data),
        signature: base64url(signature),
        userHandle: null,
      }
      return { ...named, response }
    },
  }
}
