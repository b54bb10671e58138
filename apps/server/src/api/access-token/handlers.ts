import { accessTokenPrefix, accessTokensMax, callScopes, contract, nounScopes, partScopes, role, wholeScopes } from '@sluice/contract'
import type { Db } from '../../db/connect.ts'
import { lockAccount } from '../../db/lock-account.ts'
import { AppError } from '../../lib/app-error.ts'
import { type Clock, nowSeconds } from '../../lib/clock.ts'
import { randomBase62 } from '../../lib/id.ts'
import type { Seal } from '../../lib/seal.ts'
import type { AccountAccess } from '../account-access.ts'
import type { Audit } from '../audit.ts'
import { authorizeReauthentication } from '../authorize.ts'
import { implement } from '../implement.ts'
import { countAccessTokens, insertAccessToken } from './queries.ts'

interface AccessTokenDeps {
  readonly db: Db
  readonly seal: Seal
  readonly clock: Clock
  readonly audit: Audit
  readonly access: AccountAccess
}

/** Characters behind the prefix: 256 bits. */
const tokenLength = 43

/** The personal access tokens of the caller's own account. */
export const accessTokenApi = ({ db, seal, clock, audit, access }: AccessTokenDeps) =>
  implement(contract.accessToken, {
    async list(_input, caller) {
      return { ...(await access.tokens(caller.id)), scopes: [...scopesOf(caller)] }
    },

    async create({ name, scopes: requestedScopes, expired_time }, caller) {
      const refusal = authorizeReauthentication(caller)
      if (refusal !== null) throw new AppError(refusal)
      const now = nowSeconds(clock)
      if (expired_time !== -1 && expired_time <= now) throw new AppError('expiry_past')
      const scopes = knownScopes(requestedScopes).join(',')
      const token = `${accessTokenPrefix}${randomBase62(tokenLength)}`
      const id = await db.transaction().execute(async (tx) => {
        await lockAccount(tx, caller.id)
        if ((await countAccessTokens(tx, caller.id)) >= accessTokensMax)
          throw new AppError('access_tokens_too_many', { params: { max: accessTokensMax } })
        await audit({ actor: caller, messageKey: 'log_personal_token_made', params: { name, scopes } }, tx)
        const lookup = seal.lookup(token, 'personal-token')
        return await insertAccessToken(tx, { user_id: caller.id, lookup, name, scopes, created_time: now, expired_time })
      })
      return { id, token }
    },

    async remove({ id }, caller) {
      await access.removeToken({ actor: caller, target: caller, token: id })
      return null
    },
  })

/** Scopes of the calls, and of their parts, that the role of an account allows. */
function scopesOf({ role: own }: { readonly role: number }): ReadonlySet<string> {
  const needed = { public: 0, ...role }
  const open = [...callScopes].filter(([{ access }]) => own >= needed[access])
  return new Set(open.flatMap(([call, scope]) => [scope, ...partScopes(call)]))
}

/** Each once, in the order of the contract. @throws AppError access_token_scopes_invalid */
function knownScopes(scopes: readonly string[]): readonly string[] {
  const known: readonly string[] = [...wholeScopes, ...nounScopes]
  if (!scopes.every((scope) => known.includes(scope))) throw new AppError('access_token_scopes_invalid')
  return known.filter((scope) => scopes.includes(scope))
}
