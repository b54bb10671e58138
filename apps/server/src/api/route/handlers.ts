import { contract, type ModelKind, type RouteReport } from '@sluice/contract'
import type { Db } from '../../db/connect.ts'
import { AppError } from '../../lib/app-error.ts'
import { implement } from '../implement.ts'
import { findGroupsOf } from './queries.ts'

interface RouteDeps {
  readonly db: Db
  readonly explainRoute: (question: {
    readonly model: string
    readonly groups: string
    readonly kind: ModelKind | ''
  }) => Promise<RouteReport>
}

/** The groups of an account whose groups nobody has set. */
const usualGroups = 'default'

export const routeApi = ({ db, explainRoute }: RouteDeps) =>
  implement(contract.route, {
    async explain({ model, username, groups, kind }) {
      if (username === '') return await explainRoute({ model, groups: groups || usualGroups, kind })
      const accountGroups = await findGroupsOf(db, username)
      if (accountGroups === null) throw new AppError('not_found', { field: 'username' })
      return await explainRoute({ model, groups: accountGroups, kind })
    },
  })
