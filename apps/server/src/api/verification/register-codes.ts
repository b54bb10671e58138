import { networkKey } from '../../lib/cidr.ts'
import { type Codes, digitTriesMax } from './codes.ts'

/** Codes that prove an address before there is an account. */
export interface RegisterCodes {
  /** @returns the code to mail */
  issue(to: Requested & { readonly detail: string }): Promise<string>
  /** Uses up a valid code. */
  check(typed: Requested & { readonly code: string }): Promise<boolean>
}

interface Requested {
  readonly email: string
  /** The address of the client. */
  readonly client: string
}

/**
 * Whoever knows an address may guess at its code, and may request another one. So a code is issued to the network that requested it, with
 * tries that other networks cannot use up, and once more for all others, because a code may be typed in on another device.
 */
export function createRegisterCodes(codes: Pick<Codes, 'issue' | 'check'>): RegisterCodes {
  const purpose = 'register'
  const inNetwork = ({ email, client }: Requested): string => `${email} ${networkKey(client)}`
  return {
    async issue({ detail, ...requested }) {
      const code = await codes.issue({ purpose, address: inNetwork(requested), detail })
      await codes.issue({ purpose, address: requested.email, detail, secret: code, tries: digitTriesMax })
      return code
    },
    async check({ code, ...requested }) {
      const isOwn = (await codes.check(purpose, inNetwork(requested), code)) !== null
      // In any case, because a code that was used may not stay valid for others.
      const isOthers = (await codes.check(purpose, requested.email, code)) !== null
      return isOwn || isOthers
    },
  }
}
