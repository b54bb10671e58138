import { readRow } from '../../apps/server/src/import/cells.ts'
import { channelColumns, planChannel } from '../../apps/server/src/import/plan-channel.ts'
import { logColumns, planLog } from '../../apps/server/src/import/plan-log.ts'
import { planRedemption, redemptionColumns } from '../../apps/server/src/import/plan-redemption.ts'
import { planToken, tokenColumns } from '../../apps/server/src/import/plan-token.ts'
import { planUser, userColumns } from '../../apps/server/src/import/plan-user.ts'
import { anyOf, texts, within } from './hostile-arguments.ts'
import type { ParameterRow } from './place.ts'
import type { Row } from './rows.ts'

type Columns = Parameters<typeof readRow>[0]

const ids = new Map([[1, 1]])
const harmless = { id: 1, user_id: 1, type: 1, status: 1, key: 'abcdefgh', models: 'm', group: 'default', quota: 1, username: 'a', role: 1 }

/** Rows of a table of the source: one cell after the other is a hostile text. */
function cellsOf(columns: Columns): ParameterRow {
  const [first = texts, ...others] = Object.keys(columns).map((name) => within(texts, (text) => ({ ...harmless, [name]: text })))
  return anyOf(first, ...others)
}

function planned<C extends Columns>(columns: C, plan: (row: Exclude<ReturnType<typeof readRow<C>>, string>) => unknown): Row {
  return {
    inputs: cellsOf(columns),
    call(value) {
      // Holds: the inputs are cells by name.
      const row = readRow(columns, value as Readonly<Record<string, unknown>>)
      // Holds: a text is the name of a cell that cannot be read.
      return typeof row === 'string' ? row : plan(row as Exclude<typeof row, string>)
    },
  }
}

const folder = 'apps/server/src/import'

export const rowsOfImport: Readonly<Record<string, Row>> = {
  [`${folder}/plan-channel.ts#planChannel`]: planned(channelColumns, (row) =>
    planChannel(row, { dialect: 'one-api', ownPort: 3000, needsKey: true, language: 'en' }),
  ),
  [`${folder}/plan-log.ts#planLog`]: planned(logColumns, (row) =>
    planLog(row, { dialect: 'one-api', source: 'a', users: ids, channels: ids }),
  ),
  [`${folder}/plan-redemption.ts#planRedemption`]: planned(redemptionColumns, (row) => planRedemption(row, { users: ids })),
  [`${folder}/plan-token.ts#planToken`]: planned(tokenColumns, (row) => planToken(row, { users: ids, refusedUsers: new Set() })),
  [`${folder}/plan-user.ts#planUser`]: planned(userColumns, (row) =>
    planUser(row, { claims: { claim: () => true }, hasGithubLogins: true, joins: null, keepsRole: false }),
  ),
}
