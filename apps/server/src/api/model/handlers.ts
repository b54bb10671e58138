import { contract, type ModelRow, type Settings } from '@sluice/contract'
import type { Db } from '../../db/connect.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Clock } from '../../lib/clock.ts'
import { implement } from '../implement.ts'
import { createModelStatus } from './model-status.ts'

interface ModelDeps {
  readonly settings: () => Settings
  /** The models of an account's groups. */
  readonly listModels: (groups: string) => Promise<readonly ModelRow[]>
  readonly reads: Db
  readonly clock: Clock
}

/** What visitors see is what an account of this group would. */
const groupOfVisitors = 'default'

export const modelApi = ({ settings, listModels, reads, clock }: ModelDeps) => {
  const statusOf = createModelStatus(reads, clock)

  return implement(contract.model, {
    async list(_input, caller) {
      if (caller === null && !settings().PublicModelsEnabled) throw new AppError('not_logged_in')
      return [...(await listModels(caller?.groups ?? groupOfVisitors))]
    },
    async status(_input, caller) {
      if (!settings().StatusPageEnabled) throw new AppError(caller === null ? 'not_logged_in' : 'permission_denied')
      const groups = caller?.groups ?? groupOfVisitors
      return await statusOf(groups, await listModels(groups))
    },
  })
}
