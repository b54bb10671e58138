import type { Mutation } from './mutations.ts'

const api = 'apps/server/src/api'

/** Faults in who may open an account, and where secrets are sent. */
export const mutationsOfAccounts: readonly Mutation[] = [
  {
    name: 'redeem a code whose time is over',
    file: `${api}/redemption/queries.ts`,
    text: "    .where('status', '=', redemptionStatus.unused)\n    .where(isValidAt(now))\n    .returning(['id', 'name', 'quota'])",
    becomes: "    .where('status', '=', redemptionStatus.unused)\n    .returning(['id', 'name', 'quota'])",
    tests: [`${api}/redemption/redemption.test.ts`],
  },
  {
    name: 'leave the old key of a token in the cache',
    file: `${api}/token/handlers.ts`,
    text: '        return token\n      })\n      changed(id)\n',
    becomes: '        return token\n      })\n',
    tests: [`${api}/token/token.test.ts`],
  },
  {
    name: 'unlink the last way to log in to an account',
    file: `${api}/oauth/unbind.ts`,
    text: "    if (!isOpen({ ...ways, [column]: '' }, settings())) throw new AppError('last_way_in')\n",
    becomes: '',
    tests: [`${api}/oauth/oauth.test.ts`],
  },
  {
    name: 'unlink two ways to log in at once',
    file: `${api}/oauth/queries.ts`,
    text: '    .where((build) => build.and(ways))\n',
    becomes: '',
    tests: [`${api}/oauth/oauth.test.ts`],
  },
  {
    name: 'list the accounts that anybody invited',
    file: `${api}/account/account-queries.ts`,
    text: "    .where('users.inviter_id', '=', inviterId)\n    // Lets SQLite",
    becomes: '    // Lets SQLite',
    tests: [`${api}/account/own.test.ts`],
  },
  {
    name: 'allow the script of the bot check while the check is off',
    file: 'apps/server/src/http/security-headers.ts',
    text: 'hasBotCheck ? [botCheckOrigin] : []',
    becomes: 'hasBotCheck ? [botCheckOrigin] : [botCheckOrigin]',
    tests: ['apps/server/src/http/front-door.test.ts'],
  },
  {
    name: 'apply options to administrators before root has confirmed them',
    file: `${api}/option/settings.ts`,
    text: 'isConfirmed: (reliant) => !held.has(reliant),',
    becomes: 'isConfirmed: () => true,',
    tests: [`${api}/option/confirmation.test.ts`],
  },
  {
    name: 'confirm options that changed since they were shown',
    file: `${api}/option/settings.ts`,
    text: "        if (revision !== waiting().revision) throw new AppError('option_waiting_changed')\n",
    becomes: '',
    tests: [`${api}/option/confirmation.test.ts`],
  },
  {
    name: 'forget that a link was mailed while the mail waited',
    file: `${api}/verification/mail-codes.ts`,
    text: '(detail === heldDetail || !isMailConfirmed())',
    becomes: '!isMailConfirmed()',
    tests: [`${api}/option/confirmation.test.ts`],
  },
  {
    name: 'log administrators in by a service whose options root has not confirmed',
    file: `${api}/oauth/handlers.ts`,
    text: '    checkConfirmed(way, known)\n',
    becomes: '',
    tests: [`${api}/option/confirmation.test.ts`],
  },
  {
    name: 'let an access token change password or address of the account',
    file: `${api}/authorize.ts`,
    text: "  if (sessionHash === null) return 'session_required'\n",
    becomes: '',
    tests: [`${api}/account/reauthentication.test.ts`],
  },
  {
    name: 'treat every session as a recent login',
    file: `${api}/authorize.ts`,
    text: "return hasJustLoggedIn ? null : 'login_again'",
    becomes: 'return hasJustLoggedIn ? null : null',
    tests: [`${api}/account/reauthentication.test.ts`],
  },
  {
    name: 'send a secret of the options to a server that it was not entered for',
    file: `${api}/option/entries.ts`,
    text: 'host !== undefined && host !== hostOf(key, all)',
    becomes: "host !== undefined && host === ''",
    tests: [`${api}/option/secret-hosts.test.ts`],
  },
  {
    name: 'send a secret that was stored by an earlier version to any address',
    file: `${api}/option/settings.ts`,
    text: '...moved.flatMap(boundToTheirs)',
    becomes: '',
    tests: [`${api}/option/secret-hosts.test.ts`],
  },
  {
    name: 'send the key of a channel to a server that it was not entered for',
    file: `${api}/channel/secret-target.ts`,
    text: '  if (originOf(before) !== originOf(after)) return true\n',
    becomes: '',
    tests: [`${api}/channel/channel.test.ts`],
  },
]
