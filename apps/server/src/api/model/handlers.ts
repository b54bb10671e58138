import { contract, type ModelRow, type Settings } from '@sluice/contract'
import type { Db } from '../../db/connect.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Clock } from '../../lib/clock.ts'
import { implement } from '../implement.ts'
import { createModelStatus, createSpeeds } from './model-status.ts'

interface ModelDeps {
  readonly settings: () => Settings
  /** The models of an account's groups. */
  readonly listModels: (groups: string) => Promise<ReadonlyArray<Omit<ModelRow, 'first_byte' | 'tokens_per_second'>>>
  readonly reads: Db
  readonly clock: Clock
}

/** What visitors see is what an account of this group would. */
const groupOfVisitors = 'default'

export const modelApi = ({ settings, listModels, reads, clock }: ModelDeps) => {
  const speeds = createSpeeds(reads, clock)
  const statusOf = createModelStatus(reads, clock, speeds)

  return implement(contract.model, {
    async list(_input, caller) {
      if (caller === null && !settings().PublicModelsEnabled) throw new AppError('not_logged_in')
      const [rows, speedOf] = await Promise.all([listModels(caller?.groups ?? groupOfVisitors), speeds()])
      return rows.map((row) => ({ ...row, first_byte: speedOf.firstByte(row.name), tokens_per_second: speedOf.tokensPerSecond(row.name) }))
    },
    async status(_input, caller) {
      if (!settings().StatusPageEnabled) throw new AppError(caller === null ? 'not_logged_in' : 'permission_denied')
      const groups = caller?.groups ?? groupOfVisitors
      return await statusOf(groups, await listModels(groups))
    },
  })
}
