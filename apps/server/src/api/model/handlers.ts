import { contract, type ModelRow, type Settings } from '@sluice/contract'
import { AppError } from '../../lib/app-error.ts'
import { implement } from '../implement.ts'

interface ModelDeps {
  readonly settings: () => Settings
  /** The models of an account's groups. */
  readonly listModels: (groups: string) => Promise<readonly ModelRow[]>
}

/** What visitors see is what an account of this group would. */
const groupOfVisitors = 'default'

export const modelApi = ({ settings, listModels }: ModelDeps) =>
  implement(contract.model, {
    async list(_input, caller) {
      if (caller === null && !settings().PublicModelsEnabled) throw new AppError('not_logged_in')
      return [...(await listModels(caller?.groups ?? groupOfVisitors))]
    },
  })
